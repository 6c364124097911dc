-- Tiles on a grid: texts, and rows of saved queries.
CREATE TABLE dashboards (
  organization_id text NOT NULL,
  id text NOT NULL,
  project_id text NOT NULL,
  name text NOT NULL,
  description text NOT NULL,
  -- [{id, kind, queryId, title, text, chart, x, y, width, height, bindings}]
  tiles json NOT NULL,
  -- [{name, label, type, default}]
  filters json NOT NULL,
  revision integer NOT NULL DEFAULT 1,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, project_id) REFERENCES projects (organization_id, id)
);
CREATE INDEX dashboards_of_project ON dashboards (organization_id, project_id, id DESC);
CALL isolate_organizations('dashboards');

-- SELECTs with parameters that a project keeps, each with a chart for its rows.
CREATE TABLE saved_queries (
  organization_id text NOT NULL,
  id text NOT NULL,
  project_id text NOT NULL,
  name text NOT NULL,
  description text NOT NULL,
  -- With {{name}} where a parameter stands.
  sql text NOT NULL,
  -- {name: {type, default, choices_sql}}, as it was written
  parameters json NOT NULL,
  -- {type, x, y, series, options}
  chart json,
  revision integer NOT NULL DEFAULT 1,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, project_id) REFERENCES projects (organization_id, id)
);
CREATE INDEX saved_queries_of_project ON saved_queries (organization_id, project_id, id DESC);
CALL isolate_organizations('saved_queries');

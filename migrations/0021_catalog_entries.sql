-- What of the organization's data a project's analyst can see.
CREATE TABLE catalog_entries (
  organization_id text NOT NULL,
  id text NOT NULL,
  project_id text NOT NULL,
  table_id text NOT NULL,
  note text NOT NULL DEFAULT '',
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, project_id) REFERENCES projects (organization_id, id),
  -- An entry ends with its table.
  FOREIGN KEY (organization_id, table_id) REFERENCES tables (organization_id, id) ON DELETE CASCADE
);
-- Attaching twice is the same entry.
CREATE UNIQUE INDEX catalog_entries_table ON catalog_entries (organization_id, project_id, table_id);
CALL isolate_organizations('catalog_entries');

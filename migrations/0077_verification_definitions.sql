-- What should hold of a table's rows, and what changes that for some tables.
CREATE TABLE verification_definitions (
  organization_id text NOT NULL REFERENCES organizations (id),
  id text NOT NULL,
  name text NOT NULL,
  description text NOT NULL DEFAULT '',
  kind text NOT NULL CHECK (kind IN
    ('not_null', 'unique', 'accepted_values', 'relationship', 'row_count', 'freshness', 'expression', 'sql')),
  -- As JSON text, which keeps the digits of numbers.
  params text NOT NULL,
  -- Either one table, or what selects tables at each run: {projectId, modelingTier, namePattern}.
  table_id text,
  selector jsonb,
  severity text NOT NULL DEFAULT 'error' CHECK (severity IN ('error', 'warn')),
  blocking boolean NOT NULL DEFAULT false,
  enabled boolean NOT NULL DEFAULT true,
  -- Whether failing rows are kept as a table.
  keep_rows boolean NOT NULL DEFAULT true,
  -- With whose rights it reads: who wrote it last.
  defined_by text NOT NULL,
  created_by text NOT NULL,
  revision integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  CHECK ((table_id IS NULL) <> (selector IS NULL)),
  FOREIGN KEY (organization_id, table_id) REFERENCES tables (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX verification_definitions_table ON verification_definitions (organization_id, table_id);
CALL isolate_organizations('verification_definitions');

CREATE TABLE verification_overlays (
  organization_id text NOT NULL,
  id text NOT NULL,
  definition_id text NOT NULL,
  -- Where it applies: a table, a project, or everywhere.
  project_id text,
  table_id text,
  -- What it changes; null leaves it as it is.
  enabled boolean,
  severity text CHECK (severity IN ('error', 'warn')),
  blocking boolean,
  params text,
  priority integer NOT NULL DEFAULT 0,
  reason text NOT NULL DEFAULT '',
  created_by text NOT NULL,
  revision integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  CHECK (project_id IS NULL OR table_id IS NULL),
  FOREIGN KEY (organization_id, definition_id)
    REFERENCES verification_definitions (organization_id, id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, project_id) REFERENCES projects (organization_id, id),
  FOREIGN KEY (organization_id, table_id) REFERENCES tables (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX verification_overlays_definition ON verification_overlays (organization_id, definition_id);
CREATE INDEX verification_overlays_table ON verification_overlays (organization_id, table_id);
CREATE INDEX verification_overlays_project ON verification_overlays (organization_id, project_id);
CALL isolate_organizations('verification_overlays');

-- Where an organization's lake lives. The reader is a PostgreSQL role that can read this catalog and nothing else.
CREATE TABLE lakes (
  organization_id text PRIMARY KEY REFERENCES organizations (id),
  schema_name text NOT NULL UNIQUE,
  data_path text NOT NULL UNIQUE,
  reader_role text NOT NULL,
  reader_password bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Null until catalog, role and ledger stand; making them may be repeated.
  ready_at timestamptz
);
CALL isolate_organizations('lakes');

CREATE TABLE tables (
  organization_id text NOT NULL REFERENCES organizations (id),
  id text NOT NULL,
  name text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('data', 'calc', 'import', 'snapshot', 'system')),
  status text NOT NULL CHECK (status IN ('creating', 'ready', 'deleting')),
  project_id text,
  key_columns text[] NOT NULL DEFAULT '{}',
  description text NOT NULL DEFAULT '',
  owner_user_id text,
  semantics jsonb NOT NULL DEFAULT '{}',
  modeling_tier text NOT NULL DEFAULT 'raw' CHECK (modeling_tier IN ('raw', 'staged', 'curated', 'certified')),
  -- {column name: {description, semanticType, note}}
  column_notes jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, project_id) REFERENCES projects (organization_id, id)
);
CREATE UNIQUE INDEX tables_name ON tables (organization_id, lower(name));
CREATE INDEX tables_unsettled ON tables (updated_at) WHERE status IN ('creating', 'deleting');
CALL isolate_organizations('tables');

CREATE TABLE table_imports (
  organization_id text NOT NULL,
  id text NOT NULL,
  project_id text NOT NULL,
  file_id text NOT NULL,
  -- The object as it was when the import was asked for: a later write to the file changes nothing.
  object_key text NOT NULL,
  file_path text NOT NULL,
  size_bytes bigint NOT NULL,
  table_id text NOT NULL,
  table_name text NOT NULL,
  mode text NOT NULL CHECK (mode IN ('create', 'replace')),
  format text NOT NULL,
  options jsonb NOT NULL,
  status text NOT NULL CHECK (status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
  cancel_requested_at timestamptz,
  rows_imported bigint NOT NULL DEFAULT 0,
  rows_quarantined bigint NOT NULL DEFAULT 0,
  quarantine_table_id text,
  bytes_read bigint NOT NULL DEFAULT 0,
  progress double precision NOT NULL DEFAULT 0,
  table_version bigint,
  error jsonb,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  finished_at timestamptz,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, project_id) REFERENCES projects (organization_id, id)
);
-- One import at a time into one table.
CREATE UNIQUE INDEX table_imports_active ON table_imports (organization_id, table_id) WHERE status IN ('queued', 'running');
CALL isolate_organizations('table_imports');

CREATE TABLE query_executions (
  organization_id text NOT NULL REFERENCES organizations (id),
  id text NOT NULL,
  caller_id text NOT NULL,
  sql text NOT NULL,
  status text NOT NULL CHECK (status IN ('succeeded', 'failed')),
  error_code text,
  error_detail text,
  row_count integer,
  truncated boolean,
  elapsed_ms double precision NOT NULL,
  scanned jsonb NOT NULL DEFAULT '[]',
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX query_executions_age ON query_executions (created_at);
CALL isolate_organizations('query_executions');

-- What is copied from a connection, and each copy.
CREATE TABLE datasets (
  organization_id text NOT NULL,
  id text NOT NULL,
  connection_id text NOT NULL,
  resource text NOT NULL,
  name text NOT NULL,
  -- Of its own; the connection may allow all of its datasets.
  snapshot_enabled boolean NOT NULL DEFAULT false,
  mode text NOT NULL DEFAULT 'full' CHECK (mode IN ('full', 'incremental')),
  cursor_column text,
  key_columns text[] NOT NULL DEFAULT '{}',
  -- A copy that would lose more than this share of the rows waits for somebody.
  max_shrink_ratio double precision,
  project_id text,
  -- The table it becomes: its name is taken from the beginning, the table is made by the first snapshot.
  snapshot_table_name text NOT NULL,
  table_id text,
  -- Moved by success alone.
  last_snapshot_at timestamptz,
  last_snapshot_run_id text,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, connection_id) REFERENCES data_connections (organization_id, id),
  FOREIGN KEY (organization_id, project_id) REFERENCES projects (organization_id, id)
);
CREATE UNIQUE INDEX datasets_name ON datasets (organization_id, connection_id, name);
CREATE UNIQUE INDEX datasets_table_name ON datasets (organization_id, lower(snapshot_table_name));
CALL isolate_organizations('datasets');

CREATE TABLE snapshot_runs (
  organization_id text NOT NULL,
  id text NOT NULL,
  connection_id text NOT NULL,
  dataset_id text NOT NULL,
  project_id text,
  status text NOT NULL
    CHECK (status IN ('queued', 'running', 'awaiting_confirmation', 'succeeded', 'failed', 'cancelled')),
  rows_copied bigint NOT NULL DEFAULT 0,
  rows_deleted bigint NOT NULL DEFAULT 0,
  bytes_copied bigint NOT NULL DEFAULT 0,
  requests_made bigint NOT NULL DEFAULT 0,
  progress double precision NOT NULL DEFAULT 0,
  table_id text NOT NULL,
  table_name text NOT NULL,
  table_version bigint,
  -- [{column, change, from, to}]
  schema_changes jsonb NOT NULL DEFAULT '[]',
  cursor text,
  -- {code, message}
  error jsonb,
  -- Somebody let it go on although it loses rows.
  confirmed_at timestamptz,
  cancel_requested_at timestamptz,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  finished_at timestamptz,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, dataset_id) REFERENCES datasets (organization_id, id) ON DELETE CASCADE
);
-- One at a time.
CREATE UNIQUE INDEX snapshot_runs_active ON snapshot_runs (organization_id, dataset_id)
  WHERE status IN ('queued', 'running', 'awaiting_confirmation');
CREATE INDEX snapshot_runs_of_dataset ON snapshot_runs (organization_id, dataset_id, id DESC);
CREATE INDEX snapshot_runs_of_connection ON snapshot_runs (organization_id, connection_id, id DESC);
CALL isolate_organizations('snapshot_runs');

-- Those whose process should be there.
CREATE FUNCTION active_snapshot_runs(older_than interval, at_most integer)
  RETURNS TABLE (organization_id text, id text)
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT s.organization_id, s.id FROM snapshot_runs s
    WHERE s.status IN ('queued', 'running', 'awaiting_confirmation')
      AND (s.created_at < now() - older_than OR s.cancel_requested_at < now() - older_than)
    ORDER BY random() LIMIT at_most
  $$;
REVOKE EXECUTE ON FUNCTION active_snapshot_runs FROM PUBLIC;
GRANT EXECUTE ON FUNCTION active_snapshot_runs TO workspace_service;

-- A table that a snapshot makes is its process's to settle.
CREATE OR REPLACE FUNCTION unsettled_tables(older_than interval, at_most integer)
  RETURNS TABLE (organization_id text, id text)
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT t.organization_id, t.id FROM tables t
    WHERE (t.status IN ('creating', 'deleting') OR t.pending_rename IS NOT NULL) AND t.updated_at < now() - older_than
      AND NOT EXISTS (
        SELECT FROM table_imports i
        WHERE i.organization_id = t.organization_id AND t.id IN (i.table_id, i.quarantine_table_id)
          AND i.status IN ('queued', 'running'))
      AND NOT EXISTS (
        SELECT FROM snapshot_runs s
        WHERE s.organization_id = t.organization_id AND t.id = s.table_id
          AND s.status IN ('queued', 'running', 'awaiting_confirmation'))
    ORDER BY random() LIMIT at_most
  $$;

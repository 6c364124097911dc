-- Rows that go out as files. Its run has the same id.
CREATE TABLE exports (
  organization_id text NOT NULL,
  id text NOT NULL,
  -- What is exported: a statement, or all rows of a table.
  sql text,
  table_id text,
  format text NOT NULL CHECK (format IN ('csv', 'parquet', 'ndjson', 'arrow', 'xlsx')),
  name text NOT NULL,
  max_file_bytes bigint,
  -- Of the project file that it becomes; its run has the project.
  path text,
  file_id text,
  -- {tableId: {version, snapshotId}} of what is read at an earlier version.
  at_versions jsonb NOT NULL DEFAULT '{}',
  -- The snapshot at which all else is read; null until its turn has come.
  snapshot_id bigint,
  -- Ids of tables and views: what it may read, then what it read.
  reads text[] NOT NULL,
  -- [{tableId, version}]; null until it has been read.
  versions jsonb,
  -- Folder of the files in the object store; null until they are whole.
  folder text,
  -- [{name, sizeBytes, sha256}], in the folder.
  files jsonb NOT NULL DEFAULT '[]',
  rows_written bigint NOT NULL DEFAULT 0,
  -- {code, message} of the last attempt.
  error jsonb,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz,
  expires_at timestamptz,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, id) REFERENCES runs (organization_id, id) ON DELETE CASCADE,
  CHECK ((sql IS NULL) <> (table_id IS NULL))
);
CREATE INDEX exports_active ON exports (created_at) WHERE finished_at IS NULL;
CREATE INDEX exports_expiring ON exports (expires_at) WHERE expires_at IS NOT NULL;
CALL isolate_organizations('exports');

-- Whoever may not read one of the tables may not read what was exported of it.
CREATE POLICY granted_only ON exports AS RESTRICTIVE TO workspace_service
  USING (current_principal() IS NULL OR NOT reads && (SELECT hidden_table_ids())::text[])
  WITH CHECK (true);

CREATE FUNCTION active_exports(older_than interval, at_most integer)
  RETURNS TABLE (organization_id text, id text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT e.organization_id, e.id FROM exports e
    WHERE e.finished_at IS NULL AND e.created_at < now() - older_than
    ORDER BY e.created_at LIMIT at_most
  $$;
REVOKE EXECUTE ON FUNCTION active_exports FROM PUBLIC;
GRANT EXECUTE ON FUNCTION active_exports TO workspace_service;

-- Runs of a project stay; others were shown only as exports.
CREATE FUNCTION purge_exports(at_most integer) RETURNS void
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    WITH gone AS (
      DELETE FROM exports e USING (
        SELECT x.organization_id, x.id FROM exports x WHERE x.expires_at < now() ORDER BY x.expires_at LIMIT at_most) d
      WHERE e.organization_id = d.organization_id AND e.id = d.id
      RETURNING e.organization_id, e.id)
    DELETE FROM runs r USING gone g
    WHERE r.organization_id = g.organization_id AND r.id = g.id AND r.project_id IS NULL
  $$;
REVOKE EXECUTE ON FUNCTION purge_exports FROM PUBLIC;
GRANT EXECUTE ON FUNCTION purge_exports TO workspace_service;

ALTER TABLE runs
  DROP CONSTRAINT runs_kind_check,
  ADD CONSTRAINT runs_kind_check CHECK (kind IN
    ('import', 'report', 'playbook', 'materialize', 'snapshot', 'profile', 'verification', 'workflow', 'export')) NOT VALID;

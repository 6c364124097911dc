-- Every process of a project, as its users list, watch and cancel them. What is a run's own resource (an import) has a
-- row of its own too, under the same id; both are written in one transaction.
CREATE TABLE runs (
  organization_id text NOT NULL,
  id text NOT NULL,
  project_id text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('import', 'report', 'playbook', 'materialize', 'snapshot', 'verification', 'workflow')),
  status text NOT NULL CHECK (status IN ('queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled')),
  trigger_type text NOT NULL CHECK (trigger_type IN ('api', 'schedule', 'webhook', 'data_event', 'conversation')),
  -- Who or what set it off: a caller, a schedule, a conversation.
  trigger_id text,
  title text NOT NULL,
  progress double precision NOT NULL DEFAULT 0,
  -- [{id, name, type, status, detail, startedAt, finishedAt, error}]
  steps jsonb NOT NULL DEFAULT '[]',
  -- What was made: {tableId, rowsImported}, {reportId}, {fileId}.
  output jsonb,
  -- {code, message, …}
  error jsonb,
  resource_type text NOT NULL,
  resource_id text NOT NULL,
  workflow_id text NOT NULL,
  -- Set where only its owner may see it.
  owner_id text,
  cancel_requested_at timestamptz,
  -- To the millisecond, which is what a page's cursor holds.
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  started_at timestamptz,
  finished_at timestamptz,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, project_id) REFERENCES projects (organization_id, id)
);
CREATE INDEX runs_of_project ON runs (organization_id, project_id, created_at DESC, id DESC);
CALL isolate_organizations('runs');

INSERT INTO runs (organization_id, id, project_id, kind, status, trigger_type, trigger_id, title, progress, output, error,
    resource_type, resource_id, workflow_id, cancel_requested_at, created_at, started_at, finished_at)
  SELECT organization_id, id, project_id, 'import', status, 'api', created_by,
    'Import of ' || file_path || ' into ' || table_name, progress,
    CASE WHEN status = 'succeeded'
      THEN jsonb_build_object('tableId', table_id, 'rowsImported', rows_imported) END,
    error, 'table-import', id, 'table-import/' || id, cancel_requested_at, created_at, started_at, finished_at
  FROM table_imports;
-- A cancel is asked of the run.
ALTER TABLE table_imports DROP COLUMN cancel_requested_at;

-- Runs whose process should have heard by now that it is to end.
CREATE FUNCTION runs_to_cancel(older_than interval, at_most integer)
  RETURNS TABLE (organization_id text, id text)
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT r.organization_id, r.id FROM runs r
    WHERE r.cancel_requested_at < now() - older_than AND r.finished_at IS NULL
    ORDER BY random() LIMIT at_most
  $$;
CREATE INDEX runs_cancelling ON runs (cancel_requested_at) WHERE cancel_requested_at IS NOT NULL AND finished_at IS NULL;
REVOKE EXECUTE ON FUNCTION runs_to_cancel FROM PUBLIC;
GRANT EXECUTE ON FUNCTION runs_to_cancel TO workspace_service;

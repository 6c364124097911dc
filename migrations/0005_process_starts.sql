-- The outbox of durable processes: written with the row they serve, so that neither exists without the other.
CREATE TABLE process_starts (
  organization_id text NOT NULL REFERENCES organizations (id),
  workflow_id text NOT NULL,
  workflow_type text NOT NULL,
  task_queue text NOT NULL,
  -- The workflow's one argument, its search attributes and its memo.
  start jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  attempts integer NOT NULL DEFAULT 0,
  PRIMARY KEY (organization_id, workflow_id)
);
CREATE INDEX process_starts_pending ON process_starts (created_at) WHERE started_at IS NULL;
CALL isolate_organizations('process_starts');

-- The reconciler works for every organization; it learns where work waits, then acts inside each one.
CREATE FUNCTION pending_process_starts(older_than interval, at_most integer)
  RETURNS TABLE (organization_id text, workflow_id text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT p.organization_id, p.workflow_id FROM process_starts p
    WHERE p.started_at IS NULL AND p.created_at < now() - older_than
    ORDER BY p.created_at LIMIT at_most
  $$;

CREATE FUNCTION unsettled_tables(older_than interval, at_most integer)
  RETURNS TABLE (organization_id text, id text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT t.organization_id, t.id FROM tables t
    WHERE t.status IN ('creating', 'deleting') AND t.updated_at < now() - older_than
      AND NOT EXISTS (
        SELECT FROM table_imports i
        WHERE i.organization_id = t.organization_id AND i.table_id = t.id AND i.status IN ('queued', 'running'))
    ORDER BY t.updated_at LIMIT at_most
  $$;

CREATE FUNCTION active_table_imports(older_than interval, at_most integer)
  RETURNS TABLE (organization_id text, id text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT i.organization_id, i.id FROM table_imports i
    WHERE i.status IN ('queued', 'running') AND i.created_at < now() - older_than
    ORDER BY i.created_at LIMIT at_most
  $$;

-- Objects due for removal, oldest first.
CREATE FUNCTION due_object_deletions(at_most integer)
  RETURNS TABLE (organization_id text, object_key text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT d.organization_id, d.object_key FROM object_deletions d
    WHERE d.not_before < now() ORDER BY d.not_before LIMIT at_most
  $$;

-- Rows past their time; each statement removes at most a bounded number, so it never holds locks for long.
CREATE FUNCTION purge_expired(at_most integer) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
BEGIN
  DELETE FROM idempotency_keys WHERE ctid IN (
    SELECT ctid FROM idempotency_keys WHERE expires_at < now() LIMIT at_most);
  DELETE FROM access_tokens WHERE ctid IN (
    SELECT ctid FROM access_tokens WHERE expires_at < now() - interval '1 day' LIMIT at_most);
  DELETE FROM query_executions WHERE ctid IN (
    SELECT ctid FROM query_executions WHERE created_at < now() - interval '30 days' LIMIT at_most);
  DELETE FROM process_starts WHERE ctid IN (
    SELECT ctid FROM process_starts WHERE started_at < now() - interval '1 day' LIMIT at_most);
  WITH ended AS (
    DELETE FROM file_uploads WHERE ctid IN (
      SELECT ctid FROM file_uploads WHERE expires_at < now() - interval '1 day' LIMIT at_most)
    RETURNING organization_id, object_key)
  INSERT INTO object_deletions (organization_id, object_key, not_before)
    SELECT organization_id, object_key, now() FROM ended ON CONFLICT DO NOTHING;
END
$$;

REVOKE EXECUTE ON FUNCTION pending_process_starts, unsettled_tables, active_table_imports, due_object_deletions, purge_expired FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pending_process_starts, unsettled_tables, active_table_imports, due_object_deletions, purge_expired TO workspace_service;

-- In no order: a hundred items that cannot be helped do not keep the others waiting.
CREATE OR REPLACE FUNCTION pending_process_starts(older_than interval, at_most integer)
  RETURNS TABLE (organization_id text, workflow_id text)
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT p.organization_id, p.workflow_id FROM process_starts p
    WHERE p.started_at IS NULL AND p.created_at < now() - older_than
    ORDER BY random() LIMIT at_most
  $$;

-- Tables that a running import has reserved are its own to settle: the one it makes, and the one of its quarantine.
CREATE OR REPLACE FUNCTION unsettled_tables(older_than interval, at_most integer)
  RETURNS TABLE (organization_id text, id text)
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT t.organization_id, t.id FROM tables t
    WHERE t.status IN ('creating', 'deleting') AND t.updated_at < now() - older_than
      AND NOT EXISTS (
        SELECT FROM table_imports i
        WHERE i.organization_id = t.organization_id AND t.id IN (i.table_id, i.quarantine_table_id)
          AND i.status IN ('queued', 'running'))
    ORDER BY random() LIMIT at_most
  $$;

CREATE OR REPLACE FUNCTION active_table_imports(older_than interval, at_most integer)
  RETURNS TABLE (organization_id text, id text)
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT i.organization_id, i.id FROM table_imports i
    WHERE i.status IN ('queued', 'running') AND i.created_at < now() - older_than
    ORDER BY random() LIMIT at_most
  $$;

CREATE OR REPLACE FUNCTION due_object_deletions(at_most integer)
  RETURNS TABLE (organization_id text, object_key text)
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT d.organization_id, d.object_key FROM object_deletions d
    WHERE d.not_before < now() ORDER BY random() LIMIT at_most
  $$;

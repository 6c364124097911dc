-- A rename of a column changes the lake first and the registry then; what it is about stands here until both agree.
-- {operationId, from, to}
ALTER TABLE tables ADD COLUMN pending_rename jsonb;

DROP INDEX tables_unsettled;
CREATE INDEX tables_unsettled ON tables (updated_at)
  WHERE status IN ('creating', 'deleting') OR pending_rename IS NOT NULL;

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
    ORDER BY random() LIMIT at_most
  $$;

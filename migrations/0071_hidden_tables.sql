-- Work may be for several people and clients at once, such as who made a schedule and who wrote its playbook:
-- the current principal is then a list, with commas, and only what all of them may read is there.
CREATE FUNCTION is_granted(ids text[]) RETURNS boolean
  LANGUAGE sql STABLE
  RETURN current_principal() IS NULL OR (current_principal() <> 'nobody'
    AND (ids IS NULL OR string_to_array(current_principal(), ',') <@ ids));

-- Who may read a table that was deleted: what was read from it is kept longer than the table.
CREATE TABLE dropped_grants (
  organization_id text NOT NULL REFERENCES organizations (id),
  table_id text NOT NULL,
  readers text[] NOT NULL,
  dropped_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, table_id)
);
CALL isolate_organizations('dropped_grants');

CREATE FUNCTION keep_grants_of_dropped() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
BEGIN
  INSERT INTO dropped_grants (organization_id, table_id, readers)
  SELECT OLD.organization_id, OLD.id, found.readers FROM (
    SELECT OLD.readers
    UNION ALL
    SELECT t.readers FROM tables t WHERE t.organization_id = OLD.organization_id AND t.id = OLD.quarantine_of
    UNION ALL
    SELECT d.readers FROM dropped_grants d
    WHERE d.organization_id = OLD.organization_id AND d.table_id = OLD.quarantine_of) AS found
  WHERE found.readers IS NOT NULL LIMIT 1
  ON CONFLICT (organization_id, table_id) DO NOTHING;
  RETURN NULL;
END
$$;
CREATE TRIGGER keep_grants_of_dropped AFTER DELETE ON tables
  FOR EACH ROW EXECUTE FUNCTION keep_grants_of_dropped();

-- The tables of the organization, deleted ones too, that are hidden from whom the transaction works for. Policies
-- ask for it in a subselect of its own, so that it is evaluated once for a statement and not for each row.
CREATE FUNCTION hidden_table_ids() RETURNS text[]
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT coalesce(array_agg(hidden.id), '{}') FROM (
      SELECT t.id FROM tables t
      LEFT JOIN tables base ON base.organization_id = t.organization_id AND base.id = t.quarantine_of
      WHERE t.organization_id = current_organization()
        AND NOT (is_granted(t.readers) AND is_granted(base.readers))
      UNION ALL
      SELECT d.table_id FROM dropped_grants d
      WHERE d.organization_id = current_organization() AND NOT is_granted(d.readers)) AS hidden
  $$;
REVOKE EXECUTE ON FUNCTION hidden_table_ids FROM PUBLIC;
GRANT EXECUTE ON FUNCTION hidden_table_ids TO workspace_service;

ALTER POLICY granted_only ON tables USING (current_principal() IS NULL OR (is_granted(readers)
  AND (quarantine_of IS NULL OR quarantine_of <> ALL ((SELECT hidden_table_ids())::text[]))));
ALTER POLICY granted_only ON catalog_entries
  USING (current_principal() IS NULL OR table_id <> ALL ((SELECT hidden_table_ids())::text[]));
ALTER POLICY granted_only ON table_imports
  USING (current_principal() IS NULL OR table_id <> ALL ((SELECT hidden_table_ids())::text[]));
ALTER POLICY granted_only ON ingestion_batches
  USING (current_principal() IS NULL OR table_id <> ALL ((SELECT hidden_table_ids())::text[]));
ALTER POLICY granted_only ON data_syncs
  USING (current_principal() IS NULL OR table_id <> ALL ((SELECT hidden_table_ids())::text[]));
ALTER POLICY granted_only ON datasets
  USING (current_principal() IS NULL OR table_id IS NULL
    OR table_id <> ALL ((SELECT hidden_table_ids())::text[]));
ALTER POLICY granted_only ON snapshot_runs
  USING (current_principal() IS NULL OR table_id <> ALL ((SELECT hidden_table_ids())::text[]));
-- What a statement that failed would have read is not known, and its fault may quote values.
ALTER POLICY granted_only ON query_executions USING (current_principal() IS NULL
  OR (status = 'failed' AND caller_id = current_principal())
  OR (status <> 'failed' AND NOT EXISTS (SELECT FROM jsonb_array_elements(scanned) AS v
    WHERE v ->> 'tableId' = ANY ((SELECT hidden_table_ids())::text[]))));
ALTER POLICY granted_only ON tool_results USING (current_principal() IS NULL
  OR NOT EXISTS (SELECT FROM jsonb_array_elements(scanned) AS v
    WHERE v ->> 'tableId' = ANY ((SELECT hidden_table_ids())::text[])));
ALTER POLICY granted_only ON charts USING (current_principal() IS NULL
  OR NOT EXISTS (SELECT FROM jsonb_array_elements(data_versions) AS v
    WHERE v ->> 'tableId' = ANY ((SELECT hidden_table_ids())::text[])));

CREATE OR REPLACE FUNCTION run_is_hidden(wanted_id text) RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT current_principal() IS NOT NULL AND EXISTS (
      SELECT FROM (
        SELECT i.table_id FROM table_imports i WHERE i.organization_id = current_organization() AND i.id = wanted_id
        UNION ALL
        SELECT s.table_id FROM snapshot_runs s WHERE s.organization_id = current_organization() AND s.id = wanted_id
      ) AS written WHERE written.table_id = ANY (hidden_table_ids()))
  $$;
-- Of runs, only imports and snapshots write a table.
ALTER POLICY granted_only ON runs USING (current_principal() IS NULL
  OR kind NOT IN ('import', 'snapshot') OR NOT run_is_hidden(resource_id));
-- allowed: no release has it
DROP FUNCTION any_table_is_hidden;
-- allowed: no release has it
DROP FUNCTION table_is_hidden;

-- Whom else a run of the analyst works for, besides who started it, and who last wrote a schedule.
ALTER TABLE agent_runs ADD COLUMN also_for text[] NOT NULL DEFAULT '{}';
ALTER TABLE schedules ADD COLUMN updated_by text;

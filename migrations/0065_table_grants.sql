-- Who may read and write a table: ids of users and clients, or null for everybody. Administrators always may.
ALTER TABLE tables ADD COLUMN readers text[];
ALTER TABLE tables ADD COLUMN writers text[];

-- Whom a transaction acts for, if not for the service itself or an administrator: an id, or 'nobody', to
-- whom no table exists.
CREATE FUNCTION current_principal() RETURNS text
  LANGUAGE sql STABLE
  RETURN nullif(current_setting('app.principal_id', true), '');

-- Whether the one whom the transaction acts for may not read a table. A table that is gone hides nothing.
CREATE FUNCTION table_is_hidden(wanted_id text) RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT current_principal() IS NOT NULL AND EXISTS (
      SELECT FROM tables t
      WHERE t.organization_id = current_organization()
        AND t.id IN (wanted_id, (
          SELECT q.quarantine_of FROM tables q
          WHERE q.organization_id = current_organization() AND q.id = wanted_id))
        AND (current_principal() = 'nobody'
          OR (t.readers IS NOT NULL AND NOT current_principal() = ANY (t.readers))))
  $$;

-- The same for any of the tables of a list `[{"tableId": …}]`.
CREATE FUNCTION any_table_is_hidden(versions jsonb) RETURNS boolean
  LANGUAGE sql STABLE
  AS $$
    SELECT current_principal() IS NOT NULL AND EXISTS (
      SELECT FROM jsonb_array_elements(versions) AS v WHERE table_is_hidden(v ->> 'tableId'))
  $$;

-- The same for the table that an import or a snapshot writes.
CREATE FUNCTION run_is_hidden(wanted_id text) RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT current_principal() IS NOT NULL AND EXISTS (
      SELECT FROM (
        SELECT i.table_id FROM table_imports i WHERE i.organization_id = current_organization() AND i.id = wanted_id
        UNION ALL
        SELECT s.table_id FROM snapshot_runs s WHERE s.organization_id = current_organization() AND s.id = wanted_id
      ) AS written WHERE table_is_hidden(written.table_id))
  $$;

REVOKE EXECUTE ON FUNCTION table_is_hidden, run_is_hidden FROM PUBLIC;
GRANT EXECUTE ON FUNCTION table_is_hidden, run_is_hidden TO workspace_service;

CREATE POLICY granted_only ON tables AS RESTRICTIVE TO workspace_service
  USING (current_principal() IS NULL OR
    (current_principal() <> 'nobody' AND (readers IS NULL OR current_principal() = ANY (readers))
      AND (quarantine_of IS NULL OR NOT table_is_hidden(quarantine_of))))
  WITH CHECK (true);

-- What is kept about a table, or of its rows, is hidden with it.
CREATE POLICY granted_only ON catalog_entries AS RESTRICTIVE TO workspace_service
  USING (current_principal() IS NULL OR NOT table_is_hidden(table_id)) WITH CHECK (true);
CREATE POLICY granted_only ON table_imports AS RESTRICTIVE TO workspace_service
  USING (current_principal() IS NULL OR NOT table_is_hidden(table_id)) WITH CHECK (true);
CREATE POLICY granted_only ON ingestion_batches AS RESTRICTIVE TO workspace_service
  USING (current_principal() IS NULL OR NOT table_is_hidden(table_id)) WITH CHECK (true);
CREATE POLICY granted_only ON data_syncs AS RESTRICTIVE TO workspace_service
  USING (current_principal() IS NULL OR NOT table_is_hidden(table_id)) WITH CHECK (true);
CREATE POLICY granted_only ON datasets AS RESTRICTIVE TO workspace_service
  USING (current_principal() IS NULL OR table_id IS NULL OR NOT table_is_hidden(table_id)) WITH CHECK (true);
CREATE POLICY granted_only ON snapshot_runs AS RESTRICTIVE TO workspace_service
  USING (current_principal() IS NULL OR NOT table_is_hidden(table_id)) WITH CHECK (true);
CREATE POLICY granted_only ON query_executions AS RESTRICTIVE TO workspace_service
  USING (current_principal() IS NULL OR NOT any_table_is_hidden(scanned)) WITH CHECK (true);
CREATE POLICY granted_only ON tool_results AS RESTRICTIVE TO workspace_service
  USING (current_principal() IS NULL OR NOT any_table_is_hidden(scanned)) WITH CHECK (true);
CREATE POLICY granted_only ON charts AS RESTRICTIVE TO workspace_service
  USING (current_principal() IS NULL OR NOT any_table_is_hidden(data_versions)) WITH CHECK (true);
CREATE POLICY granted_only ON runs AS RESTRICTIVE TO workspace_service
  USING (current_principal() IS NULL OR NOT run_is_hidden(resource_id)) WITH CHECK (true);

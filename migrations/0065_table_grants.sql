-- Who may read and write a table: ids of users and clients, or null for everybody. Administrators always may.
ALTER TABLE tables ADD COLUMN readers text[];
ALTER TABLE tables ADD COLUMN writers text[];

-- Whom a transaction acts for, if not for the service itself or an administrator: an id, or 'nobody', to
-- whom no table exists.
CREATE FUNCTION current_principal() RETURNS text
  LANGUAGE sql STABLE
  RETURN nullif(current_setting('app.principal_id', true), '');

-- Work may be for several people and clients at once, such as who made a schedule and who wrote its playbook:
-- the current principal is then a list, with commas, and only what all of them may read is there.
CREATE FUNCTION is_granted(ids text[]) RETURNS boolean
  LANGUAGE sql STABLE
  RETURN current_principal() IS NULL OR (current_principal() <> 'nobody'
    AND (ids IS NULL OR string_to_array(current_principal(), ',') <@ ids));

-- A quarantine table has the grants of its table, always: whatever asks for grants may ask either row.
CREATE FUNCTION grants_of_quarantined() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
DECLARE base record;
BEGIN
  IF NEW.quarantine_of IS NULL THEN RETURN NEW; END IF;
  -- Locked, so that grants which are replaced meanwhile are not missed.
  SELECT t.readers, t.writers INTO base FROM tables t
  WHERE t.organization_id = NEW.organization_id AND t.id = NEW.quarantine_of FOR SHARE;
  IF FOUND THEN
    NEW.readers := base.readers;
    NEW.writers := base.writers;
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER grants_of_quarantined BEFORE INSERT OR UPDATE OF quarantine_of, readers, writers ON tables
  FOR EACH ROW EXECUTE FUNCTION grants_of_quarantined();

CREATE FUNCTION pass_grants_to_quarantine() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
BEGIN
  UPDATE tables SET readers = NEW.readers, writers = NEW.writers
  WHERE organization_id = NEW.organization_id AND quarantine_of = NEW.id;
  RETURN NULL;
END
$$;
CREATE TRIGGER pass_grants_to_quarantine AFTER UPDATE OF readers, writers ON tables
  FOR EACH ROW WHEN (OLD.readers IS DISTINCT FROM NEW.readers OR OLD.writers IS DISTINCT FROM NEW.writers)
  EXECUTE FUNCTION pass_grants_to_quarantine();

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
  INSERT INTO dropped_grants (organization_id, table_id, readers) VALUES (OLD.organization_id, OLD.id, OLD.readers)
  ON CONFLICT (organization_id, table_id) DO NOTHING;
  RETURN NULL;
END
$$;
CREATE TRIGGER keep_grants_of_dropped AFTER DELETE ON tables
  FOR EACH ROW WHEN (OLD.readers IS NOT NULL) EXECUTE FUNCTION keep_grants_of_dropped();

-- The tables of the organization, deleted ones too, that are hidden from whom the transaction works for. Policies
-- ask for it in a subselect of its own, so that it is evaluated once for a statement and not for each row.
CREATE FUNCTION hidden_table_ids() RETURNS text[]
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT coalesce(array_agg(hidden.id), '{}') FROM (
      SELECT t.id FROM tables t
      WHERE t.organization_id = current_organization() AND NOT is_granted(t.readers)
      UNION ALL
      SELECT d.table_id FROM dropped_grants d
      WHERE d.organization_id = current_organization() AND NOT is_granted(d.readers)) AS hidden
  $$;
REVOKE EXECUTE ON FUNCTION hidden_table_ids FROM PUBLIC;
GRANT EXECUTE ON FUNCTION hidden_table_ids TO workspace_service;

-- What is kept about a table, or of its rows, is hidden with it.
CREATE POLICY granted_only ON tables AS RESTRICTIVE TO workspace_service
  USING (is_granted(readers)) WITH CHECK (true);
CREATE POLICY granted_only ON catalog_entries AS RESTRICTIVE TO workspace_service
  USING (current_principal() IS NULL OR table_id <> ALL ((SELECT hidden_table_ids())::text[]))
  WITH CHECK (true);
CREATE POLICY granted_only ON table_imports AS RESTRICTIVE TO workspace_service
  USING (current_principal() IS NULL OR table_id <> ALL ((SELECT hidden_table_ids())::text[]))
  WITH CHECK (true);
CREATE POLICY granted_only ON ingestion_batches AS RESTRICTIVE TO workspace_service
  USING (current_principal() IS NULL OR table_id <> ALL ((SELECT hidden_table_ids())::text[]))
  WITH CHECK (true);
CREATE POLICY granted_only ON data_syncs AS RESTRICTIVE TO workspace_service
  USING (current_principal() IS NULL OR table_id <> ALL ((SELECT hidden_table_ids())::text[]))
  WITH CHECK (true);
CREATE POLICY granted_only ON datasets AS RESTRICTIVE TO workspace_service
  USING (current_principal() IS NULL OR table_id IS NULL
    OR table_id <> ALL ((SELECT hidden_table_ids())::text[]))
  WITH CHECK (true);
CREATE POLICY granted_only ON snapshot_runs AS RESTRICTIVE TO workspace_service
  USING (current_principal() IS NULL OR table_id <> ALL ((SELECT hidden_table_ids())::text[]))
  WITH CHECK (true);
-- What a statement that failed would have read is not known, and its fault may quote values.
CREATE POLICY granted_only ON query_executions AS RESTRICTIVE TO workspace_service
  USING (current_principal() IS NULL
    OR (status = 'failed' AND caller_id = current_principal())
    OR (status <> 'failed' AND NOT EXISTS (SELECT FROM jsonb_array_elements(scanned) AS v
      WHERE v ->> 'tableId' = ANY ((SELECT hidden_table_ids())::text[]))))
  WITH CHECK (true);
CREATE POLICY granted_only ON tool_results AS RESTRICTIVE TO workspace_service
  USING (current_principal() IS NULL
    OR NOT EXISTS (SELECT FROM jsonb_array_elements(scanned) AS v
      WHERE v ->> 'tableId' = ANY ((SELECT hidden_table_ids())::text[])))
  WITH CHECK (true);
CREATE POLICY granted_only ON charts AS RESTRICTIVE TO workspace_service
  USING (current_principal() IS NULL
    OR NOT EXISTS (SELECT FROM jsonb_array_elements(data_versions) AS v
      WHERE v ->> 'tableId' = ANY ((SELECT hidden_table_ids())::text[])))
  WITH CHECK (true);

-- Whether an import or a snapshot writes a hidden table.
CREATE FUNCTION run_is_hidden(wanted_id text) RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT current_principal() IS NOT NULL AND EXISTS (
      SELECT FROM (
        SELECT i.table_id FROM table_imports i WHERE i.organization_id = current_organization() AND i.id = wanted_id
        UNION ALL
        SELECT s.table_id FROM snapshot_runs s WHERE s.organization_id = current_organization() AND s.id = wanted_id
      ) AS written WHERE written.table_id = ANY (hidden_table_ids()))
  $$;
REVOKE EXECUTE ON FUNCTION run_is_hidden FROM PUBLIC;
GRANT EXECUTE ON FUNCTION run_is_hidden TO workspace_service;
-- Of runs, only imports and snapshots write a table.
CREATE POLICY granted_only ON runs AS RESTRICTIVE TO workspace_service
  USING (current_principal() IS NULL
    OR kind NOT IN ('import', 'snapshot') OR NOT run_is_hidden(resource_id))
  WITH CHECK (true);

-- Whom else a run of the analyst works for, besides who started it, and who last wrote a schedule.
ALTER TABLE agent_runs ADD COLUMN also_for text[] NOT NULL DEFAULT '{}';
ALTER TABLE schedules ADD COLUMN updated_by text;

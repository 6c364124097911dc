-- A view is a row among the tables, so that one name means one of them, whatever it is.
ALTER TABLE tables DROP CONSTRAINT tables_kind_check;
ALTER TABLE tables ADD CONSTRAINT tables_kind_check
  CHECK (kind IN ('data', 'calc', 'import', 'snapshot', 'system', 'view')) NOT VALID;

-- The SELECT of a view or calculated table.
CREATE TABLE definitions (
  organization_id text NOT NULL,
  id text NOT NULL,
  query text NOT NULL,
  -- Whose rights it reads with: a user or API client.
  defined_by text NOT NULL,
  revision integer NOT NULL DEFAULT 1,
  -- Of a calculated table: how often it is built by itself.
  refresh_mode text NOT NULL DEFAULT 'manual' CHECK (refresh_mode IN ('manual', 'on_change')),
  min_interval_seconds integer NOT NULL DEFAULT 60,
  -- What the engine says about the query, and the columns of what it reads for which it said so. A cache: it is
  -- made anew when those columns differ.
  analysis jsonb,
  -- What the content was built from: {runId, operationId, version, revision, read, definitions, sources, mode, …}.
  built jsonb,
  -- The last build's failure, {code, message, at, runId}, until one succeeds.
  failure jsonb,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, id) REFERENCES tables (organization_id, id) ON DELETE CASCADE
);
CALL isolate_organizations('definitions');

-- What each definition names. A table or view that is named cannot be deleted.
CREATE TABLE definition_reads (
  organization_id text NOT NULL,
  definition_id text NOT NULL,
  relation_id text NOT NULL,
  PRIMARY KEY (organization_id, definition_id, relation_id),
  FOREIGN KEY (organization_id, definition_id) REFERENCES definitions (organization_id, id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, relation_id) REFERENCES tables (organization_id, id)
);
CREATE INDEX definition_reads_relation ON definition_reads (organization_id, relation_id);
CALL isolate_organizations('definition_reads');

-- Columns that were renamed and have not been followed yet in a definition that reads them.
CREATE TABLE pending_renames (
  organization_id text NOT NULL,
  position bigint GENERATED ALWAYS AS IDENTITY,
  definition_id text NOT NULL,
  relation_id text NOT NULL,
  from_name text NOT NULL,
  to_name text NOT NULL,
  PRIMARY KEY (organization_id, position),
  FOREIGN KEY (organization_id, definition_id) REFERENCES definitions (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX pending_renames_definition ON pending_renames (organization_id, definition_id);
CALL isolate_organizations('pending_renames');

-- Building one calculated table, or bringing a graph of them up to date. Its run has the same id.
CREATE TABLE materializations (
  organization_id text NOT NULL,
  id text NOT NULL,
  table_id text NOT NULL,
  mode text NOT NULL CHECK (mode IN ('materialize', 'sync')),
  downstream boolean NOT NULL DEFAULT false,
  -- The snapshot of the lake at which all sources are read; null until its turn has come.
  snapshot_id bigint,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, table_id) REFERENCES tables (organization_id, id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, id) REFERENCES runs (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX materializations_active ON materializations (created_at) WHERE finished_at IS NULL;
CREATE INDEX materializations_table ON materializations (organization_id, table_id, created_at DESC);
CALL isolate_organizations('materializations');

-- The calculated tables that a materialization builds, each once.
CREATE TABLE builds (
  organization_id text NOT NULL,
  run_id text NOT NULL,
  table_id text NOT NULL,
  status text NOT NULL CHECK (status IN ('waiting', 'running', 'succeeded', 'failed', 'cancelled', 'skipped')),
  -- Those of the same run that are built before it.
  after text[] NOT NULL DEFAULT '{}',
  built jsonb,
  error jsonb,
  started_at timestamptz,
  finished_at timestamptz,
  PRIMARY KEY (organization_id, run_id, table_id),
  FOREIGN KEY (organization_id, run_id) REFERENCES materializations (organization_id, id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, table_id) REFERENCES tables (organization_id, id) ON DELETE CASCADE
);
-- A table is built by one run at a time, so that runs over the same tables take turns.
CREATE UNIQUE INDEX builds_active ON builds (organization_id, table_id) WHERE finished_at IS NULL;
CALL isolate_organizations('builds');

-- All of it is hidden with its table.
CREATE POLICY granted_only ON definitions AS RESTRICTIVE TO workspace_service
  USING (current_principal() IS NULL OR id <> ALL ((SELECT hidden_table_ids())::text[]))
  WITH CHECK (true);
CREATE POLICY granted_only ON materializations AS RESTRICTIVE TO workspace_service
  USING (current_principal() IS NULL OR table_id <> ALL ((SELECT hidden_table_ids())::text[]))
  WITH CHECK (true);
CREATE POLICY granted_only ON builds AS RESTRICTIVE TO workspace_service
  USING (current_principal() IS NULL OR table_id <> ALL ((SELECT hidden_table_ids())::text[]))
  WITH CHECK (true);
-- A run about a table has the table as its resource.
CREATE POLICY granted_table ON runs AS RESTRICTIVE TO workspace_service
  USING (current_principal() IS NULL OR resource_type <> 'table'
    OR resource_id <> ALL ((SELECT hidden_table_ids())::text[]))
  WITH CHECK (true);

-- Materializations that have not ended, for the reconciler.
CREATE FUNCTION active_materializations(older_than interval, at_most integer)
  RETURNS TABLE (organization_id text, id text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT m.organization_id, m.id FROM materializations m
    WHERE m.finished_at IS NULL AND m.created_at < now() - older_than
    ORDER BY m.created_at LIMIT at_most
  $$;
REVOKE EXECUTE ON FUNCTION active_materializations FROM PUBLIC;
GRANT EXECUTE ON FUNCTION active_materializations TO workspace_service;

-- Organizations with calculated tables that are built when what they read changes.
CREATE FUNCTION on_change_organizations(at_most integer) RETURNS SETOF text
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT organization_id FROM (
      SELECT DISTINCT organization_id FROM definitions
      WHERE refresh_mode = 'on_change' AND built IS NOT NULL) o
    ORDER BY random() LIMIT at_most
  $$;
REVOKE EXECUTE ON FUNCTION on_change_organizations FROM PUBLIC;
GRANT EXECUTE ON FUNCTION on_change_organizations TO workspace_service;
CREATE INDEX definitions_on_change ON definitions (organization_id) WHERE refresh_mode = 'on_change';

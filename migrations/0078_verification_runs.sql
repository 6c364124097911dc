-- A run of tests. Its run has the same id.
CREATE TABLE verifications (
  organization_id text NOT NULL,
  id text NOT NULL,
  -- Of these definitions only; null for all that apply.
  definition_ids text[],
  -- The import, snapshot, build or batch whose new content it tried, before anybody saw it.
  gate_of text,
  outcome text CHECK (outcome IN ('passed', 'warned', 'failed')),
  -- The snapshot at which tables are read that no version was asked of; null until its turn has come.
  snapshot_id bigint,
  created_at timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, id) REFERENCES runs (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX verifications_active ON verifications (created_at) WHERE finished_at IS NULL;
CALL isolate_organizations('verifications');

-- The tables of a run, each at one version. One that was refused at its first import is there no more.
CREATE TABLE verified_tables (
  organization_id text NOT NULL,
  run_id text NOT NULL,
  table_id text NOT NULL,
  position integer NOT NULL,
  -- Asked for, or found when its turn came.
  version bigint,
  snapshot_id bigint,
  outcome text CHECK (outcome IN ('passed', 'warned', 'failed')),
  finished_at timestamptz,
  PRIMARY KEY (organization_id, run_id, table_id),
  FOREIGN KEY (organization_id, run_id) REFERENCES verifications (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX verified_tables_table ON verified_tables (organization_id, table_id, finished_at DESC);
CALL isolate_organizations('verified_tables');

CREATE TABLE verification_results (
  organization_id text NOT NULL,
  run_id text NOT NULL,
  table_id text NOT NULL,
  position integer NOT NULL,
  definition_id text NOT NULL,
  name text NOT NULL,
  severity text NOT NULL CHECK (severity IN ('error', 'warn')),
  status text NOT NULL CHECK (status IN ('passed', 'failed', 'warned', 'error')),
  failing_rows bigint,
  -- JSON text: [{column: value}]
  sample text NOT NULL DEFAULT '[]',
  failures_table_id text,
  message text,
  elapsed_ms double precision NOT NULL,
  PRIMARY KEY (organization_id, run_id, table_id, position),
  FOREIGN KEY (organization_id, run_id, table_id)
    REFERENCES verified_tables (organization_id, run_id, table_id) ON DELETE CASCADE
);
CREATE INDEX verification_results_failures ON verification_results (organization_id, failures_table_id)
  WHERE failures_table_id IS NOT NULL;
CREATE INDEX verification_results_definition ON verification_results (organization_id, table_id, definition_id, run_id DESC);
CALL isolate_organizations('verification_results');

-- All of it is hidden with the tested table.
CREATE POLICY granted_only ON verified_tables AS RESTRICTIVE TO workspace_service
  USING (current_principal() IS NULL OR table_id <> ALL ((SELECT hidden_table_ids())::text[]))
  WITH CHECK (true);
CREATE POLICY granted_only ON verification_results AS RESTRICTIVE TO workspace_service
  USING (current_principal() IS NULL OR table_id <> ALL ((SELECT hidden_table_ids())::text[]))
  WITH CHECK (true);

-- Up to where the versions of an organization's tables have been tested, or need not be.
CREATE TABLE verification_cursors (
  organization_id text PRIMARY KEY REFERENCES organizations (id),
  version bigint NOT NULL
);
CALL isolate_organizations('verification_cursors');

CREATE FUNCTION active_verifications(older_than interval, at_most integer)
  RETURNS TABLE (organization_id text, id text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT v.organization_id, v.id FROM verifications v
    WHERE v.finished_at IS NULL AND v.created_at < now() - older_than
    ORDER BY v.created_at LIMIT at_most
  $$;
REVOKE EXECUTE ON FUNCTION active_verifications FROM PUBLIC;
GRANT EXECUTE ON FUNCTION active_verifications TO workspace_service;

-- Organizations that have tests.
CREATE FUNCTION verification_organizations(at_most integer) RETURNS SETOF text
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT organization_id FROM (SELECT DISTINCT organization_id FROM verification_definitions) o
    ORDER BY random() LIMIT at_most
  $$;
REVOKE EXECUTE ON FUNCTION verification_organizations FROM PUBLIC;
GRANT EXECUTE ON FUNCTION verification_organizations TO workspace_service;

-- A table of failing rows belongs to the table that they are of: whoever may read that one may read it.
ALTER TABLE tables ADD COLUMN failures_of text;
CREATE OR REPLACE FUNCTION grants_of_quarantined() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
DECLARE base record;
BEGIN
  IF NEW.quarantine_of IS NULL AND NEW.failures_of IS NULL THEN RETURN NEW; END IF;
  -- Locked, so that grants which are replaced meanwhile are not missed.
  SELECT t.readers, t.writers INTO base FROM tables t
  WHERE t.organization_id = NEW.organization_id AND t.id = coalesce(NEW.quarantine_of, NEW.failures_of) FOR SHARE;
  IF FOUND THEN
    NEW.readers := base.readers;
    NEW.writers := base.writers;
  END IF;
  RETURN NEW;
END
$$;
DROP TRIGGER grants_of_quarantined ON tables;
CREATE TRIGGER grants_of_quarantined BEFORE INSERT OR UPDATE OF quarantine_of, failures_of, readers, writers ON tables
  FOR EACH ROW EXECUTE FUNCTION grants_of_quarantined();

CREATE OR REPLACE FUNCTION pass_grants_to_quarantine() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
BEGIN
  UPDATE tables SET readers = NEW.readers, writers = NEW.writers
  WHERE organization_id = NEW.organization_id AND (quarantine_of = NEW.id OR failures_of = NEW.id);
  RETURN NULL;
END
$$;

-- Tables of failing rows that are kept no longer: for 30 days, of one test of one table the newest twenty, and of an
-- organization the newest five hundred, because every statement of it may name each of them.
CREATE FUNCTION expired_failures(at_most integer) RETURNS TABLE (organization_id text, id text)
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT f.organization_id, f.id FROM (
      SELECT t.organization_id, t.id, t.created_at,
             row_number() OVER (PARTITION BY r.organization_id, r.table_id, r.definition_id ORDER BY t.created_at DESC) AS place,
             row_number() OVER (PARTITION BY t.organization_id ORDER BY t.created_at DESC) AS place_of_all
      FROM tables t LEFT JOIN verification_results r
        ON r.organization_id = t.organization_id AND r.failures_table_id = t.id
      WHERE t.failures_of IS NOT NULL AND t.status = 'ready') f
    WHERE f.created_at < now() - interval '30 days'
      OR ((f.place > 20 OR f.place_of_all > 500) AND f.created_at < now() - interval '1 minute')
    -- Those that a view keeps would otherwise stand before all others.
    ORDER BY random() LIMIT at_most
  $$;
REVOKE EXECUTE ON FUNCTION expired_failures FROM PUBLIC;
GRANT EXECUTE ON FUNCTION expired_failures TO workspace_service;

-- What the columns of a table held at one version. A profile shows values of its table, and is replaced by the next.
CREATE TABLE table_profiles (
  organization_id text NOT NULL,
  table_id text NOT NULL,
  version bigint NOT NULL,
  computed_at timestamptz NOT NULL,
  row_count bigint NOT NULL,
  -- Counts are those of a sample, multiplied.
  sampled boolean NOT NULL,
  -- [{name, dataType, nulls, distinctApprox, min, max, mean, top, histogram}]
  columns jsonb NOT NULL,
  -- The run that computed it, which is kept for a time of its own.
  run_id text NOT NULL,
  PRIMARY KEY (organization_id, table_id),
  FOREIGN KEY (organization_id, table_id) REFERENCES tables (organization_id, id) ON DELETE CASCADE
);
CALL isolate_organizations('table_profiles');
CREATE POLICY granted_only ON table_profiles AS RESTRICTIVE TO workspace_service
  USING (current_principal() IS NULL OR table_id <> ALL ((SELECT hidden_table_ids())::text[]))
  WITH CHECK (true);

ALTER TABLE runs
  DROP CONSTRAINT runs_kind_check,
  ADD CONSTRAINT runs_kind_check CHECK (kind IN
    ('import', 'report', 'playbook', 'materialize', 'snapshot', 'profile', 'verification', 'workflow')) NOT VALID;

-- Runs whose process should be there. A run of a profile has its table as its resource, and is hidden with it.
CREATE FUNCTION active_profile_runs(older_than interval, at_most integer)
  RETURNS TABLE (organization_id text, id text)
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT r.organization_id, r.id FROM runs r
    WHERE r.kind = 'profile' AND r.finished_at IS NULL AND r.created_at < now() - older_than
    ORDER BY random() LIMIT at_most
  $$;
REVOKE EXECUTE ON FUNCTION active_profile_runs FROM PUBLIC;
GRANT EXECUTE ON FUNCTION active_profile_runs TO workspace_service;

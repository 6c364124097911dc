-- Who may read an organization's lake from outside. The role in this database and the user of the object store have
-- the same id. What they hold secret is stored nowhere.
CREATE TABLE lake_credentials (
  organization_id text NOT NULL REFERENCES organizations (id),
  id text NOT NULL,
  name text NOT NULL,
  access_key_id text,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  -- Null until role and key are there.
  ready_at timestamptz,
  revoked_at timestamptz,
  -- Null until role and key are gone.
  removed_at timestamptz,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX lake_credentials_kept ON lake_credentials (created_at) WHERE removed_at IS NULL;
CREATE INDEX lake_credentials_removed ON lake_credentials (removed_at) WHERE removed_at IS NOT NULL;
CALL isolate_organizations('lake_credentials');

-- Those that are revoked, have expired, or whose making was lost, and are not removed.
CREATE FUNCTION ended_lake_credentials(lost_after interval, at_most integer)
  RETURNS TABLE (organization_id text, id text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT c.organization_id, c.id FROM lake_credentials c
    WHERE c.removed_at IS NULL AND (c.revoked_at IS NOT NULL OR c.expires_at <= now()
      OR c.ready_at IS NULL AND c.created_at < now() - lost_after)
      -- One that cannot be ended now does not keep the others waiting.
      AND NOT EXISTS (SELECT FROM reconcile_tries t WHERE t.step = 'lake credentials'
        AND t.item = c.organization_id || ' ' || c.id AND t.next_try_at > now())
    ORDER BY c.created_at LIMIT at_most
  $$;

CREATE FUNCTION purge_lake_credentials(kept_for interval, at_most integer) RETURNS void
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    DELETE FROM lake_credentials c USING (
      SELECT organization_id, id FROM lake_credentials WHERE removed_at < now() - kept_for
      ORDER BY removed_at LIMIT at_most) d
    WHERE c.organization_id = d.organization_id AND c.id = d.id
  $$;
REVOKE EXECUTE ON FUNCTION ended_lake_credentials, purge_lake_credentials FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ended_lake_credentials, purge_lake_credentials TO workspace_service;

-- Functions of triggers, which are called by nobody else.
REVOKE EXECUTE ON FUNCTION keep_grants_of_dropped, pass_grants_to_quarantine, grants_of_quarantined FROM PUBLIC;

-- Nobody but the service names anything here: even a statement that is refused would lock the table first.
REVOKE USAGE ON SCHEMA public FROM PUBLIC;

-- Whoever reads a lake here may not fill the disk, hold locks that the service waits for, or end sessions. An owner
-- that may not change these takes them from nobody.
DO $$
DECLARE
  owner name := current_user;
  routine regprocedure;
BEGIN
  EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO workspace_service', current_database());
  EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
  EXECUTE format('GRANT USAGE ON LANGUAGE plpgsql TO workspace_service, %I', owner);
  REVOKE USAGE ON LANGUAGE plpgsql FROM PUBLIC;
  FOR routine IN
    SELECT p.oid FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname = 'pg_catalog'
      AND (p.proname ~ '^pg_(try_)?advisory_' OR p.proname IN ('lo_creat', 'lo_create', 'lo_from_bytea',
        'pg_logical_emit_message', 'pg_export_snapshot', 'pg_terminate_backend', 'pg_cancel_backend'))
  LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO workspace_service, %I', routine, owner);
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', routine);
  END LOOP;
EXCEPTION WHEN insufficient_privilege THEN
  RAISE WARNING 'Roles that read a lake could not be limited further: %', SQLERRM;
END
$$;

-- Users of the object store that read one table's files for an hour, for engines. Their secrets are stored nowhere.
CREATE TABLE iceberg_keys (
  organization_id text NOT NULL REFERENCES organizations (id),
  id text NOT NULL,
  table_id text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX iceberg_keys_expiring ON iceberg_keys (expires_at);
CALL isolate_organizations('iceberg_keys');

CREATE FUNCTION expired_iceberg_keys(at_most integer) RETURNS TABLE (organization_id text, id text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT k.organization_id, k.id FROM iceberg_keys k
    WHERE k.expires_at <= now()
      -- One that cannot be ended now does not keep the others waiting.
      AND NOT EXISTS (SELECT FROM reconcile_tries t WHERE t.step = 'iceberg keys'
        AND t.item = k.organization_id || ' ' || k.id AND t.next_try_at > now())
    ORDER BY k.expires_at LIMIT at_most
  $$;
REVOKE EXECUTE ON FUNCTION expired_iceberg_keys FROM PUBLIC;
GRANT EXECUTE ON FUNCTION expired_iceberg_keys TO workspace_service;

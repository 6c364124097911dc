-- When somebody last asked for a delivery to be attempted anew, by hand: it has a process of its own then.
ALTER TABLE deliveries ADD COLUMN retried_at timestamptz;
CREATE INDEX deliveries_retried ON deliveries (retried_at) WHERE retried_at IS NOT NULL AND status IN ('pending', 'sending');

CREATE FUNCTION retried_deliveries(older_than interval, at_most integer)
  RETURNS TABLE (organization_id text, id text)
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT d.organization_id, d.id FROM deliveries d
    WHERE d.retried_at < now() - older_than AND d.status IN ('pending', 'sending') ORDER BY random() LIMIT at_most
  $$;
REVOKE EXECUTE ON FUNCTION retried_deliveries FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retried_deliveries TO workspace_service;

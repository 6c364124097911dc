-- API clients that have expired, and whose schedules or workflows would still start.

CREATE FUNCTION expired_makers(older_than interval, at_most integer)
  RETURNS TABLE (organization_id text, id text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT c.organization_id, c.id FROM api_clients c
    WHERE c.expires_at < now() - older_than AND c.revoked_at IS NULL
      AND (EXISTS (
          SELECT FROM workflows w
          WHERE w.organization_id = c.organization_id AND w.owner_id = c.id AND w.status = 'active')
        OR EXISTS (
          SELECT FROM schedules s
          WHERE s.organization_id = c.organization_id AND s.created_by = c.id AND s.kind = 'playbook'
            AND s.status = 'active'))
    LIMIT at_most
  $$;
REVOKE EXECUTE ON FUNCTION expired_makers FROM PUBLIC;
GRANT EXECUTE ON FUNCTION expired_makers TO workspace_service;

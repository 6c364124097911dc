-- An operator suspends an organization: its tokens are refused, and none of its processes begins.
ALTER TABLE organizations ADD COLUMN suspended_at timestamptz;

-- Asked with a token, before the organization of a transaction is set.
CREATE FUNCTION is_suspended(wanted_organization text) RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT EXISTS (SELECT FROM organizations o WHERE o.id = wanted_organization AND o.suspended_at IS NOT NULL)
  $$;
REVOKE EXECUTE ON FUNCTION is_suspended FROM PUBLIC;
GRANT EXECUTE ON FUNCTION is_suspended TO workspace_service;

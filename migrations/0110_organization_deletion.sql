-- An operator has an organization deleted: at its time, a process removes all it has, and the row at the end.
ALTER TABLE organizations
  ADD COLUMN deletion_due_at timestamptz,
  ADD COLUMN deletion_begun_at timestamptz,
  -- Nothing may be under way in it by then.
  ADD CONSTRAINT organizations_deleted_suspended CHECK (deletion_due_at IS NULL OR suspended_at IS NOT NULL) NOT VALID,
  ADD CONSTRAINT organizations_begun_due CHECK (deletion_begun_at IS NULL OR deletion_due_at IS NOT NULL) NOT VALID;

-- Asked where processes begin and lakes are made, for any organization.
CREATE FUNCTION is_being_deleted(wanted_organization text) RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT EXISTS (SELECT FROM organizations o WHERE o.id = wanted_organization AND o.deletion_begun_at IS NOT NULL)
  $$;

-- Those whose process has to run; in any order, so that none is always behind the others.
CREATE FUNCTION organizations_to_delete(at_most integer) RETURNS TABLE (organization_id text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT o.id FROM organizations o WHERE o.deletion_due_at IS NOT NULL ORDER BY random() LIMIT at_most
  $$;
REVOKE EXECUTE ON FUNCTION is_being_deleted, organizations_to_delete FROM PUBLIC;
GRANT EXECUTE ON FUNCTION is_being_deleted, organizations_to_delete TO workspace_service;

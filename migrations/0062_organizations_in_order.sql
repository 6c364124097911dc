-- What concerns the rows of every organization is done for one after the other: the rotation of keys.
CREATE FUNCTION organizations_after(last_id text, at_most integer) RETURNS SETOF text
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT o.id FROM organizations o WHERE o.id > last_id ORDER BY o.id LIMIT at_most $$;

REVOKE EXECUTE ON FUNCTION organizations_after FROM PUBLIC;
GRANT EXECUTE ON FUNCTION organizations_after TO workspace_service;

-- Who did what. Rows are added and read, never changed, and removed after 400 days.
CREATE TABLE audit_events (
  organization_id text NOT NULL REFERENCES organizations (id),
  id text NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  actor_type text NOT NULL CHECK (actor_type IN ('user', 'client', 'system')),
  actor_id text,
  actor_name text,
  action text NOT NULL,
  resource_type text NOT NULL,
  resource_id text,
  resource_name text,
  outcome text NOT NULL CHECK (outcome IN ('done', 'refused')),
  address text,
  request_id text,
  process_id text,
  detail jsonb,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX audit_events_actor ON audit_events (organization_id, actor_id, id);
CREATE INDEX audit_events_resource ON audit_events (organization_id, resource_id, id);
CREATE INDEX audit_events_action ON audit_events (organization_id, action, id);
CREATE INDEX audit_events_age ON audit_events (at);
CALL isolate_organizations('audit_events');
REVOKE UPDATE, DELETE, TRUNCATE ON audit_events FROM workspace_service;

CREATE FUNCTION remove_old_audit_events(at_most integer) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
DECLARE removed integer;
BEGIN
  DELETE FROM audit_events WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM audit_events WHERE at < now() - interval '400 days' LIMIT at_most));
  GET DIAGNOSTICS removed = ROW_COUNT;
  RETURN removed;
END
$$;

REVOKE EXECUTE ON FUNCTION remove_old_audit_events FROM PUBLIC;
GRANT EXECUTE ON FUNCTION remove_old_audit_events TO workspace_service;

-- Any session of PostgreSQL may notify any channel whose name it knows, those that read a lake from outside too. The
-- service listens on one channel that nobody can guess.
CREATE TABLE notification_channel (name text PRIMARY KEY);
INSERT INTO notification_channel VALUES ('workspace_' || replace(gen_random_uuid()::text, '-', ''));
GRANT SELECT ON notification_channel TO workspace_service;

-- Tells every process of the service, when the transaction commits.
CREATE FUNCTION notify_service(topic text, key text) RETURNS void
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT pg_notify(name, topic || ' ' || key) FROM notification_channel $$;
REVOKE EXECUTE ON FUNCTION notify_service FROM PUBLIC;
GRANT EXECUTE ON FUNCTION notify_service TO workspace_service;

-- Whatever ends somebody's access is told at once to what they have open.
CREATE FUNCTION tell_access_ended() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    BEGIN
      PERFORM notify_service('access_ended', NEW.organization_id);
      RETURN NULL;
    END
  $$;
REVOKE EXECUTE ON FUNCTION tell_access_ended FROM PUBLIC;
CREATE TRIGGER tell_access_ended AFTER UPDATE OF removed_at ON users
  FOR EACH ROW WHEN (OLD.removed_at IS DISTINCT FROM NEW.removed_at) EXECUTE FUNCTION tell_access_ended();
CREATE TRIGGER tell_access_ended AFTER UPDATE OF revoked_at ON api_clients
  FOR EACH ROW WHEN (OLD.revoked_at IS DISTINCT FROM NEW.revoked_at) EXECUTE FUNCTION tell_access_ended();
CREATE TRIGGER tell_access_ended AFTER UPDATE OF ended_at ON logins
  FOR EACH ROW WHEN (OLD.ended_at IS DISTINCT FROM NEW.ended_at) EXECUTE FUNCTION tell_access_ended();
CREATE TRIGGER tell_access_ended AFTER UPDATE OF revoked_at ON access_tokens
  FOR EACH ROW WHEN (OLD.revoked_at IS DISTINCT FROM NEW.revoked_at) EXECUTE FUNCTION tell_access_ended();

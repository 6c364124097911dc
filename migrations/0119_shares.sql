-- Links by which anybody reads a dashboard, a report or the rows of a saved query, with the rights of who made the link.
CREATE TABLE shares (
  organization_id text NOT NULL REFERENCES organizations (id),
  id text NOT NULL,
  -- The link itself is not kept.
  token_hash bytea NOT NULL,
  resource_type text NOT NULL CHECK (resource_type IN ('dashboard', 'report', 'query')),
  resource_id text NOT NULL,
  project_id text NOT NULL,
  expires_at timestamptz NOT NULL,
  -- Sites that may show the page in a frame.
  embed_origins text[] NOT NULL,
  -- Whether the address may give values of filters.
  open_filters boolean NOT NULL,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz,
  revoked_at timestamptz,
  PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX shares_token ON shares (token_hash);
CREATE INDEX shares_of_resource ON shares (organization_id, resource_id) WHERE revoked_at IS NULL;
CALL isolate_organizations('shares');

-- A link names its organization by its token alone. Of a suspended organization nothing is found.
CREATE FUNCTION find_share(wanted_hash bytea) RETURNS TABLE (organization_id text, id text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT s.organization_id, s.id FROM shares s
    WHERE s.token_hash = wanted_hash AND s.revoked_at IS NULL AND NOT is_suspended(s.organization_id)
  $$;
REVOKE EXECUTE ON FUNCTION find_share FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_share TO workspace_service;

-- Shares end with what they show, its project, and the person or client that made them: in the same commit,
-- whatever makes it.
CREATE FUNCTION end_shares_of_resource() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE shares SET revoked_at = now()
    WHERE organization_id = OLD.organization_id AND resource_id = OLD.id AND revoked_at IS NULL;
    RETURN NULL;
  END $$;
CREATE FUNCTION end_shares_of_project() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE shares SET revoked_at = now()
    WHERE organization_id = NEW.organization_id AND project_id = NEW.id AND revoked_at IS NULL;
    RETURN NULL;
  END $$;
CREATE FUNCTION end_shares_of_maker() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE shares SET revoked_at = now()
    WHERE organization_id = NEW.organization_id AND created_by = NEW.id AND revoked_at IS NULL;
    RETURN NULL;
  END $$;

CREATE TRIGGER end_shares AFTER DELETE ON dashboards
  FOR EACH ROW EXECUTE FUNCTION end_shares_of_resource();
CREATE TRIGGER end_shares AFTER DELETE ON reports
  FOR EACH ROW EXECUTE FUNCTION end_shares_of_resource();
CREATE TRIGGER end_shares AFTER DELETE ON saved_queries
  FOR EACH ROW EXECUTE FUNCTION end_shares_of_resource();
CREATE TRIGGER end_shares AFTER UPDATE OF archived_at ON projects
  FOR EACH ROW WHEN (NEW.archived_at IS NOT NULL) EXECUTE FUNCTION end_shares_of_project();
CREATE TRIGGER end_shares AFTER UPDATE OF removed_at ON users
  FOR EACH ROW WHEN (NEW.removed_at IS NOT NULL) EXECUTE FUNCTION end_shares_of_maker();
CREATE TRIGGER end_shares AFTER UPDATE OF revoked_at ON api_clients
  FOR EACH ROW WHEN (NEW.revoked_at IS NOT NULL) EXECUTE FUNCTION end_shares_of_maker();

-- The role the service runs as. It owns nothing, so row-level security always applies to it.
-- Roles belong to the cluster: another database of it may have made this one already.
DO $$
BEGIN
  CREATE ROLE workspace_service NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
  NULL;
END
$$;

DO $$
BEGIN
  EXECUTE format('GRANT workspace_service TO %I', current_user);
END
$$;

GRANT USAGE ON SCHEMA public TO workspace_service;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO workspace_service;

-- The organization a transaction acts for; set with set_config(…, true), so it ends with the transaction.
CREATE FUNCTION current_organization() RETURNS text
  LANGUAGE sql STABLE
  RETURN nullif(current_setting('app.organization_id', true), '');

-- Row-level security for one table: the service sees its organization's rows only. The owner, who runs
-- migrations and the security-definer look-ups below, sees all.
CREATE PROCEDURE isolate_organizations(target regclass, organization_column text DEFAULT 'organization_id')
  LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', target);
  EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', target);
  EXECUTE format(
    'CREATE POLICY organization_isolation ON %s TO workspace_service USING (%I = current_organization()) WITH CHECK (%I = current_organization())',
    target, organization_column, organization_column);
  EXECUTE format('CREATE POLICY owner_access ON %s TO %I USING (true) WITH CHECK (true)', target, current_user);
END
$$;

CREATE TABLE organizations (
  id text PRIMARY KEY,
  name text NOT NULL,
  slug text NOT NULL UNIQUE,
  settings jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now()
);
CALL isolate_organizations('organizations', 'id');

CREATE TABLE users (
  organization_id text NOT NULL REFERENCES organizations (id),
  id text NOT NULL,
  email text NOT NULL,
  name text NOT NULL,
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX users_email ON users (organization_id, lower(email));
CALL isolate_organizations('users');

CREATE TABLE api_clients (
  organization_id text NOT NULL REFERENCES organizations (id),
  id text NOT NULL,
  name text NOT NULL,
  secret_hash bytea NOT NULL,
  scopes text[] NOT NULL,
  admin boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  revoked_at timestamptz,
  PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX api_clients_id ON api_clients (id);
CALL isolate_organizations('api_clients');

CREATE TABLE access_tokens (
  organization_id text NOT NULL REFERENCES organizations (id),
  id text NOT NULL,
  token_hash bytea NOT NULL,
  client_id text,
  user_id text,
  scopes text[] NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, client_id) REFERENCES api_clients (organization_id, id),
  FOREIGN KEY (organization_id, user_id) REFERENCES users (organization_id, id),
  CHECK (num_nonnulls(client_id, user_id) = 1)
);
CREATE UNIQUE INDEX access_tokens_hash ON access_tokens (token_hash);
CREATE INDEX access_tokens_expiry ON access_tokens (expires_at);
CALL isolate_organizations('access_tokens');

-- What must be found before the organization is known returns that row and no other.
CREATE FUNCTION find_api_client(wanted_id text)
  RETURNS TABLE (organization_id text, id text, secret_hash bytea, scopes text[], revoked_at timestamptz)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT c.organization_id, c.id, c.secret_hash, c.scopes, c.revoked_at FROM api_clients c WHERE c.id = wanted_id $$;

CREATE FUNCTION find_access_token(wanted_hash bytea)
  RETURNS TABLE (
    organization_id text, id text, client_id text, user_id text, scopes text[],
    expires_at timestamptz, revoked_at timestamptz, admin boolean)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT t.organization_id, t.id, t.client_id, t.user_id, t.scopes, t.expires_at,
           coalesce(t.revoked_at, c.revoked_at), coalesce(c.admin, u.role IN ('owner', 'admin'))
    FROM access_tokens t
    LEFT JOIN api_clients c ON c.organization_id = t.organization_id AND c.id = t.client_id
    LEFT JOIN users u ON u.organization_id = t.organization_id AND u.id = t.user_id
    WHERE t.token_hash = wanted_hash
  $$;

REVOKE EXECUTE ON FUNCTION find_api_client, find_access_token FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_api_client, find_access_token TO workspace_service;

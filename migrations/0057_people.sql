-- People sign in: passwords, one-time links, sessions of the pages, and logins of public clients.
ALTER TABLE users ADD COLUMN password_hash text;
ALTER TABLE users ADD COLUMN last_seen_at timestamptz;
ALTER TABLE users ADD COLUMN removed_at timestamptz;

CREATE TABLE account_links (
  organization_id text NOT NULL REFERENCES organizations (id),
  id text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('owner', 'invitation', 'password')),
  token_hash bytea NOT NULL,
  email text NOT NULL,
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
  -- Whose account the link opens (an invitation makes a new one).
  user_id text,
  created_by text,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  used_at timestamptz,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, user_id) REFERENCES users (organization_id, id)
);
CREATE UNIQUE INDEX account_links_token ON account_links (token_hash);
CALL isolate_organizations('account_links');

CREATE TABLE page_sessions (
  organization_id text NOT NULL REFERENCES organizations (id),
  id text NOT NULL,
  token_hash bytea NOT NULL,
  user_id text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  ended_at timestamptz,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, user_id) REFERENCES users (organization_id, id)
);
CREATE UNIQUE INDEX page_sessions_token ON page_sessions (token_hash);
CREATE INDEX page_sessions_user ON page_sessions (organization_id, user_id);
CALL isolate_organizations('page_sessions');

-- A login of a public client: a family of refresh tokens, of which one is valid at a time.
CREATE TABLE logins (
  organization_id text NOT NULL REFERENCES organizations (id),
  id text NOT NULL,
  user_id text NOT NULL,
  client_id text NOT NULL,
  scopes text[] NOT NULL,
  address text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  ended_at timestamptz,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, user_id) REFERENCES users (organization_id, id)
);
CREATE INDEX logins_user ON logins (organization_id, user_id);
CALL isolate_organizations('logins');

CREATE TABLE refresh_tokens (
  organization_id text NOT NULL REFERENCES organizations (id),
  token_hash bytea NOT NULL,
  login_id text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  used_at timestamptz,
  PRIMARY KEY (organization_id, token_hash),
  FOREIGN KEY (organization_id, login_id) REFERENCES logins (organization_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX refresh_tokens_hash ON refresh_tokens (token_hash);
CREATE INDEX refresh_tokens_login ON refresh_tokens (organization_id, login_id);
CALL isolate_organizations('refresh_tokens');

ALTER TABLE access_tokens ADD COLUMN login_id text;
ALTER TABLE access_tokens ADD FOREIGN KEY (organization_id, login_id)
  REFERENCES logins (organization_id, id) ON DELETE CASCADE NOT VALID;

-- A device login has no organization until a person decides on it: until then it holds no tenant's data.
CREATE TABLE device_logins (
  id text PRIMARY KEY,
  device_code_hash bytea NOT NULL UNIQUE,
  user_code_hash bytea NOT NULL UNIQUE,
  client_id text NOT NULL,
  scopes text[] NOT NULL,
  address text NOT NULL,
  -- What the logins that wait are counted by.
  address_group text NOT NULL,
  interval_seconds integer NOT NULL DEFAULT 5,
  polled_at timestamptz,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'approved', 'denied', 'redeemed')),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  organization_id text REFERENCES organizations (id),
  user_id text,
  FOREIGN KEY (organization_id, user_id) REFERENCES users (organization_id, id)
);
CREATE INDEX device_logins_address ON device_logins (address_group, expires_at);
CREATE INDEX device_logins_expiry ON device_logins (expires_at);
ALTER TABLE device_logins ENABLE ROW LEVEL SECURITY;
ALTER TABLE device_logins FORCE ROW LEVEL SECURITY;
CREATE POLICY organization_isolation ON device_logins TO workspace_service
  USING (organization_id IS NULL OR organization_id = current_organization())
  WITH CHECK (organization_id IS NULL OR organization_id = current_organization());

-- Attempts by a hash of the account or address that they are counted for, which is no tenant's data.
CREATE TABLE sign_in_attempts (
  key bytea PRIMARY KEY,
  failures integer NOT NULL,
  last_at timestamptz NOT NULL DEFAULT now(),
  previous_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sign_in_attempts_last ON sign_in_attempts (last_at);

DO $$ BEGIN
  EXECUTE format('CREATE POLICY owner_access ON device_logins TO %I USING (true) WITH CHECK (true)', current_user);
END $$;

CREATE OR REPLACE FUNCTION find_access_token(wanted_hash bytea)
  RETURNS TABLE (
    organization_id text, id text, client_id text, user_id text, scopes text[],
    expires_at timestamptz, revoked_at timestamptz, admin boolean)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT t.organization_id, t.id, t.client_id, t.user_id, t.scopes,
           least(t.expires_at, c.expires_at, l.expires_at),
           coalesce(t.revoked_at, c.revoked_at, l.ended_at, u.removed_at),
           coalesce(c.admin, u.role IN ('owner', 'admin'))
    FROM access_tokens t
    LEFT JOIN api_clients c ON c.organization_id = t.organization_id AND c.id = t.client_id
    LEFT JOIN users u ON u.organization_id = t.organization_id AND u.id = t.user_id
    LEFT JOIN logins l ON l.organization_id = t.organization_id AND l.id = t.login_id
    WHERE t.token_hash = wanted_hash
  $$;

CREATE FUNCTION find_account(wanted_email text)
  RETURNS TABLE (organization_id text, id text, password_hash text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT u.organization_id, u.id, u.password_hash FROM users u
    WHERE lower(u.email) = lower(wanted_email) AND u.password_hash IS NOT NULL AND u.removed_at IS NULL
  $$;

CREATE FUNCTION find_account_link(wanted_hash bytea)
  RETURNS TABLE (organization_id text, id text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT l.organization_id, l.id FROM account_links l WHERE l.token_hash = wanted_hash $$;

CREATE FUNCTION find_page_session(wanted_hash bytea)
  RETURNS TABLE (organization_id text, id text, user_id text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT s.organization_id, s.id, s.user_id FROM page_sessions s
    JOIN users u ON u.organization_id = s.organization_id AND u.id = s.user_id
    WHERE s.token_hash = wanted_hash AND s.ended_at IS NULL AND s.expires_at > now() AND u.removed_at IS NULL
  $$;

CREATE FUNCTION find_refresh_token(wanted_hash bytea)
  RETURNS TABLE (organization_id text, login_id text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT r.organization_id, r.login_id FROM refresh_tokens r WHERE r.token_hash = wanted_hash $$;

CREATE FUNCTION find_device_login(wanted_hash bytea)
  RETURNS TABLE (organization_id text, id text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT d.organization_id, d.id FROM device_logins d WHERE d.device_code_hash = wanted_hash $$;

-- What has ended or expired long ago, of every organization, in slices.
CREATE FUNCTION remove_old_sign_ins(at_most integer) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
DECLARE removed integer := 0; n integer;
BEGIN
  DELETE FROM device_logins WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM device_logins WHERE expires_at < now() - interval '1 day' LIMIT at_most));
  GET DIAGNOSTICS n = ROW_COUNT; removed := removed + n;
  DELETE FROM sign_in_attempts WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM sign_in_attempts WHERE last_at < now() - interval '1 day' LIMIT at_most));
  GET DIAGNOSTICS n = ROW_COUNT; removed := removed + n;
  DELETE FROM page_sessions WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM page_sessions WHERE expires_at < now() - interval '30 days' LIMIT at_most));
  GET DIAGNOSTICS n = ROW_COUNT; removed := removed + n;
  DELETE FROM account_links WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM account_links WHERE expires_at < now() - interval '30 days' LIMIT at_most));
  GET DIAGNOSTICS n = ROW_COUNT; removed := removed + n;
  DELETE FROM logins WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM logins WHERE coalesce(ended_at, expires_at) < now() - interval '30 days' LIMIT at_most));
  GET DIAGNOSTICS n = ROW_COUNT; removed := removed + n;
  RETURN removed;
END
$$;

REVOKE EXECUTE ON FUNCTION find_account, find_account_link, find_page_session,
  find_refresh_token, find_device_login, remove_old_sign_ins FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_account, find_account_link, find_page_session,
  find_refresh_token, find_device_login, remove_old_sign_ins TO workspace_service;

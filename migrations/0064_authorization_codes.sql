-- Authorization codes (RFC 6749 with PKCE), and public clients that registered themselves (RFC 7591).
CREATE TABLE authorization_codes (
  organization_id text NOT NULL REFERENCES organizations (id),
  id text NOT NULL,
  code_hash bytea NOT NULL,
  user_id text NOT NULL,
  client_id text NOT NULL,
  redirect_uri text NOT NULL,
  code_challenge text NOT NULL,
  scopes text[] NOT NULL,
  address text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  used_at timestamptz,
  -- The login that it was redeemed for, which ends if the code is presented again.
  login_id text,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, user_id) REFERENCES users (organization_id, id)
);
CREATE UNIQUE INDEX authorization_codes_hash ON authorization_codes (code_hash);
CREATE INDEX authorization_codes_expiry ON authorization_codes (expires_at);
CALL isolate_organizations('authorization_codes');

CREATE FUNCTION find_authorization_code(wanted_hash bytea)
  RETURNS TABLE (organization_id text, id text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT c.organization_id, c.id FROM authorization_codes c WHERE c.code_hash = wanted_hash $$;

-- Programs, not tenants: they belong to no organization.
CREATE TABLE public_clients (
  id text PRIMARY KEY,
  name text NOT NULL,
  redirect_uris text[] NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz NOT NULL DEFAULT now(),
  -- The network from which it registered itself: none may fill all places.
  address_group text
);
CREATE INDEX public_clients_use ON public_clients (last_used_at);

CREATE OR REPLACE FUNCTION remove_old_sign_ins(at_most integer) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
DECLARE removed integer := 0; n integer;
BEGIN
  DELETE FROM device_logins WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM device_logins WHERE expires_at < now() - interval '1 day' LIMIT at_most));
  GET DIAGNOSTICS n = ROW_COUNT; removed := removed + n;
  DELETE FROM authorization_codes WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM authorization_codes WHERE expires_at < now() - interval '1 day' LIMIT at_most));
  GET DIAGNOSTICS n = ROW_COUNT; removed := removed + n;
  DELETE FROM public_clients WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM public_clients p WHERE p.last_used_at < now() - interval '30 days'
      AND NOT EXISTS (SELECT FROM logins l WHERE l.client_id = p.id AND l.ended_at IS NULL) LIMIT at_most));
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

REVOKE EXECUTE ON FUNCTION find_authorization_code FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_authorization_code TO workspace_service;

-- API clients are issued through the API, may expire, and get new secrets that overlap with the one before.
ALTER TABLE api_clients ADD COLUMN created_by text;
ALTER TABLE api_clients ADD COLUMN last_used_at timestamptz;
ALTER TABLE api_clients ADD COLUMN expires_at timestamptz;
ALTER TABLE api_clients ADD COLUMN previous_secret_hash bytea;
-- The previous secret is valid until then.
ALTER TABLE api_clients ADD COLUMN previous_until timestamptz;

CREATE OR REPLACE FUNCTION find_access_token(wanted_hash bytea)
  RETURNS TABLE (
    organization_id text, id text, client_id text, user_id text, scopes text[],
    expires_at timestamptz, revoked_at timestamptz, admin boolean)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT t.organization_id, t.id, t.client_id, t.user_id, t.scopes, least(t.expires_at, c.expires_at),
           coalesce(t.revoked_at, c.revoked_at), coalesce(c.admin, u.role IN ('owner', 'admin'))
    FROM access_tokens t
    LEFT JOIN api_clients c ON c.organization_id = t.organization_id AND c.id = t.client_id
    LEFT JOIN users u ON u.organization_id = t.organization_id AND u.id = t.user_id
    WHERE t.token_hash = wanted_hash
  $$;

CREATE FUNCTION find_client_secrets(wanted_id text)
  RETURNS TABLE (
    organization_id text, id text, secret_hash bytea, previous_secret_hash bytea, scopes text[],
    expires_at timestamptz, revoked_at timestamptz)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT c.organization_id, c.id, c.secret_hash,
           CASE WHEN c.previous_until > now() THEN c.previous_secret_hash END,
           c.scopes, c.expires_at, c.revoked_at
    FROM api_clients c WHERE c.id = wanted_id
  $$;

REVOKE EXECUTE ON FUNCTION find_client_secrets FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_client_secrets TO workspace_service;

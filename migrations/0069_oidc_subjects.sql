-- People who sign in at an OpenID Connect provider, by what it calls them. Such a person needs no password.
CREATE TABLE oidc_subjects (
  organization_id text NOT NULL REFERENCES organizations (id),
  user_id text NOT NULL,
  issuer text NOT NULL,
  subject text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, user_id, issuer),
  FOREIGN KEY (organization_id, user_id) REFERENCES users (organization_id, id)
);
-- A person belongs to one organization.
CREATE UNIQUE INDEX oidc_subjects_subject ON oidc_subjects (issuer, subject);
CALL isolate_organizations('oidc_subjects');

CREATE FUNCTION find_oidc_subject(wanted_issuer text, wanted_subject text)
  RETURNS TABLE (organization_id text, user_id text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT s.organization_id, s.user_id FROM oidc_subjects s
    JOIN users u ON u.organization_id = s.organization_id AND u.id = s.user_id
    WHERE s.issuer = wanted_issuer AND s.subject = wanted_subject AND u.removed_at IS NULL
  $$;

CREATE FUNCTION find_accounts_by_email(wanted_email text)
  RETURNS TABLE (organization_id text, user_id text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT u.organization_id, u.id FROM users u
    WHERE lower(u.email) = lower(wanted_email) AND u.password_hash IS NOT NULL AND u.removed_at IS NULL
    UNION
    SELECT u.organization_id, u.id FROM oidc_subjects s
    JOIN users u ON u.organization_id = s.organization_id AND u.id = s.user_id
    WHERE lower(u.email) = lower(wanted_email) AND u.removed_at IS NULL
  $$;

REVOKE EXECUTE ON FUNCTION find_oidc_subject, find_accounts_by_email FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_oidc_subject, find_accounts_by_email TO workspace_service;

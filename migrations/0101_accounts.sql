-- An account is whoever signs in: an address, with a password or what a provider calls the person. It belongs to no
-- organization. Each row of `users` that names it is a membership, with a role of its own.
CREATE TABLE accounts (
  id text PRIMARY KEY,
  email text NOT NULL,
  password_hash text,
  -- When the person proved that the address is theirs, by a mailed link or at a provider. Until then, other accounts may
  -- have the same address: whoever invites somebody can open the invitation too.
  proven_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX accounts_email ON accounts (lower(email));
CREATE UNIQUE INDEX accounts_proven ON accounts (lower(email)) WHERE proven_at IS NOT NULL;

CREATE TABLE account_subjects (
  account_id text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  issuer text NOT NULL,
  subject text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, issuer)
);
CREATE UNIQUE INDEX account_subjects_subject ON account_subjects (issuer, subject);

ALTER TABLE users ADD COLUMN account_id text;
ALTER TABLE account_links ADD COLUMN mailed_hash bytea;
COMMENT ON COLUMN account_links.mailed_hash IS
  'Of what only the mailed link has: whoever opens that one reads the mail of the address.';

-- allowed: people are few, and whoever signs in meanwhile waits for them
-- Those who signed in at a provider alone have proven their address. Of two with the same address, which only different
-- subjects can have, the newer one has it.
UPDATE users u SET account_id = 'acc_' || replace(gen_random_uuid()::text, '-', '')
WHERE u.removed_at IS NULL AND (u.password_hash IS NOT NULL OR EXISTS (
  SELECT FROM oidc_subjects s WHERE s.organization_id = u.organization_id AND s.user_id = u.id));
INSERT INTO accounts (id, email, password_hash, proven_at, created_at)
SELECT account_id, email, password_hash,
       CASE WHEN password_hash IS NULL AND row_number() OVER (
         PARTITION BY lower(email), password_hash IS NULL ORDER BY created_at DESC, account_id) = 1 THEN created_at END,
       created_at
FROM users WHERE account_id IS NOT NULL;
INSERT INTO account_subjects (account_id, issuer, subject, created_at)
SELECT u.account_id, s.issuer, s.subject, s.created_at
FROM oidc_subjects s JOIN users u ON u.organization_id = s.organization_id AND u.id = s.user_id
WHERE u.account_id IS NOT NULL;

ALTER TABLE users ADD CONSTRAINT users_account_id FOREIGN KEY (account_id) REFERENCES accounts (id) NOT VALID;

-- Seen from the organizations that the account is a member of, and made from any.
DO $$
DECLARE target regclass;
BEGIN
  FOREACH target IN ARRAY ARRAY['accounts', 'account_subjects']::regclass[] LOOP
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', target);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', target);
    EXECUTE format(
      'CREATE POLICY of_members ON %s TO workspace_service USING (EXISTS (
         SELECT FROM users u WHERE u.account_id = %s AND u.organization_id = current_organization())) WITH CHECK (true)',
      target, CASE target WHEN 'accounts'::regclass THEN 'accounts.id' ELSE 'account_subjects.account_id' END);
    EXECUTE format('CREATE POLICY owner_access ON %s TO %I USING (true) WITH CHECK (true)', target, current_user);
  END LOOP;
END $$;

-- Accounts of an address that somebody can sign in to, one whose address is proven first; with an issuer, only those
-- without a subject of it.
CREATE FUNCTION find_accounts(wanted_email text, wanted_issuer text DEFAULT NULL)
  RETURNS TABLE (id text, password_hash text, is_proven boolean)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT a.id, a.password_hash, a.proven_at IS NOT NULL FROM accounts a
    WHERE lower(a.email) = lower(wanted_email)
      AND EXISTS (SELECT FROM users u WHERE u.account_id = a.id AND u.removed_at IS NULL)
      AND NOT EXISTS (SELECT FROM account_subjects s WHERE s.account_id = a.id AND s.issuer = wanted_issuer)
    ORDER BY a.proven_at IS NULL, a.id
  $$;

CREATE FUNCTION find_account_of_subject(wanted_issuer text, wanted_subject text) RETURNS TABLE (id text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT s.account_id FROM account_subjects s
    WHERE s.issuer = wanted_issuer AND s.subject = wanted_subject
      AND EXISTS (SELECT FROM users u WHERE u.account_id = s.account_id AND u.removed_at IS NULL)
  $$;

-- The organizations of an account, that of the last sign-in first.
CREATE FUNCTION find_memberships(wanted_account text)
  RETURNS TABLE (organization_id text, organization text, user_id text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT u.organization_id, o.name, u.id FROM users u JOIN organizations o ON o.id = u.organization_id
    WHERE u.account_id = wanted_account AND u.removed_at IS NULL
    ORDER BY u.last_seen_at DESC NULLS LAST, u.organization_id
  $$;

-- The address is this account's from now on, unless it is another one's already.
CREATE FUNCTION prove_account(wanted_account text) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
BEGIN
  UPDATE accounts SET proven_at = now() WHERE id = wanted_account AND proven_at IS NULL;
EXCEPTION WHEN unique_violation THEN
  NULL;
END
$$;

-- Removes an account that no organization has as a member any more.
CREATE FUNCTION close_account(wanted_account text) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
BEGIN
  -- Whoever joins an organization with it meanwhile waits for this lock, or is waited for.
  PERFORM FROM accounts WHERE id = wanted_account FOR UPDATE;
  UPDATE users u SET account_id = NULL WHERE u.account_id = wanted_account AND u.removed_at IS NOT NULL;
  DELETE FROM accounts WHERE id = wanted_account
    AND NOT EXISTS (SELECT FROM users u WHERE u.account_id = wanted_account);
END
$$;

REVOKE EXECUTE ON FUNCTION find_accounts, find_account_of_subject, find_memberships, prove_account, close_account
  FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_accounts, find_account_of_subject, find_memberships, prove_account, close_account
  TO workspace_service;

-- The previous release, while it still runs beside this one, keeps passwords and subjects where they were: what it
-- writes there is written here too. Nothing else reads them any more.
CREATE FUNCTION follow_previous_accounts() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
DECLARE of_user users%ROWTYPE;
BEGIN
  SELECT * INTO of_user FROM users u
  WHERE u.organization_id = NEW.organization_id
    AND u.id = CASE TG_TABLE_NAME WHEN 'users' THEN to_jsonb(NEW) ->> 'id' ELSE to_jsonb(NEW) ->> 'user_id' END;
  IF of_user.account_id IS NULL THEN
    of_user.account_id := 'acc_' || replace(gen_random_uuid()::text, '-', '');
    INSERT INTO accounts (id, email) VALUES (of_user.account_id, of_user.email);
    UPDATE users u SET account_id = of_user.account_id
    WHERE u.organization_id = of_user.organization_id AND u.id = of_user.id;
  END IF;
  IF TG_TABLE_NAME = 'users' THEN
    UPDATE accounts a SET password_hash = of_user.password_hash WHERE a.id = of_user.account_id;
  ELSE
    INSERT INTO account_subjects (account_id, issuer, subject)
    VALUES (of_user.account_id, to_jsonb(NEW) ->> 'issuer', to_jsonb(NEW) ->> 'subject') ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END
$$;
REVOKE EXECUTE ON FUNCTION follow_previous_accounts FROM PUBLIC;
CREATE TRIGGER follow_previous_accounts AFTER INSERT OR UPDATE OF password_hash ON users
  FOR EACH ROW WHEN (NEW.password_hash IS NOT NULL) EXECUTE FUNCTION follow_previous_accounts();
CREATE TRIGGER follow_previous_accounts AFTER INSERT ON oidc_subjects
  FOR EACH ROW EXECUTE FUNCTION follow_previous_accounts();

-- outside a transaction
-- A person signs in by e-mail alone, so an e-mail with a password belongs to one organization.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS users_account ON users (lower(email)) WHERE password_hash IS NOT NULL AND removed_at IS NULL;

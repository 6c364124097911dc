-- outside a transaction
-- An account is a member of an organization once.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS users_membership ON users (account_id, organization_id) WHERE removed_at IS NULL;

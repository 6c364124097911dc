-- outside a transaction
-- Somebody who was removed may be invited again, as another person.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS users_live_email ON users (organization_id, lower(email)) WHERE removed_at IS NULL;

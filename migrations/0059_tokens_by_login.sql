-- outside a transaction
-- A refresh ends the tokens before it, and a login takes its tokens with it.
CREATE INDEX CONCURRENTLY IF NOT EXISTS access_tokens_login ON access_tokens (organization_id, login_id) WHERE login_id IS NOT NULL;

-- outside a transaction
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS runs_profiling ON runs (organization_id, resource_id) WHERE kind = 'profile' AND finished_at IS NULL;

-- outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS runs_finished ON runs (finished_at) WHERE finished_at IS NOT NULL;

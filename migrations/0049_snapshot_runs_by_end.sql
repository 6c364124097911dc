-- outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS snapshot_runs_finished ON snapshot_runs (finished_at) WHERE finished_at IS NOT NULL;

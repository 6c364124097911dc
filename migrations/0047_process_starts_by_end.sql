-- outside a transaction
-- Those that started a day ago are removed every ten seconds, without a look at all the others.
CREATE INDEX CONCURRENTLY IF NOT EXISTS process_starts_started ON process_starts (started_at) WHERE started_at IS NOT NULL;

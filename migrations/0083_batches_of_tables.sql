-- outside a transaction
-- For the list of a table's batches, the newest first.
CREATE INDEX CONCURRENTLY IF NOT EXISTS ingestion_batches_of_table ON ingestion_batches (organization_id, table_id, id DESC);

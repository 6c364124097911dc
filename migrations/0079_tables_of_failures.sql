-- outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS tables_of_failures ON tables (organization_id, failures_of) WHERE failures_of IS NOT NULL;

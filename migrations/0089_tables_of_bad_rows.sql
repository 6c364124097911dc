-- outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS tables_of_bad_rows ON tables (organization_id, bad_rows_of) WHERE bad_rows_of IS NOT NULL;

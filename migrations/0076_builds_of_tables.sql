-- outside a transaction
-- For what a table was built from in an earlier version, and for the deletion of a table with its builds.
CREATE INDEX CONCURRENTLY IF NOT EXISTS builds_of_table ON builds (organization_id, table_id, finished_at DESC);

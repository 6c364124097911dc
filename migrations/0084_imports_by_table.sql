-- outside a transaction
-- For the list of a table's imports, the newest first.
CREATE INDEX CONCURRENTLY IF NOT EXISTS table_imports_by_table ON table_imports (organization_id, table_id, id DESC);

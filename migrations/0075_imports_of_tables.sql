-- outside a transaction
-- Lineage asks which files a table was imported from.
CREATE INDEX CONCURRENTLY IF NOT EXISTS table_imports_of_table ON table_imports (organization_id, table_id, table_version) WHERE status = 'succeeded';

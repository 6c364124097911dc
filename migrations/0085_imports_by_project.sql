-- outside a transaction
-- For the list of a project's imports, the newest first.
CREATE INDEX CONCURRENTLY IF NOT EXISTS table_imports_by_project ON table_imports (organization_id, project_id, id DESC);

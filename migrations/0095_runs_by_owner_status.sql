-- outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS runs_of_owner_status
  ON runs (organization_id, project_id, owner_id, status, created_at DESC, id DESC);

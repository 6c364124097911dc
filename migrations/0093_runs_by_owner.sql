-- outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS runs_of_owner
  ON runs (organization_id, project_id, owner_id, created_at DESC, id DESC);

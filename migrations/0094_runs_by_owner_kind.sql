-- outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS runs_of_owner_kind
  ON runs (organization_id, project_id, owner_id, kind, created_at DESC, id DESC);

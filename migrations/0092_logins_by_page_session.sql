-- outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS logins_by_page_session ON logins (organization_id, page_session_id)
  WHERE page_session_id IS NOT NULL AND ended_at IS NULL;

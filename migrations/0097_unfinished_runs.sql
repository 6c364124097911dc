-- The runs of a kind whose process should be there; in place of a function for each kind. Those functions
-- (active_agent_runs, active_exports, active_materializations, active_profile_runs, active_snapshot_runs,
-- active_table_imports, active_verifications, active_workflow_runs) stay for workers of the release before.
CREATE FUNCTION unfinished_runs(kinds text[], older_than interval, at_most integer)
  RETURNS TABLE (organization_id text, id text)
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT r.organization_id, r.id FROM runs r
    WHERE r.kind = ANY (kinds) AND r.finished_at IS NULL AND r.created_at < now() - older_than
    ORDER BY random() LIMIT at_most
  $$;
REVOKE EXECUTE ON FUNCTION unfinished_runs FROM PUBLIC;
GRANT EXECUTE ON FUNCTION unfinished_runs TO workspace_service;

-- Runs of the analyst that have ended, whose conversation is still there.
CREATE FUNCTION uncleared_agent_runs(older_than interval, at_most integer)
  RETURNS TABLE (organization_id text, id text)
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT r.organization_id, r.id FROM conversations c
    JOIN runs r ON r.organization_id = c.organization_id AND r.id = c.run_id
    WHERE c.run_id IS NOT NULL AND r.finished_at < now() - older_than
    ORDER BY random() LIMIT at_most
  $$;
REVOKE EXECUTE ON FUNCTION uncleared_agent_runs FROM PUBLIC;
GRANT EXECUTE ON FUNCTION uncleared_agent_runs TO workspace_service;

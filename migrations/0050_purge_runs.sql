-- Runs that ended are kept for 400 days, as those of schedules are, with what is theirs: nodes, approvals, deliveries and the
-- task of the analyst by their keys, and what the nodes of a workflow made below a folder of the object store. Of a
-- dataset the newest snapshot that succeeded stays, which it names.
CREATE FUNCTION purge_runs(at_most integer) RETURNS bigint
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    WITH old AS (
      SELECT organization_id, id FROM runs
      WHERE finished_at < now() - interval '400 days' ORDER BY finished_at LIMIT at_most
    ), gone AS (
      DELETE FROM runs r USING old
      WHERE r.organization_id = old.organization_id AND r.id = old.id
      RETURNING r.organization_id, r.id, r.kind
    ), forgotten AS (
      INSERT INTO object_deletions (organization_id, object_key, not_before)
      SELECT organization_id, format('%s/workflow-runs/%s/', organization_id, id), now()
      FROM gone WHERE kind = 'workflow' ON CONFLICT DO NOTHING
    )
    SELECT count(*) FROM gone
  $$;

CREATE FUNCTION purge_snapshot_runs(at_most integer) RETURNS bigint
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    WITH old AS (
      SELECT s.organization_id, s.id FROM snapshot_runs s
      JOIN datasets d ON d.organization_id = s.organization_id AND d.id = s.dataset_id
      WHERE s.finished_at < now() - interval '400 days' AND s.id IS DISTINCT FROM d.last_snapshot_run_id
      ORDER BY s.finished_at LIMIT at_most
    ), gone AS (
      DELETE FROM snapshot_runs s USING old
      WHERE s.organization_id = old.organization_id AND s.id = old.id RETURNING s.id
    )
    SELECT count(*) FROM gone
  $$;

REVOKE EXECUTE ON FUNCTION purge_runs, purge_snapshot_runs FROM PUBLIC;
GRANT EXECUTE ON FUNCTION purge_runs, purge_snapshot_runs TO workspace_service;

-- Every snapshot has a run, of a project or of none, and whoever waits for a run is named by it. What snapshot_runs,
-- agent_runs and workflow_runs say of `waited_by` and `cancel_requested_at` is for the release before alone.
ALTER TABLE runs ALTER COLUMN project_id DROP NOT NULL;
-- The process that is told when the run has ended.
ALTER TABLE runs ADD COLUMN waited_by text;

CREATE FUNCTION insert_run_of_snapshot(snapshot snapshot_runs) RETURNS void
  LANGUAGE sql VOLATILE SET search_path = public, pg_temp
  AS $$
    INSERT INTO runs (organization_id, id, project_id, kind, status, trigger_type, trigger_id, title, progress, output,
        error, resource_type, resource_id, workflow_id, cancel_requested_at, waited_by, created_at, started_at, finished_at)
      SELECT snapshot.organization_id, snapshot.id, snapshot.project_id, 'snapshot',
        CASE snapshot.status WHEN 'awaiting_confirmation' THEN 'waiting' ELSE snapshot.status END,
        'api', snapshot.created_by, 'Snapshot into ' || snapshot.table_name, snapshot.progress,
        CASE WHEN snapshot.status = 'succeeded'
          THEN jsonb_build_object('tableId', snapshot.table_id, 'rowsCopied', snapshot.rows_copied) END,
        snapshot.error, 'snapshot-run', snapshot.id, 'snapshot/' || snapshot.dataset_id || '/' || snapshot.id,
        snapshot.cancel_requested_at, snapshot.waited_by, snapshot.created_at, snapshot.started_at, snapshot.finished_at
      ON CONFLICT DO NOTHING
  $$;

-- The release before begins snapshots without one.
CREATE FUNCTION complete_snapshot() RETURNS trigger
  LANGUAGE plpgsql SET search_path = public, pg_temp
  AS $$
  BEGIN
    PERFORM insert_run_of_snapshot(s) FROM snapshot_runs s
      WHERE s.organization_id = NEW.organization_id AND s.id = NEW.id;
    RETURN NULL;
  END
  $$;
CREATE CONSTRAINT TRIGGER snapshot_runs_complete AFTER INSERT ON snapshot_runs
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION complete_snapshot();

SELECT insert_run_of_snapshot(s) FROM snapshot_runs s;
-- allowed: those under way alone, which are few
UPDATE runs r SET waited_by = coalesce(a.waited_by, w.waited_by)
  FROM runs o
  LEFT JOIN agent_runs a ON a.organization_id = o.organization_id AND a.id = o.id
  LEFT JOIN workflow_runs w ON w.organization_id = o.organization_id AND w.id = o.id
  WHERE r.organization_id = o.organization_id AND r.id = o.id AND r.finished_at IS NULL
    AND coalesce(a.waited_by, w.waited_by) IS NOT NULL;

-- The process that waits for the end of a run, and is woken by it.
ALTER TABLE agent_runs ADD COLUMN waited_by text;

-- What two backfills of a schedule both find missing would be fired twice.
CREATE UNIQUE INDEX schedule_backfills_one ON schedule_backfills (organization_id, schedule_id) WHERE finished_at IS NULL;

CREATE INDEX schedule_runs_running ON schedule_runs (organization_id, schedule_id) WHERE status = 'running';

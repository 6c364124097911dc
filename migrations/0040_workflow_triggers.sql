-- A schedule fires a playbook, or is that of an active workflow's trigger: then what it starts is the version's.
ALTER TABLE schedules
  ADD COLUMN kind text NOT NULL DEFAULT 'playbook' CHECK (kind IN ('playbook', 'workflow')),
  ADD COLUMN workflow_id text,
  -- No reference: a draft may have lost the trigger that is active still.
  ADD COLUMN trigger_id text,
  ADD COLUMN version_id text,
  ALTER COLUMN playbook_id DROP NOT NULL,
  ADD CONSTRAINT schedules_target CHECK (CASE kind
    WHEN 'playbook' THEN playbook_id IS NOT NULL AND workflow_id IS NULL
    ELSE playbook_id IS NULL AND workflow_id IS NOT NULL AND trigger_id IS NOT NULL AND version_id IS NOT NULL END),
  ADD FOREIGN KEY (organization_id, workflow_id) REFERENCES workflows (organization_id, id) ON DELETE CASCADE;
CREATE INDEX schedules_of_triggers_done ON schedules (updated_at) WHERE kind = 'workflow' AND status = 'done';
CREATE UNIQUE INDEX schedules_of_trigger ON schedules (organization_id, workflow_id, trigger_id)
  WHERE workflow_id IS NOT NULL;

-- The version that was active when the fire was recorded.
ALTER TABLE schedule_runs ADD COLUMN version_id text;

-- How far a data_event trigger has seen to what was committed.
CREATE TABLE workflow_event_cursors (
  organization_id text NOT NULL,
  trigger_id text NOT NULL,
  workflow_id text NOT NULL,
  -- What was committed before does not set it off.
  since timestamptz NOT NULL DEFAULT date_trunc('milliseconds', now()),
  -- Everything up to this snapshot of the lake has been seen to; null until somebody looked.
  version bigint,
  -- The run that is being started for everything up to `run_to`, of the version that was active then.
  run_id text,
  run_to bigint,
  run_version_id text,
  PRIMARY KEY (organization_id, trigger_id),
  FOREIGN KEY (organization_id, workflow_id) REFERENCES workflows (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX workflow_event_cursors_of_workflow ON workflow_event_cursors (organization_id, workflow_id);
CALL isolate_organizations('workflow_event_cursors');

-- Organizations that wait for commits.
CREATE FUNCTION data_event_organizations(at_most integer) RETURNS SETOF text
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT organization_id FROM (SELECT DISTINCT organization_id FROM workflow_event_cursors) o
    ORDER BY random() LIMIT at_most
  $$;
REVOKE EXECUTE ON FUNCTION data_event_organizations FROM PUBLIC;
GRANT EXECUTE ON FUNCTION data_event_organizations TO workspace_service;

-- Schedules of triggers that no version has had active for as long as fires are kept.
CREATE FUNCTION purge_trigger_schedules(at_most integer) RETURNS void
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    DELETE FROM schedules WHERE ctid IN (
      SELECT s.ctid FROM schedules s
      WHERE s.kind = 'workflow' AND s.status = 'done' AND s.updated_at < now() - interval '400 days'
        AND NOT EXISTS (
          SELECT FROM workflow_active_triggers t
          WHERE t.organization_id = s.organization_id AND t.id = s.trigger_id)
        AND NOT EXISTS (
          SELECT FROM schedule_runs r
          WHERE r.organization_id = s.organization_id AND r.schedule_id = s.id AND r.status = 'running')
      LIMIT at_most)
  $$;
REVOKE EXECUTE ON FUNCTION purge_trigger_schedules FROM PUBLIC;
GRANT EXECUTE ON FUNCTION purge_trigger_schedules TO workspace_service;

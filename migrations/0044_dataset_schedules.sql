-- A dataset may be copied by a cadence. It need not be of a project.
ALTER TABLE datasets ADD COLUMN cadence jsonb;
ALTER TABLE schedules
  ADD COLUMN dataset_id text,
  ALTER COLUMN project_id DROP NOT NULL,
  DROP CONSTRAINT schedules_kind_check,
  ADD CONSTRAINT schedules_kind_check CHECK (kind IN ('playbook', 'workflow', 'dataset')),
  DROP CONSTRAINT schedules_target,
  ADD CONSTRAINT schedules_target CHECK (
    (playbook_id IS NOT NULL) = (kind = 'playbook')
    AND (workflow_id IS NOT NULL AND trigger_id IS NOT NULL AND version_id IS NOT NULL) = (kind = 'workflow')
    AND (workflow_id IS NOT NULL) = (kind = 'workflow')
    AND (dataset_id IS NOT NULL) = (kind = 'dataset')
    AND (project_id IS NOT NULL OR kind = 'dataset')),
  ADD FOREIGN KEY (organization_id, dataset_id) REFERENCES datasets (organization_id, id) ON DELETE CASCADE;
CREATE UNIQUE INDEX schedules_of_dataset ON schedules (organization_id, dataset_id) WHERE dataset_id IS NOT NULL;
ALTER TABLE schedule_runs ALTER COLUMN project_id DROP NOT NULL;
-- The process that waits for the snapshot to end.
ALTER TABLE snapshot_runs ADD COLUMN waited_by text;

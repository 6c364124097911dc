-- From then on a snapshot reads its source no more: its figures are final, and another one of the organization may begin.
ALTER TABLE snapshot_runs ADD COLUMN staged_at timestamptz;
UPDATE snapshot_runs SET staged_at = now() WHERE status = 'awaiting_confirmation';

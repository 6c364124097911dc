-- A workflow is paused too when its owner may no longer read a table that it reads.
ALTER TABLE workflows DROP CONSTRAINT workflows_pause_reason_check;
ALTER TABLE workflows ADD CONSTRAINT workflows_pause_reason_check
  CHECK (pause_reason IN ('maker_removed', 'grant_lost')) NOT VALID;

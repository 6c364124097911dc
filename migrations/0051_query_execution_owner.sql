-- What a workflow runs is shown to the workflow's owner and to administrators only; null is everybody of the organization.
ALTER TABLE query_executions ADD COLUMN owner_id text;

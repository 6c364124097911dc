-- A draft as it was activated; it never changes.
CREATE TABLE workflow_versions (
  organization_id text NOT NULL,
  id text NOT NULL,
  workflow_id text NOT NULL,
  number integer NOT NULL,
  title text NOT NULL,
  output_folder text NOT NULL,
  -- Secrets stand there as "********".
  graph json NOT NULL,
  -- {node: {key: secret}}
  sealed_secrets bytea NOT NULL,
  -- [{id, type, label, enabled, params, cadence, config}]
  triggers json NOT NULL,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, workflow_id, number),
  FOREIGN KEY (organization_id, workflow_id) REFERENCES workflows (organization_id, id) ON DELETE CASCADE
);
CALL isolate_organizations('workflow_versions');

-- What sets an active workflow off at this moment; replaced as a whole by an activation, taken away by a pause.
CREATE TABLE workflow_active_triggers (
  organization_id text NOT NULL,
  -- That of the trigger in the draft.
  id text NOT NULL,
  workflow_id text NOT NULL,
  version_id text NOT NULL,
  type text NOT NULL CHECK (type IN ('schedule', 'webhook', 'api', 'data_event')),
  params json NOT NULL,
  cadence jsonb,
  config jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, workflow_id) REFERENCES workflows (organization_id, id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, version_id) REFERENCES workflow_versions (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX workflow_active_triggers_of_workflow ON workflow_active_triggers (organization_id, workflow_id);
CALL isolate_organizations('workflow_active_triggers');

-- A run of a version, beside its row in runs, which has the same id.
CREATE TABLE workflow_runs (
  organization_id text NOT NULL,
  id text NOT NULL,
  project_id text NOT NULL,
  workflow_id text NOT NULL,
  version_id text NOT NULL,
  -- As whom it runs.
  owner_id text NOT NULL,
  params json NOT NULL,
  -- [{tableId, version}], all of one snapshot; null until it has begun.
  data_versions jsonb,
  -- The process that waits for its end, if one does.
  waited_by text,
  -- How often it was resumed: a process of an earlier time has nothing to say any more.
  resumes integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, id) REFERENCES runs (organization_id, id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, version_id) REFERENCES workflow_versions (organization_id, id)
);
CREATE INDEX workflow_runs_of_workflow ON workflow_runs (organization_id, workflow_id, id DESC);
CALL isolate_organizations('workflow_runs');

CREATE TABLE workflow_run_nodes (
  organization_id text NOT NULL,
  -- run.node
  id text NOT NULL,
  run_id text NOT NULL,
  node_id text NOT NULL,
  position integer NOT NULL,
  status text NOT NULL CHECK (status IN ('waiting', 'running', 'succeeded', 'failed', 'cancelled', 'skipped')),
  -- Those that failed, of what is tried again.
  attempts integer NOT NULL DEFAULT 0,
  -- What is under way for it elsewhere: {runId}, {approvalId}, {untilMs}, {deliveryIds}
  work jsonb,
  -- By output port: ids and keys, never the thing itself.
  output jsonb,
  error jsonb,
  started_at timestamptz,
  finished_at timestamptz,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, run_id) REFERENCES workflow_runs (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX workflow_run_nodes_of_run ON workflow_run_nodes (organization_id, run_id, position);
CALL isolate_organizations('workflow_run_nodes');

-- Runs that have not ended, whatever their process does.
CREATE FUNCTION active_workflow_runs(older_than interval, at_most integer)
  RETURNS TABLE (organization_id text, id text)
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT r.organization_id, r.id FROM runs r JOIN workflow_runs w USING (organization_id, id)
    WHERE r.finished_at IS NULL AND r.created_at < now() - older_than
    ORDER BY random() LIMIT at_most
  $$;
REVOKE EXECUTE ON FUNCTION active_workflow_runs FROM PUBLIC;
GRANT EXECUTE ON FUNCTION active_workflow_runs TO workspace_service;

CREATE TABLE workflow_approvals (
  organization_id text NOT NULL,
  id text NOT NULL,
  run_id text NOT NULL,
  node_id text NOT NULL,
  message text NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'allowed', 'denied', 'expired')),
  note text,
  decided_by text,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  decided_at timestamptz,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, run_id) REFERENCES workflow_runs (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX workflow_approvals_of_run ON workflow_approvals (organization_id, run_id, id);
CALL isolate_organizations('workflow_approvals');

-- The address of a webhook trigger, and what its calls are signed with. It lives for as long as something may set the
-- workflow off by it: the draft, or a version. A call is known by its run, whose id is made of the call.
CREATE TABLE workflow_hooks (
  organization_id text NOT NULL,
  trigger_id text NOT NULL,
  workflow_id text NOT NULL,
  token text NOT NULL UNIQUE,
  sealed_secret bytea NOT NULL,
  -- Of the secret before, for as long as it holds.
  sealed_previous_secret bytea,
  previous_until timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, trigger_id),
  FOREIGN KEY (organization_id, workflow_id) REFERENCES workflows (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX workflow_hooks_of_workflow ON workflow_hooks (organization_id, workflow_id);
CALL isolate_organizations('workflow_hooks');

-- A call names nothing but its token.
CREATE FUNCTION hook_of_token(wanted text)
  RETURNS TABLE (organization_id text, trigger_id text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ SELECT h.organization_id, h.trigger_id FROM workflow_hooks h WHERE h.token = wanted $$;
REVOKE EXECUTE ON FUNCTION hook_of_token FROM PUBLIC;
GRANT EXECUTE ON FUNCTION hook_of_token TO workspace_service;

-- A node that asks the analyst is a run of its own.
ALTER TABLE agent_runs
  DROP CONSTRAINT agent_runs_source_check,
  ADD CONSTRAINT agent_runs_source_check CHECK (source IN ('api', 'playbook', 'workflow'));

-- A delivery is a schedule's, or a workflow's node's.
ALTER TABLE deliveries
  ADD COLUMN workflow_id text,
  ADD COLUMN workflow_run_id text,
  ADD COLUMN node_id text,
  DROP CONSTRAINT deliveries_kind_check,
  ADD CONSTRAINT deliveries_kind_check CHECK (kind IN ('file', 'email', 'slack', 'webhook')),
  ADD FOREIGN KEY (organization_id, workflow_run_id) REFERENCES workflow_runs (organization_id, id) ON DELETE CASCADE;
CREATE INDEX deliveries_of_workflow ON deliveries (organization_id, workflow_id, id DESC) WHERE workflow_id IS NOT NULL;
CREATE INDEX deliveries_of_workflow_run ON deliveries (organization_id, workflow_run_id) WHERE workflow_run_id IS NOT NULL;

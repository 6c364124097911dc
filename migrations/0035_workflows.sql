-- What runs by itself as a graph of steps; only its owner sees it.
CREATE TABLE workflows (
  organization_id text NOT NULL,
  id text NOT NULL,
  project_id text NOT NULL,
  -- The user, or the API client, that made it and that it runs as.
  owner_id text NOT NULL,
  title text NOT NULL,
  description text NOT NULL DEFAULT '',
  output_folder text NOT NULL DEFAULT '',
  status text NOT NULL CHECK (status IN ('draft', 'active', 'paused', 'archived')),
  execution_format text NOT NULL CHECK (execution_format IN ('typed_graph', 'steps')),
  revision integer NOT NULL DEFAULT 1,
  -- The draft, as it was written; secrets stand there as "********".
  graph json,
  -- {node: {key: secret}}
  sealed_secrets bytea NOT NULL,
  active_version_id text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, project_id) REFERENCES projects (organization_id, id)
);
CREATE INDEX workflows_of_owner ON workflows (organization_id, owner_id, id DESC);
CALL isolate_organizations('workflows');

-- What sets a workflow off, as its draft says.
CREATE TABLE workflow_triggers (
  organization_id text NOT NULL,
  id text NOT NULL,
  workflow_id text NOT NULL,
  position integer NOT NULL,
  type text NOT NULL CHECK (type IN ('schedule', 'webhook', 'api', 'data_event')),
  label text NOT NULL DEFAULT '',
  enabled boolean NOT NULL DEFAULT true,
  params json NOT NULL DEFAULT '{}',
  -- Of a schedule: {type, zoneId, …} by the names that the API shows.
  cadence jsonb,
  -- Of a data_event: {tableIds, windowSeconds, ownWrites}
  config jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, workflow_id) REFERENCES workflows (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX workflow_triggers_of_workflow ON workflow_triggers (organization_id, workflow_id, position);
CALL isolate_organizations('workflow_triggers');

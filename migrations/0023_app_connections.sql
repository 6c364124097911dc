-- Connections to servers whose tools the analyst may use.
CREATE TABLE app_connections (
  organization_id text NOT NULL,
  id text NOT NULL,
  name text NOT NULL,
  type text NOT NULL CHECK (type IN ('mcp')),
  url text NOT NULL,
  -- Whether private addresses are refused that no operator opened.
  validate_server_address boolean NOT NULL DEFAULT true,
  -- Sealed JSON, and what of it is set.
  sealed_secrets bytea NOT NULL,
  secret_keys text[] NOT NULL DEFAULT '{}',
  -- Counts changes of what it connects to: what was found out with older settings is not kept.
  settings_revision integer NOT NULL DEFAULT 1,
  -- How its tools were listed last.
  status text NOT NULL DEFAULT 'untested' CHECK (status IN ('untested', 'ready', 'failed')),
  failure_stage text,
  failure_message text,
  tested_at timestamptz,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX app_connections_name ON app_connections (organization_id, name);
CALL isolate_organizations('app_connections');

-- The tools that a server listed, and what was decided of them.
CREATE TABLE app_tools (
  organization_id text NOT NULL,
  connection_id text NOT NULL,
  name text NOT NULL,
  -- What the analyst calls it; stays what it was when its connection is renamed.
  offered_name text NOT NULL,
  title text,
  description text NOT NULL,
  -- JSON text, because jsonb would write its numbers otherwise.
  input_schema text,
  is_read_only boolean NOT NULL,
  -- Why it cannot be offered.
  refusal text,
  -- Of everything that somebody who decides goes by, as it is and as it was when it was decided or first seen.
  fingerprint text NOT NULL,
  approved_fingerprint text NOT NULL,
  -- Null where nobody decided.
  policy text CHECK (policy IN ('allow', 'ask', 'deny')),
  decided_by text,
  decided_at timestamptz,
  seen_at timestamptz NOT NULL DEFAULT now(),
  -- The server lists it no longer.
  is_gone boolean NOT NULL DEFAULT false,
  PRIMARY KEY (organization_id, connection_id, name),
  FOREIGN KEY (organization_id, connection_id) REFERENCES app_connections (organization_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX app_tools_offered ON app_tools (organization_id, offered_name);
CALL isolate_organizations('app_tools');

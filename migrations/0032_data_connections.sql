-- Connections to sources of data: how each is reached, and what may be copied from it.
CREATE TABLE data_connections (
  organization_id text NOT NULL,
  id text NOT NULL,
  name text NOT NULL,
  type text NOT NULL CHECK (type IN ('postgres', 'mysql', 'http', 's3', 'ducklake')),
  description text NOT NULL DEFAULT '',
  -- JSON text: it comes back with the keys and in the order that it went in with.
  config text NOT NULL,
  -- Sealed JSON, and what of it is set.
  sealed_secrets bytea NOT NULL,
  secret_keys text[] NOT NULL DEFAULT '{}',
  -- Whether every dataset of it may be copied, and how an HTTP source is read (JSON text).
  snapshots_enabled boolean NOT NULL DEFAULT false,
  http_replication text,
  -- Counts changes of what it connects to: what was found out with older settings is not kept.
  settings_revision integer NOT NULL DEFAULT 1,
  last_tested_at timestamptz,
  last_test_ok boolean,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  CHECK (http_replication IS NULL OR type = 'http')
);
CREATE UNIQUE INDEX data_connections_name ON data_connections (organization_id, name);
CALL isolate_organizations('data_connections');

-- Kept answers of idempotent requests, per client or user, 24 hours.
CREATE TABLE idempotency_keys (
  organization_id text NOT NULL REFERENCES organizations (id),
  caller_id text NOT NULL,
  key text NOT NULL,
  request_hash bytea NOT NULL,
  -- While running: until when another request with this key must wait for this one.
  lease_until timestamptz NOT NULL,
  response_status integer,
  -- Encrypted: headers and body exactly as they were sent.
  response bytea,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL DEFAULT now() + interval '24 hours',
  PRIMARY KEY (organization_id, caller_id, key)
);
CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_at);
CALL isolate_organizations('idempotency_keys');

-- From which addresses an account has signed in, by a hash of both, which is no tenant's data. Failures of strangers do
-- not slow down who signs in from there.
CREATE TABLE known_sign_ins (
  key bytea PRIMARY KEY,
  last_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX known_sign_ins_last ON known_sign_ins (last_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON known_sign_ins TO workspace_service;

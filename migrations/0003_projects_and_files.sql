CREATE TABLE projects (
  organization_id text NOT NULL REFERENCES organizations (id),
  id text NOT NULL,
  name text NOT NULL,
  description text NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  archived_at timestamptz,
  PRIMARY KEY (organization_id, id)
);
CALL isolate_organizations('projects');

CREATE TABLE files (
  organization_id text NOT NULL,
  id text NOT NULL,
  project_id text NOT NULL,
  path text NOT NULL,
  content_type text NOT NULL,
  size_bytes bigint NOT NULL,
  sha256 text NOT NULL,
  version integer NOT NULL DEFAULT 1,
  source text NOT NULL CHECK (source IN ('write', 'upload')),
  -- One object a version: what was read stays readable until nothing needs it any more.
  object_key text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, project_id) REFERENCES projects (organization_id, id)
);
CREATE UNIQUE INDEX files_path ON files (organization_id, project_id, path);
CALL isolate_organizations('files');

CREATE TABLE file_uploads (
  organization_id text NOT NULL,
  id text NOT NULL,
  project_id text NOT NULL,
  object_key text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  finalized_at timestamptz,
  file_id text,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, project_id) REFERENCES projects (organization_id, id)
);
CREATE INDEX file_uploads_expiry ON file_uploads (expires_at);
CALL isolate_organizations('file_uploads');

-- Objects nothing names any more; removed once not_before has passed, so that a running reader can finish.
CREATE TABLE object_deletions (
  organization_id text NOT NULL REFERENCES organizations (id),
  object_key text NOT NULL,
  not_before timestamptz NOT NULL,
  PRIMARY KEY (organization_id, object_key)
);
CREATE INDEX object_deletions_due ON object_deletions (not_before);
CALL isolate_organizations('object_deletions');

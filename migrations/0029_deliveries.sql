-- What is brought somewhere, once: a file into a folder, a mail to somebody.
CREATE TABLE deliveries (
  organization_id text NOT NULL,
  id text NOT NULL,
  project_id text NOT NULL,
  -- The fire of a schedule whose output it is.
  schedule_run_id text,
  kind text NOT NULL CHECK (kind IN ('file', 'email')),
  -- The file's path, or the address of the mail.
  target text NOT NULL,
  -- {type: report, reportId, format} or {type: file, fileId}; with the words of a mail.
  content jsonb NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'sending', 'delivered', 'failed', 'uncertain')),
  attempts integer NOT NULL DEFAULT 0,
  -- What the other side said when it took it; a file's id.
  receipt text,
  error jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  delivered_at timestamptz,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, schedule_run_id) REFERENCES schedule_runs (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX deliveries_of_schedule_run ON deliveries (organization_id, schedule_run_id) WHERE schedule_run_id IS NOT NULL;
CALL isolate_organizations('deliveries');

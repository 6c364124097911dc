-- What fires again and again: a playbook by a cadence.
CREATE TABLE schedules (
  organization_id text NOT NULL,
  id text NOT NULL,
  project_id text NOT NULL,
  -- No reference: a playbook that was deleted is told of when it would run.
  playbook_id text NOT NULL,
  description text NOT NULL DEFAULT '',
  -- {type, zoneId, timeOfDay, …} by the names that the API shows.
  cadence jsonb NOT NULL,
  -- Values of the playbook's parameters, as they were written.
  params json NOT NULL DEFAULT '{}',
  output_folder text NOT NULL DEFAULT '',
  -- [{email, type}]
  email_recipients jsonb NOT NULL DEFAULT '[]',
  status text NOT NULL CHECK (status IN ('active', 'paused', 'done')),
  revision integer NOT NULL DEFAULT 1,
  -- The revision that its process last looked at.
  seen_revision integer NOT NULL DEFAULT 0,
  -- Everything that the cadence says up to then has been seen to.
  considered_until timestamptz NOT NULL,
  next_run_at timestamptz,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, project_id) REFERENCES projects (organization_id, id)
);
CREATE INDEX schedules_of_project ON schedules (organization_id, project_id, id DESC);
CREATE INDEX schedules_of_playbook ON schedules (organization_id, playbook_id, id DESC);
CREATE INDEX schedules_next ON schedules (next_run_at) WHERE status = 'active';
CREATE INDEX schedules_unseen ON schedules (updated_at) WHERE seen_revision < revision;
CALL isolate_organizations('schedules');

-- Fires again what a cadence says of a time that has passed.
CREATE TABLE schedule_backfills (
  organization_id text NOT NULL,
  id text NOT NULL,
  schedule_id text NOT NULL,
  from_at timestamptz NOT NULL,
  to_at timestamptz NOT NULL,
  only_missing boolean NOT NULL,
  max_concurrency integer NOT NULL,
  status text NOT NULL CHECK (status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
  -- What is to be fired, as it was planned: [{at, localTime, zoneId}]; the first `claimed` of them have been begun.
  planned jsonb NOT NULL,
  claimed integer NOT NULL DEFAULT 0,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  finished_at timestamptz,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, schedule_id) REFERENCES schedules (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX schedule_backfills_of_schedule ON schedule_backfills (organization_id, schedule_id, id DESC);
CREATE INDEX schedule_backfills_active ON schedule_backfills (created_at) WHERE finished_at IS NULL;
CALL isolate_organizations('schedule_backfills');

-- Each fire of a schedule, and each that was missed or skipped.
CREATE TABLE schedule_runs (
  organization_id text NOT NULL,
  id text NOT NULL,
  schedule_id text NOT NULL,
  project_id text NOT NULL,
  -- What makes a fire the same one: its local time and zone, with the backfill or the request where it is one's.
  fire_key text NOT NULL,
  origin text NOT NULL CHECK (origin IN ('cadence', 'request', 'backfill')),
  backfill_id text,
  scheduled_for timestamptz NOT NULL,
  -- What the cadence says: 2027-03-28T02:30:00, in the zone.
  local_time text NOT NULL,
  zone_id text NOT NULL,
  status text NOT NULL CHECK (status IN ('running', 'succeeded', 'failed', 'cancelled', 'missed', 'skipped')),
  reason text,
  -- Known before the run is there; `has_run` tells whether it was made.
  run_id text,
  has_run boolean NOT NULL DEFAULT false,
  fired_at timestamptz,
  finished_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, schedule_id, fire_key),
  FOREIGN KEY (organization_id, schedule_id) REFERENCES schedules (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX schedule_runs_of_schedule ON schedule_runs (organization_id, schedule_id, scheduled_for DESC, id DESC);
CREATE INDEX schedule_runs_fired ON schedule_runs (organization_id, schedule_id, fired_at DESC) WHERE fired_at IS NOT NULL;
CREATE INDEX schedule_runs_of_backfill ON schedule_runs (organization_id, backfill_id) WHERE backfill_id IS NOT NULL;
CREATE INDEX schedule_runs_unfinished ON schedule_runs (created_at) WHERE status = 'running';
CREATE INDEX schedule_runs_ended ON schedule_runs (finished_at) WHERE finished_at IS NOT NULL;
CALL isolate_organizations('schedule_runs');

-- Schedules whose process should have fired by now, or has not looked at their newest revision.
CREATE FUNCTION due_schedules(older_than interval, at_most integer)
  RETURNS TABLE (organization_id text, id text)
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT d.organization_id, d.id FROM (
      (SELECT s.organization_id, s.id FROM schedules s
       WHERE s.status = 'active' AND s.next_run_at < now() - older_than ORDER BY s.next_run_at LIMIT at_most * 10)
      UNION
      (SELECT s.organization_id, s.id FROM schedules s
       WHERE s.seen_revision < s.revision AND s.updated_at < now() - older_than ORDER BY s.updated_at LIMIT at_most * 10)
    ) d ORDER BY random() LIMIT at_most
  $$;

CREATE FUNCTION active_schedule_runs(older_than interval, at_most integer)
  RETURNS TABLE (organization_id text, id text)
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT r.organization_id, r.id FROM schedule_runs r
    WHERE r.status = 'running' AND r.created_at < now() - older_than ORDER BY random() LIMIT at_most
  $$;

CREATE FUNCTION active_schedule_backfills(older_than interval, at_most integer)
  RETURNS TABLE (organization_id text, id text)
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT b.organization_id, b.id FROM schedule_backfills b
    WHERE b.finished_at IS NULL AND b.created_at < now() - older_than ORDER BY random() LIMIT at_most
  $$;

-- A schedule that fires every minute has half a million runs a year: those that ended are kept for 400 days.
CREATE FUNCTION purge_schedule_runs(at_most integer) RETURNS void
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    DELETE FROM schedule_runs WHERE ctid IN (
      SELECT ctid FROM schedule_runs WHERE finished_at < now() - interval '400 days' LIMIT at_most)
  $$;

REVOKE EXECUTE ON FUNCTION due_schedules, active_schedule_runs, active_schedule_backfills, purge_schedule_runs FROM PUBLIC;
GRANT EXECUTE ON FUNCTION due_schedules, active_schedule_runs, active_schedule_backfills, purge_schedule_runs TO workspace_service;

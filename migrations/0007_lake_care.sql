-- One run of an organization's lake care: what it did, or which of its steps failed.
CREATE TABLE lake_care_runs (
  organization_id text NOT NULL REFERENCES organizations (id),
  id text NOT NULL,
  status text NOT NULL CHECK (status IN ('queued', 'running', 'succeeded', 'failed')),
  trigger text NOT NULL CHECK (trigger IN ('cadence', 'request')),
  figures jsonb NOT NULL DEFAULT '{}',
  error jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  finished_at timestamptz,
  PRIMARY KEY (organization_id, id)
);
-- One run at a time: who asks for another meanwhile gets this one.
CREATE UNIQUE INDEX lake_care_runs_active ON lake_care_runs (organization_id) WHERE status IN ('queued', 'running');
CREATE INDEX lake_care_runs_age ON lake_care_runs (created_at);
CALL isolate_organizations('lake_care_runs');

-- Snapshots that must outlive the retention, until their holder lets go or the time has passed.
CREATE TABLE lake_pins (
  organization_id text NOT NULL REFERENCES organizations (id),
  snapshot_id bigint NOT NULL,
  holder text NOT NULL,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, holder, snapshot_id)
);
CALL isolate_organizations('lake_pins');

-- When the care of a lake was last seen to: started, or found running by the reconciler.
ALTER TABLE lakes ADD COLUMN care_started_at timestamptz;

-- Ready lakes that nobody cares for: never started, silent for longer than care ever is, or deaf to a request.
CREATE FUNCTION uncared_lakes(silent_for interval, deaf_for interval, at_most integer)
  RETURNS TABLE (organization_id text, is_asked boolean)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT candidate.organization_id, candidate.is_asked FROM (
      SELECT l.organization_id, l.care_started_at,
             EXISTS (
               SELECT FROM lake_care_runs r
               WHERE r.organization_id = l.organization_id AND r.status = 'queued'
                 AND r.created_at < now() - deaf_for) AS is_asked,
             l.care_started_at < now() - silent_for AND NOT EXISTS (
               SELECT FROM lake_care_runs r
               WHERE r.organization_id = l.organization_id
                 AND greatest(r.started_at, r.finished_at) > now() - silent_for) AS is_silent
      FROM lakes l WHERE l.ready_at IS NOT NULL) AS candidate
    WHERE candidate.care_started_at IS NULL OR candidate.is_asked OR candidate.is_silent
    ORDER BY candidate.care_started_at NULLS FIRST LIMIT at_most
  $$;

CREATE FUNCTION purge_lake_care(at_most integer) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
BEGIN
  DELETE FROM lake_care_runs WHERE ctid IN (
    SELECT ctid FROM lake_care_runs
    WHERE created_at < now() - interval '30 days' AND status IN ('succeeded', 'failed') LIMIT at_most);
END
$$;

REVOKE EXECUTE ON FUNCTION uncared_lakes, purge_lake_care FROM PUBLIC;
GRANT EXECUTE ON FUNCTION uncared_lakes, purge_lake_care TO workspace_service;

-- The field's word for it.
ALTER TABLE lake_care_runs RENAME TO lake_maintenance_runs;
ALTER INDEX lake_care_runs_pkey RENAME TO lake_maintenance_runs_pkey;
ALTER INDEX lake_care_runs_active RENAME TO lake_maintenance_runs_active;
ALTER INDEX lake_care_runs_age RENAME TO lake_maintenance_runs_age;
ALTER TABLE lakes RENAME COLUMN care_started_at TO maintenance_started_at;
DROP FUNCTION uncared_lakes, purge_lake_care;

-- Ready lakes whose maintenance never started, was silent for longer than it ever is, or did not hear a request. In
-- no order: lakes that cannot be helped do not keep the others waiting.
CREATE FUNCTION lakes_due(silent_for interval, deaf_for interval, at_most integer)
  RETURNS TABLE (organization_id text, is_asked boolean)
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT candidate.organization_id, candidate.is_asked FROM (
      SELECT l.organization_id, l.maintenance_started_at,
             EXISTS (
               SELECT FROM lake_maintenance_runs r
               WHERE r.organization_id = l.organization_id AND r.status = 'queued'
                 AND r.created_at < now() - deaf_for) AS is_asked,
             l.maintenance_started_at < now() - silent_for AND NOT EXISTS (
               SELECT FROM lake_maintenance_runs r
               WHERE r.organization_id = l.organization_id
                 AND greatest(r.started_at, r.finished_at) > now() - silent_for) AS is_silent
      FROM lakes l WHERE l.ready_at IS NOT NULL) AS candidate
    WHERE candidate.maintenance_started_at IS NULL OR candidate.is_asked OR candidate.is_silent
    ORDER BY random() LIMIT at_most
  $$;

CREATE FUNCTION purge_lake_maintenance(at_most integer) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
BEGIN
  DELETE FROM lake_maintenance_runs WHERE ctid IN (
    SELECT ctid FROM lake_maintenance_runs
    WHERE created_at < now() - interval '30 days' AND status IN ('succeeded', 'failed') LIMIT at_most);
END
$$;

REVOKE EXECUTE ON FUNCTION lakes_due, purge_lake_maintenance FROM PUBLIC;
GRANT EXECUTE ON FUNCTION lakes_due, purge_lake_maintenance TO workspace_service;

-- Apps that people deployed elsewhere, and whether their health address answers.
CREATE TABLE deployed_apps (
  organization_id text NOT NULL REFERENCES organizations (id),
  slug text COLLATE "C" NOT NULL,
  name text NOT NULL,
  url text NOT NULL,
  version text NOT NULL,
  environment text NOT NULL,
  health_path text NOT NULL,
  description text,
  deployed_by text NOT NULL,
  deployed_at timestamptz NOT NULL,
  -- From the first check that succeeded until three in a row failed.
  is_live boolean NOT NULL,
  -- In a row, up to the last check.
  failed_checks integer NOT NULL,
  -- Null where there was no answer.
  last_status integer,
  last_elapsed_ms integer NOT NULL,
  last_checked_at timestamptz NOT NULL,
  next_check_at timestamptz NOT NULL,
  -- Counts registrations and recorded checks, so that a check of what was there before is not recorded.
  revision integer NOT NULL DEFAULT 1,
  PRIMARY KEY (organization_id, slug)
);
CREATE INDEX deployed_apps_due ON deployed_apps (next_check_at);
CALL isolate_organizations('deployed_apps');

-- Organizations whose apps should have been checked by now. In no order: those that cannot be helped do not keep the
-- others waiting.
CREATE FUNCTION organizations_with_late_checks(late_for interval, at_most integer)
  RETURNS TABLE (organization_id text)
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT late.organization_id FROM (
      SELECT DISTINCT a.organization_id FROM deployed_apps a WHERE a.next_check_at < now() - late_for) AS late
    ORDER BY random() LIMIT at_most
  $$;
REVOKE EXECUTE ON FUNCTION organizations_with_late_checks FROM PUBLIC;
GRANT EXECUTE ON FUNCTION organizations_with_late_checks TO workspace_service;

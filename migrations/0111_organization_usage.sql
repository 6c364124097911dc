-- What an organization used in a calendar month (UTC), where nothing else keeps it as long.
CREATE TABLE organization_usage (
  organization_id text NOT NULL REFERENCES organizations (id),
  month date NOT NULL,
  statements bigint NOT NULL DEFAULT 0,
  -- At the last look of the month; null if there was none.
  stored_bytes bigint,
  PRIMARY KEY (organization_id, month)
);
CALL isolate_organizations('organization_usage');

-- How far the statements of all organizations are counted, and when their bytes were last looked at.
CREATE TABLE usage_counting (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  counted_to timestamptz NOT NULL,
  looked_at timestamptz NOT NULL DEFAULT '-infinity'
);
INSERT INTO usage_counting (counted_to) VALUES (now() - interval '30 days');

-- Counts at most a day of statements, up to a time ago that no record takes to be written. Of several that
-- count, one does. Returns whether there is more to count.
CREATE FUNCTION count_statements(older_than interval) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
DECLARE
  since timestamptz;
  until timestamptz;
BEGIN
  SELECT counted_to INTO since FROM usage_counting FOR UPDATE SKIP LOCKED;
  until := least(now() - older_than, since + interval '1 day');
  IF since IS NULL OR until <= since THEN RETURN false; END IF;
  INSERT INTO organization_usage AS counted (organization_id, month, statements)
  SELECT q.organization_id, date_trunc('month', q.created_at AT TIME ZONE 'UTC')::date, count(*)
  FROM query_executions q WHERE q.created_at >= since AND q.created_at < until
  GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (organization_id, month) DO UPDATE SET statements = counted.statements + excluded.statements;
  UPDATE usage_counting SET counted_to = until;
  RETURN until < now() - older_than;
END
$$;

-- Months of which nobody asks any more.
CREATE FUNCTION purge_usage(months integer, at_most integer) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    DELETE FROM organization_usage WHERE ctid IN (
      SELECT ctid FROM organization_usage
      WHERE month <= date_trunc('month', now() AT TIME ZONE 'UTC') - make_interval(months => months) LIMIT at_most)
  $$;
REVOKE EXECUTE ON FUNCTION count_statements, purge_usage FROM PUBLIC;
GRANT EXECUTE ON FUNCTION count_statements, purge_usage TO workspace_service;

ALTER TABLE organizations VALIDATE CONSTRAINT organizations_deleted_suspended;
ALTER TABLE organizations VALIDATE CONSTRAINT organizations_begun_due;

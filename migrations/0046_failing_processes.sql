-- Processes whose tasks fail again and again, as the service of workflows tells: they run, and do not go on. Each is written
-- anew for as long as it is so; what was not for some minutes is over.
CREATE TABLE failing_processes (
  organization_id text NOT NULL REFERENCES organizations (id),
  workflow_id text NOT NULL,
  kind text NOT NULL,
  -- As Temporal names it: NonDeterministicError, WorkflowWorkerUnhandledFailure, …
  cause text NOT NULL,
  first_seen_at timestamptz NOT NULL DEFAULT now(),
  last_seen_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, workflow_id)
);
CALL isolate_organizations('failing_processes');

-- How many of each kind there are now, in whichever organization, for those who operate all of them.
CREATE FUNCTION count_failing_processes(within interval) RETURNS TABLE (kind text, failing bigint)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT f.kind, count(*) FROM failing_processes f WHERE f.last_seen_at > now() - within GROUP BY f.kind
  $$;

CREATE FUNCTION forget_failing_processes(after interval) RETURNS void
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$ DELETE FROM failing_processes WHERE last_seen_at < now() - after $$;

REVOKE EXECUTE ON FUNCTION count_failing_processes, forget_failing_processes FROM PUBLIC;
GRANT EXECUTE ON FUNCTION count_failing_processes, forget_failing_processes TO workspace_service;

-- Token buckets that API processes share, by a hash of whose they are. Lost in a crash, they are full again.
CREATE UNLOGGED TABLE rate_buckets (
  key bytea PRIMARY KEY,
  full_at timestamptz NOT NULL
);
-- allowed: the table is made here
CREATE INDEX rate_buckets_full ON rate_buckets (full_at);

CREATE FUNCTION remove_full_buckets(at_most integer) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
DECLARE removed integer;
BEGIN
  DELETE FROM rate_buckets WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM rate_buckets WHERE full_at < now() LIMIT at_most FOR UPDATE SKIP LOCKED));
  GET DIAGNOSTICS removed = ROW_COUNT;
  RETURN removed;
END
$$;

REVOKE EXECUTE ON FUNCTION remove_full_buckets FROM PUBLIC;
GRANT EXECUTE ON FUNCTION remove_full_buckets TO workspace_service;

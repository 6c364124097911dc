-- How far a dataset's copies came, and how far one that reads page after page is.
ALTER TABLE datasets
  -- {fingerprint, tableId, reached: {cursor, tieBreaker} | null, sweep: {position, base} | null, wholeAt}
  ADD COLUMN replicated jsonb;
ALTER TABLE snapshot_runs
  -- It adds to the table and replaces rows by their key, instead of being its whole content.
  ADD COLUMN is_incremental boolean NOT NULL DEFAULT false,
  -- What of an HTTP source was read, and where the next page is.
  ADD COLUMN reading jsonb,
  -- Until then the limits of its source let it do nothing.
  ADD COLUMN waits_until timestamptz;

-- What was asked of the source of a connection, by all workers: its limits hold over all of them, and over their restarts.
CREATE TABLE source_requests (
  organization_id text NOT NULL,
  connection_id text NOT NULL,
  -- {second, minute, day, hour: [[from, amount]], leases: [[id, until]], blockedUntil}, in milliseconds
  usage jsonb NOT NULL,
  PRIMARY KEY (organization_id, connection_id),
  FOREIGN KEY (organization_id, connection_id) REFERENCES data_connections (organization_id, id) ON DELETE CASCADE
);
CALL isolate_organizations('source_requests');

-- The configured source behind a table, and how far its client has come.
CREATE TABLE data_syncs (
  organization_id text NOT NULL REFERENCES organizations (id),
  id text NOT NULL,
  table_id text NOT NULL,
  provider text NOT NULL,
  generation text NOT NULL,
  -- Counts rotations: a generation that comes back by name is not the one a batch was opened under.
  rotation integer NOT NULL DEFAULT 0,
  key_columns text[] NOT NULL DEFAULT '{}',
  -- The last applied batch, its generation, what its client gave it to remember, and the version it became.
  checkpoint_batch_id text,
  checkpoint_generation text,
  checkpoint jsonb,
  checkpoint_version bigint,
  applied_at timestamptz,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id)
);
CALL isolate_organizations('data_syncs');

CREATE TABLE ingestion_batches (
  organization_id text NOT NULL REFERENCES organizations (id),
  id text NOT NULL,
  table_id text NOT NULL,
  sync_id text,
  client_batch_id text,
  mode text NOT NULL CHECK (mode IN ('append', 'upsert', 'replace', 'provider_snapshot')),
  status text NOT NULL CHECK (status IN (
    'open', 'completing', 'awaiting_confirmation', 'applying', 'applied', 'failed', 'aborted', 'expired')),
  -- The sync's when the batch was opened.
  generation text,
  rotation integer,
  on_bad_record text NOT NULL CHECK (on_bad_record IN ('refuse', 'quarantine')),
  on_new_field text NOT NULL CHECK (on_new_field IN ('refuse', 'add', 'ignore')),
  max_shrink_ratio double precision,
  -- The batch or import whose quarantined records this one stages again.
  replay_of text,
  -- Written once, by the complete that was accepted.
  page_count integer,
  manifest_sha256 text,
  checkpoint jsonb,
  shrink_confirmed boolean NOT NULL DEFAULT false,
  records_staged bigint,
  records_quarantined bigint,
  bytes_staged bigint,
  quarantine_table_id text,
  rows_inserted bigint,
  rows_updated bigint,
  table_version bigint,
  error jsonb,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  applied_at timestamptz,
  -- When the status last changed, and when the staged pages of an ended batch were removed.
  moved_at timestamptz NOT NULL DEFAULT now(),
  cleaned_at timestamptz,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, sync_id) REFERENCES data_syncs (organization_id, id)
);
CREATE UNIQUE INDEX ingestion_batches_client ON ingestion_batches (organization_id, table_id, client_batch_id)
  WHERE client_batch_id IS NOT NULL;
-- One replay at a time of one batch's quarantine.
CREATE UNIQUE INDEX ingestion_batches_replay ON ingestion_batches (organization_id, replay_of)
  WHERE replay_of IS NOT NULL AND status IN ('open', 'completing', 'awaiting_confirmation', 'applying');
CREATE INDEX ingestion_batches_unfinished ON ingestion_batches (moved_at) WHERE cleaned_at IS NULL;
CALL isolate_organizations('ingestion_batches');

-- One immutable page of a batch: a second one of its number is the same or is refused.
CREATE TABLE staged_pages (
  organization_id text NOT NULL,
  batch_id text NOT NULL,
  page_number integer NOT NULL CHECK (page_number BETWEEN 1 AND 100000),
  sha256 text NOT NULL,
  -- Of the canonical records.
  size_bytes bigint NOT NULL,
  records integer NOT NULL,
  quarantined integer NOT NULL,
  -- Parquet of the good records and of the bad ones, where there are any.
  object_key text,
  quarantine_key text,
  -- [{name, dataType}] of the columns that have a value in it.
  columns jsonb NOT NULL,
  row_id_min numeric,
  row_id_max numeric,
  staged_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, batch_id, page_number),
  FOREIGN KEY (organization_id, batch_id) REFERENCES ingestion_batches (organization_id, id) ON DELETE CASCADE
);
CALL isolate_organizations('staged_pages');

-- The table whose refused records this one keeps.
ALTER TABLE tables ADD COLUMN quarantine_of text;
CREATE UNIQUE INDEX tables_quarantine ON tables (organization_id, quarantine_of) WHERE quarantine_of IS NOT NULL;

-- Batches whose process should have moved them on by now: its signal was lost, or it was ended from outside.
CREATE FUNCTION stalled_ingestion_batches(older_than interval, at_most integer)
  RETURNS TABLE (organization_id text, id text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT b.organization_id, b.id FROM ingestion_batches b
    WHERE b.cleaned_at IS NULL
      AND CASE WHEN b.status IN ('open', 'awaiting_confirmation') THEN b.expires_at ELSE b.moved_at END < now() - older_than
    ORDER BY b.moved_at LIMIT at_most
  $$;

-- The pages of long ended batches are forgotten, and at last the batches.
CREATE FUNCTION purge_ingestion(at_most integer) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
BEGIN
  DELETE FROM staged_pages WHERE ctid IN (
    SELECT p.ctid FROM ingestion_batches b
    JOIN staged_pages p ON p.organization_id = b.organization_id AND p.batch_id = b.id
    WHERE b.cleaned_at < now() - interval '30 days' LIMIT at_most);
  DELETE FROM ingestion_batches WHERE ctid IN (
    SELECT ctid FROM ingestion_batches WHERE cleaned_at < now() - interval '400 days' LIMIT at_most);
END
$$;

REVOKE EXECUTE ON FUNCTION stalled_ingestion_batches, purge_ingestion FROM PUBLIC;
GRANT EXECUTE ON FUNCTION stalled_ingestion_batches, purge_ingestion TO workspace_service;

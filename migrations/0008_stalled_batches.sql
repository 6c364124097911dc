-- In no order: a hundred batches that cannot be helped do not keep the others waiting.
CREATE OR REPLACE FUNCTION stalled_ingestion_batches(older_than interval, at_most integer)
  RETURNS TABLE (organization_id text, id text)
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
  AS $$
    SELECT b.organization_id, b.id FROM ingestion_batches b
    WHERE b.cleaned_at IS NULL
      AND CASE WHEN b.status IN ('open', 'awaiting_confirmation') THEN b.expires_at ELSE b.moved_at END < now() - older_than
    ORDER BY random() LIMIT at_most
  $$;

CREATE INDEX ingestion_batches_applying ON ingestion_batches (organization_id, sync_id) WHERE status = 'applying';

-- Whether a replay stages the records of a batch or the rows of an import's file again.
ALTER TABLE ingestion_batches ADD COLUMN replay_source text CHECK (replay_source IN ('batch', 'import'));
UPDATE ingestion_batches SET replay_source = CASE WHEN replay_of LIKE 'imp\_%' THEN 'import' ELSE 'batch' END
  WHERE replay_of IS NOT NULL;
ALTER TABLE ingestion_batches ADD CONSTRAINT ingestion_batches_replay_source
  CHECK ((replay_of IS NULL) = (replay_source IS NULL));

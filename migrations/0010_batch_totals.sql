-- What a batch had staged stays told after the pages' own rows went.
ALTER TABLE ingestion_batches ADD COLUMN pages_staged integer;
UPDATE ingestion_batches SET pages_staged = page_count;

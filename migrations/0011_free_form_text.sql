-- What clients write freely stays the text it is: jsonb writes numbers out, and 1e400 is then 401 digits.
ALTER TABLE tables ALTER COLUMN semantics DROP DEFAULT;
ALTER TABLE tables ALTER COLUMN semantics TYPE json USING semantics::text::json;
ALTER TABLE tables ALTER COLUMN semantics SET DEFAULT '{}';
ALTER TABLE data_syncs ALTER COLUMN checkpoint TYPE json USING checkpoint::text::json;
ALTER TABLE ingestion_batches ALTER COLUMN checkpoint TYPE json USING checkpoint::text::json;

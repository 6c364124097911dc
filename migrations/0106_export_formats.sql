-- CSV packed with gzip, and a byte order mark at the beginning of CSV, by which Excel knows that it is UTF-8.
ALTER TABLE exports DROP CONSTRAINT exports_format_check;
ALTER TABLE exports ADD CONSTRAINT exports_format_check
  CHECK (format IN ('csv', 'csv.gz', 'parquet', 'ndjson', 'arrow', 'xlsx')) NOT VALID;
ALTER TABLE exports ADD COLUMN byte_order_mark boolean NOT NULL DEFAULT false;

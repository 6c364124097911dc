-- What a snapshot copied, and is likely not meant so: code, message, column, count.
ALTER TABLE snapshot_runs ADD COLUMN warnings jsonb NOT NULL DEFAULT '[]';
-- What a value is that its type cannot hold: the end of the copy, or null.
ALTER TABLE datasets ADD COLUMN unreadable_values text NOT NULL DEFAULT 'fail';
-- How the CSV files of an object store are read; null: as detected.
ALTER TABLE datasets ADD COLUMN csv jsonb;

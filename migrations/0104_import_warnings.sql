-- What an import read, and is likely not meant so: code, message, count.
ALTER TABLE table_imports ADD COLUMN warnings jsonb NOT NULL DEFAULT '[]';

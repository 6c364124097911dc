-- The names that the columns of the table have in the file, [{source, target}]: without mappings the request does
-- not tell them. Null until the import succeeded, and for imports from before.
ALTER TABLE table_imports ADD COLUMN source_columns jsonb;

-- An import may add its rows to those of a table.
ALTER TABLE table_imports DROP CONSTRAINT IF EXISTS table_imports_mode_check;
ALTER TABLE table_imports ADD CONSTRAINT table_imports_mode_check CHECK (mode IN ('create', 'replace', 'append')) NOT VALID;

-- Lines of a file that stand before its data and are no rows: [{line, reason}].
ALTER TABLE table_imports ADD COLUMN skipped_lines jsonb NOT NULL DEFAULT '[]';

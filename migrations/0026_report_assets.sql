-- What a revision refers to lies with its report: the keys of its objects, by what the Markdown calls them.
ALTER TABLE report_versions
  ADD COLUMN assets jsonb NOT NULL DEFAULT '{}',
  ADD COLUMN size_bytes integer NOT NULL GENERATED ALWAYS AS (octet_length(content)) STORED;

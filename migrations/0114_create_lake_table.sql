-- Makes an empty table in the catalog of a lake, as DuckLake's own commit of CREATE TABLE leaves it: an engine reads the
-- whole catalog for each change of a schema, however many tables there are. One call is one transaction, in the session
-- that holds the table's lock. data/lake/ducklake/new-table.ts says what each outcome means.
CREATE FUNCTION create_lake_table(
    lake_schema text, new_name text, names text[], types text[], nullable boolean[], comments text[], note text)
  RETURNS TABLE (outcome text, version bigint)
  LANGUAGE plpgsql
  AS $$
  DECLARE
    newest record;
    main_id bigint;
    -- Its table of inlined rows.
    inlined text;
    definitions text;
    lock_timeout_before text := current_setting('lock_timeout');
  BEGIN
    PERFORM set_config('search_path', quote_ident(lake_schema), true);
    -- As in append_inlined_rows.
    BEGIN
      PERFORM set_config('lock_timeout', '1s', true);
      PERFORM pg_advisory_xact_lock(hashtextextended('snapshot:' || lake_schema, 0));
    EXCEPTION WHEN lock_not_available THEN
      NULL;
    END;
    PERFORM set_config('lock_timeout', lock_timeout_before, true);
    LOOP
      SELECT * INTO newest FROM ducklake_snapshot ORDER BY snapshot_id DESC LIMIT 1;

      -- All that is read from here on holds for the snapshot, or its successor is there already. Another format of the
      -- catalog may want more than is written here.
      SELECT s.schema_id INTO main_id FROM ducklake_schema s
      JOIN ducklake_metadata m ON m.key = 'version' AND m.value = '1.0'
      WHERE s.schema_name = 'main' AND s.end_snapshot IS NULL;
      IF main_id IS NULL
        OR EXISTS (SELECT FROM ducklake_table t
          WHERE lower(t.table_name) = lower(new_name) AND t.end_snapshot IS NULL)
        OR EXISTS (SELECT FROM ducklake_view v
          WHERE lower(v.view_name) = lower(new_name) AND v.end_snapshot IS NULL) THEN
        RETURN QUERY SELECT 'unfit', NULL::bigint;
        RETURN;
      END IF;

      -- Waits for a commit in progress.
      INSERT INTO ducklake_snapshot (snapshot_id, snapshot_time, schema_version, next_catalog_id, next_file_id)
      VALUES (newest.snapshot_id + 1, clock_timestamp(), newest.schema_version + 1, newest.next_catalog_id + 1,
        newest.next_file_id)
      ON CONFLICT DO NOTHING;
      EXIT WHEN FOUND;
    END LOOP;

    INSERT INTO ducklake_schema_versions (begin_snapshot, schema_version, table_id)
    VALUES (newest.snapshot_id + 1, newest.schema_version + 1, newest.next_catalog_id);
    INSERT INTO ducklake_table
      (table_id, table_uuid, begin_snapshot, end_snapshot, schema_id, table_name, path, path_is_relative)
    VALUES (newest.next_catalog_id, gen_random_uuid(), newest.snapshot_id + 1, NULL, main_id, new_name,
      new_name || '/', true);
    INSERT INTO ducklake_column
      (column_id, begin_snapshot, end_snapshot, table_id, column_order, column_name, column_type, initial_default,
       default_value, nulls_allowed, parent_column, default_value_type, default_value_dialect)
    SELECT c.at, newest.snapshot_id + 1, NULL, newest.next_catalog_id, c.at, c.name, c.type, NULL,
      'NULL', c.may_be_null, NULL, 'literal', 'duckdb'
    FROM unnest(names, types, nullable) WITH ORDINALITY AS c(name, type, may_be_null, at);
    -- Rows are kept with a type of PostgreSQL, and without constraints.
    SELECT string_agg(format('%I %s', c.name, CASE
        WHEN c.type = 'boolean' THEN 'boolean'
        WHEN c.type = 'int64' THEN 'bigint'
        WHEN c.type = 'float64' THEN 'double precision'
        WHEN c.type IN ('varchar', 'json') THEN 'bytea'
        WHEN c.type IN ('date', 'timestamp', 'timestamptz') THEN 'character varying'
        WHEN c.type = 'time' THEN 'time'
        WHEN c.type ~ '^decimal\(\d+,\d+\)$' THEN replace(c.type, 'decimal', 'numeric')
      END), ', ' ORDER BY c.at)
    INTO STRICT definitions
    FROM unnest(names, types) WITH ORDINALITY AS c(name, type, at);
    inlined := 'ducklake_inlined_data_' || newest.next_catalog_id || '_' || newest.schema_version + 1;
    EXECUTE format('CREATE TABLE %I (row_id bigint, begin_snapshot bigint, end_snapshot bigint, %s)', inlined, definitions);
    INSERT INTO ducklake_inlined_data_tables (table_id, table_name, schema_version)
    VALUES (newest.next_catalog_id, inlined, newest.schema_version + 1);
    INSERT INTO ducklake_column_tag (table_id, column_id, begin_snapshot, end_snapshot, key, value)
    SELECT newest.next_catalog_id, c.at, newest.snapshot_id + 1, NULL, 'comment', c.comment
    FROM unnest(comments) WITH ORDINALITY AS c(comment, at) WHERE c.comment IS NOT NULL;
    INSERT INTO ducklake_snapshot_changes (snapshot_id, changes_made, author, commit_message, commit_extra_info)
    VALUES (newest.snapshot_id + 1,
      'created_table:"main"."' || new_name || '"' || CASE WHEN cardinality(array_remove(comments, NULL)) > 0
        THEN ',altered_table:' || newest.next_catalog_id ELSE '' END,
      'workspace', 'create', note);
    RETURN QUERY SELECT 'written', newest.snapshot_id + 1;
  END $$;

REVOKE EXECUTE ON FUNCTION create_lake_table FROM PUBLIC;

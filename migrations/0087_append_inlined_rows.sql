-- Commits a few rows to a table of a lake without an engine, as DuckLake's specification says a writer commits rows
-- that are inlined in the catalog. One call is one transaction: the rows, the statistics, the snapshot and the note
-- that the triggers of the ledger read. It takes the lock of the table, and looks whether the table still is what the
-- caller believes. The statement to write the rows comes from data/lake/ducklake/inlined-append.ts, which says what each
-- outcome means.
CREATE FUNCTION append_inlined_rows(
    registered_id text, may_read text[], may_write text[],
    lake_schema text, lake_table bigint, names text[], types text[],
    id_name text, ids bigint[], write_rows text, rows_text text, note text)
  RETURNS TABLE (outcome text, version bigint, taken bigint[])
  LANGUAGE plpgsql
  AS $$
  DECLARE
    newest record;
    -- Its tables of inlined rows: that of the present schema, and each.
    present text;
    part text;
    fits boolean;
    may_be_taken boolean;
    least_id bigint;
    greatest_id bigint;
    among bigint[];
    first_row bigint;
    -- Of each column's new values.
    lowest text[];
    highest text[];
    have_null boolean[];
    lock_timeout_before text := current_setting('lock_timeout');
    -- As DuckLake writes a time with its zone.
    now_text text;
  BEGIN
    -- As data/lake/locks.ts does: the table's lock, and after whatever its last holder may have left to commit.
    PERFORM pg_advisory_xact_lock(hashtextextended('table:' || registered_id, 0));
    PERFORM pg_advisory_xact_lock(hashtextextended('commit:' || registered_id, 0));
    PERFORM FROM public.tables t
    WHERE t.id = registered_id AND t.status = 'ready' AND t.kind = 'data' AND NOT t.key_enforced
      AND t.pending_rename IS NULL AND t.readers IS NOT DISTINCT FROM may_read AND t.writers IS NOT DISTINCT FROM may_write;
    IF NOT FOUND THEN
      RETURN QUERY SELECT 'unfit', NULL::bigint, NULL::bigint[];
      RETURN;
    END IF;
    PERFORM set_config('search_path', quote_ident(lake_schema), true);
    -- Appends take turns, and wait while an engine commits (data/lake/locks.ts). That only saves attempts, as the key
    -- of the snapshots decides who commits next: so nobody waits long for an engine that does not come back.
    BEGIN
      PERFORM set_config('lock_timeout', '1s', true);
      PERFORM pg_advisory_xact_lock(hashtextextended('snapshot:' || lake_schema, 0));
    EXCEPTION WHEN lock_not_available THEN
      NULL;
    END;
    PERFORM set_config('lock_timeout', lock_timeout_before, true);
    SELECT min(id), max(id) INTO least_id, greatest_id FROM unnest(ids) AS id;
    LOOP
      SELECT * INTO newest FROM ducklake_snapshot ORDER BY snapshot_id DESC LIMIT 1;

      -- All that is read from here on holds for the snapshot, or its successor is there already.
      SELECT array_agg(c.column_name::text ORDER BY c.column_order) = names
         AND array_agg(c.column_type::text ORDER BY c.column_order) = types
         AND bool_and(s.extra_stats IS NULL AND CASE
               WHEN s.min_value IS NULL AND s.max_value IS NULL THEN s.contains_null
               WHEN c.column_type = 'date'
                 THEN s.min_value ~ '^\d{4}-\d\d-\d\d$' AND s.max_value ~ '^\d{4}-\d\d-\d\d$'
               WHEN c.column_type = 'timestamp'
                 THEN s.min_value ~ '^\d{4}-\d\d-\d\d [0-9:.]+$' AND s.max_value ~ '^\d{4}-\d\d-\d\d [0-9:.]+$'
               WHEN c.column_type = 'timestamptz'
                 THEN s.min_value ~ '^\d{4}-\d\d-\d\d [0-9:.]+\+00$'
                  AND s.max_value ~ '^\d{4}-\d\d-\d\d [0-9:.]+\+00$'
               ELSE s.min_value IS NOT NULL AND s.max_value IS NOT NULL
             END),
             bool_or(c.column_name = id_name AND CASE WHEN c.column_name = id_name
               THEN s.max_value::bigint >= least_id AND s.min_value::bigint <= greatest_id END)
      INTO fits, may_be_taken
      FROM ducklake_column c
      LEFT JOIN ducklake_table_column_stats s ON s.table_id = c.table_id AND s.column_id = c.column_id
      WHERE c.table_id = lake_table AND c.end_snapshot IS NULL;
      -- Another format of the catalog may want more than is written here.
      SELECT i.table_name INTO present FROM ducklake_inlined_data_tables i
      JOIN ducklake_metadata m ON m.key = 'version' AND m.value = '1.0'
      WHERE i.table_id = lake_table AND i.schema_version = (
        SELECT max(v.schema_version) FROM ducklake_schema_versions v WHERE v.table_id = lake_table);
      IF fits IS NOT TRUE OR present IS NULL THEN
        RETURN QUERY SELECT 'unfit', NULL::bigint, NULL::bigint[];
        RETURN;
      END IF;

      -- Bounds only widen, so ids beyond them are new, as ascending ones are.
      IF may_be_taken IS NOT FALSE THEN
        taken := '{}';
        FOR part IN SELECT i.table_name FROM ducklake_inlined_data_tables i WHERE i.table_id = lake_table LOOP
          IF to_regclass(quote_ident(part || '_row_id')) IS NULL THEN
            EXECUTE format('CREATE INDEX %I ON %I (%I)', part || '_row_id', part, id_name);
          END IF;
          EXECUTE format('SELECT array_agg(%1$I) FROM %2$I WHERE %1$I = ANY ($1) AND end_snapshot IS NULL', id_name, part)
            INTO among USING ids;
          taken := taken || among;
        END LOOP;
        IF cardinality(taken) > 0 THEN
          RETURN QUERY SELECT 'taken', NULL::bigint, taken;
          RETURN;
        END IF;
        -- A file without statistics for the column may contain any value.
        PERFORM FROM ducklake_data_file f
        LEFT JOIN ducklake_column c
          ON c.table_id = f.table_id AND c.column_name = id_name AND c.end_snapshot IS NULL AND c.parent_column IS NULL
        LEFT JOIN ducklake_file_column_stats s ON s.data_file_id = f.data_file_id AND s.column_id = c.column_id
        WHERE f.table_id = lake_table AND f.end_snapshot IS NULL AND (
          s.min_value IS NULL OR s.max_value IS NULL
          OR (s.min_value::numeric <= greatest_id AND s.max_value::numeric >= least_id))
        LIMIT 1;
        IF FOUND THEN
          RETURN QUERY SELECT 'in_files', NULL::bigint, NULL::bigint[];
          RETURN;
        END IF;
      END IF;

      -- Waits for a commit in progress; engines know by the next file's id that statistics have changed.
      INSERT INTO ducklake_snapshot (snapshot_id, snapshot_time, schema_version, next_catalog_id, next_file_id)
      VALUES (newest.snapshot_id + 1, clock_timestamp(), newest.schema_version, newest.next_catalog_id,
        newest.next_file_id + 1)
      ON CONFLICT DO NOTHING;
      EXIT WHEN FOUND;
    END LOOP;

    UPDATE ducklake_table_stats
    SET record_count = record_count + cardinality(ids), next_row_id = next_row_id + cardinality(ids)
    WHERE table_id = lake_table RETURNING next_row_id - cardinality(ids) INTO STRICT first_row;
    now_text := rtrim(rtrim(
      to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), '0'), '.') || '+00';
    EXECUTE format(write_rows, present) INTO lowest, highest, have_null
      USING rows_text::json, first_row, newest.snapshot_id + 1, now_text;
    UPDATE ducklake_table_column_stats s SET
      contains_null = s.contains_null OR (s.contains_null IS NOT NULL AND n.has_null),
      contains_nan = NULL,
      min_value = CASE WHEN n.is_lower THEN n.low ELSE s.min_value END,
      max_value = CASE WHEN n.is_higher THEN n.high ELSE s.max_value END
    FROM (
      SELECT k.column_id, v.low, v.high, v.has_null,
        v.low IS NOT NULL AND (k.min_value IS NULL OR CASE
          WHEN v.type = 'int64' OR v.type LIKE 'decimal(%' THEN v.low::numeric < k.min_value::numeric
          WHEN v.type = 'float64' THEN v.low::float8 < k.min_value::float8
          ELSE v.low COLLATE "C" < k.min_value COLLATE "C" END) AS is_lower,
        v.high IS NOT NULL AND (k.max_value IS NULL OR CASE
          WHEN v.type = 'int64' OR v.type LIKE 'decimal(%' THEN v.high::numeric > k.max_value::numeric
          WHEN v.type = 'float64' THEN v.high::float8 > k.max_value::float8
          ELSE v.high COLLATE "C" > k.max_value COLLATE "C" END) AS is_higher
      FROM unnest(names, types, lowest, highest, have_null) AS v(name, type, low, high, has_null)
      JOIN ducklake_column c ON c.table_id = lake_table AND c.end_snapshot IS NULL AND c.column_name = v.name
      JOIN ducklake_table_column_stats k ON k.table_id = lake_table AND k.column_id = c.column_id) n
    WHERE s.table_id = lake_table AND s.column_id = n.column_id
      AND (s.contains_nan IS NOT NULL OR (n.has_null AND NOT s.contains_null) OR n.is_lower OR n.is_higher);
    INSERT INTO ducklake_snapshot_changes (snapshot_id, changes_made, author, commit_message, commit_extra_info)
    VALUES (newest.snapshot_id + 1, 'inlined_insert:' || lake_table, 'workspace', 'append', note);
    RETURN QUERY SELECT 'written', newest.snapshot_id + 1, NULL::bigint[];
  END $$;

REVOKE EXECUTE ON FUNCTION append_inlined_rows FROM PUBLIC;

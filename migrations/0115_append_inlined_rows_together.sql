-- Commits a few rows to several tables of a lake at once, as append_inlined_rows (0087) does to one: a lake has one commit
-- at a time. Tables whose lock is not free are `busy` and are left to a call of their own, so nothing waits for them and
-- nothing deadlocks. One table's refusal leaves the others as they are. The note's operations are those of the tables that
-- are written. data/lake/ducklake/appends-together.ts says more.

-- Whether the rows fit the table, and the table that they are kept in.
CREATE FUNCTION inlined_append_check(lake_table bigint, names text[], types text[], id_name text, ids bigint[])
  RETURNS TABLE (outcome text, present text, taken bigint[])
  LANGUAGE plpgsql
  AS $$
  DECLARE
    part text;
    fits boolean;
    may_be_taken boolean;
    least_id bigint;
    greatest_id bigint;
    among bigint[];
  BEGIN
    SELECT min(id), max(id) INTO least_id, greatest_id FROM unnest(ids) AS id;
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
      RETURN QUERY SELECT 'unfit', NULL::text, NULL::bigint[];
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
        RETURN QUERY SELECT 'taken', NULL::text, taken;
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
        RETURN QUERY SELECT 'in_files', NULL::text, NULL::bigint[];
        RETURN;
      END IF;
    END IF;
    RETURN QUERY SELECT 'fit', present, NULL::bigint[];
  END $$;

-- Writes rows that fit, and the statistics of their table.
CREATE FUNCTION inlined_append_write(
    lake_table bigint, names text[], types text[], ids bigint[], write_rows text, rows_text text, present text,
    new_snapshot bigint)
  RETURNS void
  LANGUAGE plpgsql
  AS $$
  DECLARE
    first_row bigint;
    lowest text[];
    highest text[];
    have_null boolean[];
    now_text text;
  BEGIN
    UPDATE ducklake_table_stats
    SET record_count = record_count + cardinality(ids), next_row_id = next_row_id + cardinality(ids)
    WHERE table_id = lake_table RETURNING next_row_id - cardinality(ids) INTO STRICT first_row;
    now_text := rtrim(rtrim(
      to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), '0'), '.') || '+00';
    EXECUTE format(write_rows, present) INTO lowest, highest, have_null
      USING rows_text::json, first_row, new_snapshot, now_text;
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
  END $$;

-- Of each entry in `entries`: id, readers, writers, table, names, types, idName, statement, operations.
CREATE FUNCTION append_inlined_rows_together(lake_schema text, entries jsonb, ids_texts text[], rows_texts text[])
  RETURNS TABLE (outcome text, version bigint, taken bigint[])
  LANGUAGE plpgsql
  AS $$
  DECLARE
    newest record;
    entry jsonb;
    outcomes text[] := '{}';
    presents text[] := '{}';
    all_taken text[] := '{}';
    checked record;
    written integer[] := '{}';
    lock_timeout_before text := current_setting('lock_timeout');
  BEGIN
    FOR at IN 1..cardinality(rows_texts) LOOP
      entry := entries -> at - 1;
      IF NOT pg_try_advisory_xact_lock(hashtextextended('table:' || (entry ->> 'id'), 0))
        OR NOT pg_try_advisory_xact_lock(hashtextextended('commit:' || (entry ->> 'id'), 0)) THEN
        outcomes[at] := 'busy';
        CONTINUE;
      END IF;
      PERFORM FROM public.tables t
      WHERE t.id = entry ->> 'id' AND t.status = 'ready' AND t.kind = 'data' AND NOT t.key_enforced
        AND t.pending_rename IS NULL AND coalesce(to_jsonb(t.readers), 'null') = entry -> 'readers'
        AND coalesce(to_jsonb(t.writers), 'null') = entry -> 'writers';
      outcomes[at] := CASE WHEN FOUND THEN 'fit' ELSE 'unfit' END;
    END LOOP;
    PERFORM set_config('search_path', quote_ident(lake_schema), true);
    BEGIN
      PERFORM set_config('lock_timeout', '1s', true);
      PERFORM pg_advisory_xact_lock(hashtextextended('snapshot:' || lake_schema, 0));
    EXCEPTION WHEN lock_not_available THEN
      NULL;
    END;
    PERFORM set_config('lock_timeout', lock_timeout_before, true);
    LOOP
      SELECT * INTO newest FROM ducklake_snapshot ORDER BY snapshot_id DESC LIMIT 1;

      -- All that is read from here on holds for the snapshot, or its successor is there already.
      FOR at IN 1..cardinality(rows_texts) LOOP
        CONTINUE WHEN outcomes[at] <> 'fit';
        entry := entries -> at - 1;
        SELECT * INTO checked FROM public.inlined_append_check((entry ->> 'table')::bigint,
          ARRAY(SELECT jsonb_array_elements_text(entry -> 'names')),
          ARRAY(SELECT jsonb_array_elements_text(entry -> 'types')), entry ->> 'idName', ids_texts[at]::bigint[]);
        outcomes[at] := checked.outcome;
        presents[at] := checked.present;
        all_taken[at] := checked.taken::text;
      END LOOP;
      EXIT WHEN NOT 'fit' = ANY (outcomes);
      INSERT INTO ducklake_snapshot (snapshot_id, snapshot_time, schema_version, next_catalog_id, next_file_id)
      VALUES (newest.snapshot_id + 1, clock_timestamp(), newest.schema_version, newest.next_catalog_id,
        newest.next_file_id + 1)
      ON CONFLICT DO NOTHING;
      EXIT WHEN FOUND;
    END LOOP;

    IF 'fit' = ANY (outcomes) THEN
      FOR at IN 1..cardinality(rows_texts) LOOP
        CONTINUE WHEN outcomes[at] <> 'fit';
        entry := entries -> at - 1;
        -- A value or a size that PostgreSQL refuses is that of this table alone.
        BEGIN
          PERFORM public.inlined_append_write((entry ->> 'table')::bigint,
            ARRAY(SELECT jsonb_array_elements_text(entry -> 'names')),
            ARRAY(SELECT jsonb_array_elements_text(entry -> 'types')), ids_texts[at]::bigint[], entry ->> 'statement',
            rows_texts[at], presents[at], newest.snapshot_id + 1);
          outcomes[at] := 'written';
          written := written || at;
        EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
          outcomes[at] := 'unfit';
        END;
      END LOOP;
      IF cardinality(written) = 0 THEN
        -- Without the snapshot, and each has its own call then.
        RAISE EXCEPTION 'No table takes its rows.' USING ERRCODE = 'data_exception';
      END IF;
      INSERT INTO ducklake_snapshot_changes (snapshot_id, changes_made, author, commit_message, commit_extra_info)
      SELECT newest.snapshot_id + 1,
        string_agg('inlined_insert:' || (e ->> 'table'), ',' ORDER BY (e ->> 'table')::bigint), 'workspace', 'append',
        -- Without spaces between its members, by which the triggers know a note.
        '{"tables":' || jsonb_agg(e -> 'id')::text || ',"flushed":[],"operations":' || (
          SELECT jsonb_agg(o)::text FROM unnest(written) AS p, jsonb_array_elements((entries -> p - 1) -> 'operations') AS o) || '}'
      FROM unnest(written) AS w, LATERAL (SELECT entries -> w - 1 AS e) AS entry_of;
    END IF;
    RETURN QUERY SELECT outcomes[p], CASE WHEN outcomes[p] = 'written' THEN newest.snapshot_id + 1 END,
      all_taken[p]::bigint[]
    FROM generate_series(1, cardinality(rows_texts)) AS p ORDER BY p;
  END $$;

REVOKE EXECUTE ON FUNCTION inlined_append_check FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION inlined_append_write FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION append_inlined_rows_together FROM PUBLIC;

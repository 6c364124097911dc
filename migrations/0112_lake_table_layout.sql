-- What a table of a lake consists of at the newest snapshot: its columns, files, deletions, and the rows that are
-- inlined in the catalog. One call reads all of it in the snapshot of the calling statement, so that no commit can come
-- between its parts. data/lake/ducklake/table-layout.ts decides from it whether files can be read without DuckLake.
-- Of lists that are too long it gives one element more than the limit, and of rows that are too large only their
-- bytes. NULL if there is no such table.
CREATE FUNCTION lake_table_layout(
    lake_schema text, named text, most_files integer, most_rows integer, most_bytes integer)
  RETURNS json
  LANGUAGE plpgsql STABLE
  AS $$
  DECLARE
    t record;
    part record;
    inlined json := NULL;
    inlined_bytes bigint := 0;
    has_old_rows boolean := false;
    deletions_name text;
    inlined_deletions json := NULL;
    found boolean;
  BEGIN
    PERFORM set_config('search_path', quote_ident(lake_schema), true);
    SELECT d.table_id, coalesce(d.path, '') AS path, coalesce(d.path_is_relative, true) AS is_relative,
      coalesce(s.path, '') AS schema_path, coalesce(s.path_is_relative, true) AS schema_is_relative
    INTO t
    FROM ducklake_table d
    JOIN ducklake_schema s ON s.schema_id = d.schema_id AND s.end_snapshot IS NULL
    WHERE lower(d.table_name) = lower(named) AND d.end_snapshot IS NULL AND s.schema_name = 'main';
    IF NOT FOUND THEN
      RETURN NULL;
    END IF;

    FOR part IN
      SELECT i.table_name::text AS name, c.oid, i.schema_version = (
        SELECT max(v.schema_version) FROM ducklake_schema_versions v WHERE v.table_id = t.table_id) AS is_present
      FROM ducklake_inlined_data_tables i
      JOIN pg_class c ON c.relname = i.table_name AND c.relnamespace = quote_ident(lake_schema)::regnamespace
      WHERE i.table_id = t.table_id
    LOOP
      EXECUTE format('SELECT EXISTS (SELECT FROM %I WHERE end_snapshot IS NULL)', part.name) INTO found;
      CONTINUE WHEN NOT found;
      IF NOT part.is_present THEN
        has_old_rows := true;
        CONTINUE;
      END IF;
      -- Texts are bytes, whose length is known without reading them.
      EXECUTE (
        SELECT format('SELECT coalesce(sum(%s), 0) FROM (SELECT * FROM %I WHERE end_snapshot IS NULL LIMIT %s) r',
          string_agg(
            CASE a.atttypid WHEN 'bytea'::regtype THEN format('coalesce(octet_length(%I), 0)', a.attname)
              ELSE '16' END, ' + '), part.name, most_rows + 1)
        FROM pg_attribute a
        WHERE a.attrelid = part.oid AND a.attnum > 3 AND NOT a.attisdropped) INTO inlined_bytes;
      CONTINUE WHEN inlined_bytes > most_bytes;
      EXECUTE (
        SELECT format(
          'SELECT json_build_object(''types'', %L::json, ''values'', coalesce(json_agg(r.v), ''[]'')) FROM (
             SELECT json_build_array(%s) AS v FROM %I WHERE end_snapshot IS NULL ORDER BY row_id LIMIT %s) r',
          json_agg(format_type(a.atttypid, NULL) ORDER BY a.attnum),
          string_agg(
            CASE a.atttypid WHEN 'bytea'::regtype THEN format('encode(%I, ''hex'')', a.attname)
              ELSE format('%I::text', a.attname) END, ', ' ORDER BY a.attnum),
          part.name, most_rows + 1)
        FROM pg_attribute a
        -- The first three are the row's id and the snapshots between which it is there.
        WHERE a.attrelid = part.oid AND a.attnum > 3 AND NOT a.attisdropped) INTO inlined;
    END LOOP;

    deletions_name := 'ducklake_inlined_delete_' || t.table_id;
    IF to_regclass(quote_ident(deletions_name)) IS NOT NULL THEN
      EXECUTE format(
        'SELECT json_agg(json_build_array(d.file_id, d.row_id)) FROM (
           SELECT i.file_id, i.row_id FROM %I i
           JOIN ducklake_data_file f ON f.data_file_id = i.file_id AND f.end_snapshot IS NULL
           LIMIT %s) d', deletions_name, most_rows + 1) INTO inlined_deletions;
    END IF;

    RETURN json_build_object(
      'tableId', t.table_id,
      'folders', json_build_array(
        json_build_object('path', t.schema_path, 'isRelative', t.schema_is_relative),
        json_build_object('path', t.path, 'isRelative', t.is_relative)),
      'columns', (
        SELECT json_agg(json_build_object('id', c.column_id, 'name', c.column_name, 'type', c.column_type,
          'parent', c.parent_column, 'default', c.initial_default) ORDER BY c.column_order)
        FROM ducklake_column c WHERE c.table_id = t.table_id AND c.end_snapshot IS NULL),
      'files', (
        SELECT coalesce(json_agg(json_build_object('id', f.data_file_id, 'path', f.path,
          'isRelative', f.path_is_relative, 'format', f.file_format, 'rows', f.record_count,
          'mapping', f.mapping_id, 'isEncrypted', coalesce(f.encryption_key, '') <> '')
          ORDER BY f.data_file_id), '[]')
        FROM (
          SELECT * FROM ducklake_data_file f WHERE f.table_id = t.table_id AND f.end_snapshot IS NULL
          ORDER BY f.data_file_id LIMIT most_files + 1) f),
      'deletions', (
        SELECT coalesce(json_agg(json_build_object('file', d.data_file_id, 'path', d.path,
          'isRelative', d.path_is_relative, 'format', d.format, 'rows', d.delete_count,
          'isEncrypted', coalesce(d.encryption_key, '') <> '')), '[]')
        FROM (
          SELECT d.* FROM ducklake_delete_file d
          JOIN ducklake_data_file f ON f.data_file_id = d.data_file_id AND f.end_snapshot IS NULL
          WHERE d.table_id = t.table_id AND d.end_snapshot IS NULL
          LIMIT most_files + 1) d),
      'mappings', (
        SELECT coalesce(json_agg(json_build_array(n.mapping_id, n.source_name, n.target_field_id,
          n.parent_column, n.is_partition) ORDER BY n.mapping_id, n.column_id), '[]')
        FROM ducklake_name_mapping n
        WHERE n.mapping_id IN (
          SELECT f.mapping_id FROM ducklake_data_file f
          WHERE f.table_id = t.table_id AND f.end_snapshot IS NULL
          ORDER BY f.data_file_id LIMIT most_files + 1)),
      'inlinedDeletions', coalesce(inlined_deletions, '[]'),
      'inlined', inlined,
      'inlinedBytes', inlined_bytes,
      'hasOldRows', has_old_rows);
  END $$;

REVOKE EXECUTE ON FUNCTION lake_table_layout FROM PUBLIC;

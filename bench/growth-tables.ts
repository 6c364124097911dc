import pg from 'pg';

/** An empty data table made by the service, of which the others are copies. */
export interface ModelTable {
  organizationId: string;
  id: string;
  name: string;
}

/**
 * Makes empty tables in the registry and in the lake's catalog as the service and DuckLake do, in one commit;
 * by itself the service would take an hour for ten thousand.
 */
export async function copyTables(
  databaseUrl: string,
  model: ModelTable,
  { from, to }: { from: number; to: number },
): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('BEGIN');
    const lake = await findLake(client, model);
    await copyInCatalog(client, lake, model, { from, to });
    await client.query('COMMIT');
    await client.query('ANALYZE');
  } finally {
    await client.end();
  }
}

interface Place {
  schema: string;
  lakeTableId: string;
  /** The table of the model's inlined rows, and the role that made it. */
  inlined: string;
  owner: string;
}

async function findLake(client: pg.Client, { organizationId, name }: ModelTable): Promise<Place> {
  const { rows: lakes } = await client.query<{ schema: string }>(
    'SELECT schema_name AS schema FROM lakes WHERE organization_id = $1',
    [organizationId],
  );
  const schema = `"${lakes[0]!.schema}"`;
  const { rows } = await client.query<{ id: string; inlined: string; owner: string }>(
    `SELECT t.table_id AS id, i.table_name AS inlined, p.tableowner AS owner
     FROM ${schema}.ducklake_table t JOIN ${schema}.ducklake_inlined_data_tables i USING (table_id)
     JOIN pg_tables p ON p.schemaname = $2 AND p.tablename = i.table_name
     WHERE t.table_name = $1 AND t.end_snapshot IS NULL`,
    [name, lakes[0]!.schema],
  );
  const { id: lakeTableId, inlined, owner } = rows[0]!;
  return { schema, lakeTableId, inlined, owner };
}

async function copyInCatalog(
  client: pg.Client,
  { schema, lakeTableId, inlined, owner }: Place,
  { organizationId, id }: ModelTable,
  { from, to }: { from: number; to: number },
): Promise<void> {
  const { rows } = await client.query<{ snapshot: string; version: string; first: string }>(
    `INSERT INTO ${schema}.ducklake_snapshot (snapshot_id, snapshot_time, schema_version, next_catalog_id, next_file_id)
     SELECT snapshot_id + 1, now(), schema_version + 1, next_catalog_id + $1, next_file_id
     FROM ${schema}.ducklake_snapshot ORDER BY snapshot_id DESC LIMIT 1
     RETURNING snapshot_id AS snapshot, schema_version AS version, next_catalog_id - $1 AS first`,
    [to - from],
  );
  const { snapshot, version, first } = rows[0]!;
  await client.query(`
    CREATE TEMP TABLE made ON COMMIT DROP AS
      SELECT ${first} + i - ${from} AS table_id, 'other_' || i AS name, 'tbl_' || lpad(i::text, 26, '0') AS id
      FROM generate_series(${from}, ${to - 1}) AS i;
    INSERT INTO ${schema}.ducklake_table
        (table_id, table_uuid, begin_snapshot, schema_id, table_name, path, path_is_relative)
      SELECT made.table_id, gen_random_uuid(), ${snapshot}, t.schema_id, made.name, made.name || '/', true
      FROM ${schema}.ducklake_table t, made WHERE t.table_id = ${lakeTableId};
    INSERT INTO ${schema}.ducklake_column
        (column_id, begin_snapshot, table_id, column_order, column_name, column_type, initial_default, default_value,
         nulls_allowed, default_value_type, default_value_dialect)
      SELECT c.column_id, ${snapshot}, made.table_id, c.column_order, c.column_name, c.column_type, c.initial_default,
        c.default_value, c.nulls_allowed, c.default_value_type, c.default_value_dialect
      FROM ${schema}.ducklake_column c, made WHERE c.table_id = ${lakeTableId} AND c.end_snapshot IS NULL;
    INSERT INTO ${schema}.ducklake_schema_versions (begin_snapshot, schema_version, table_id)
      SELECT ${snapshot}, ${version}, table_id FROM made;
    INSERT INTO ${schema}.ducklake_inlined_data_tables (table_id, table_name, schema_version)
      SELECT table_id, 'ducklake_inlined_data_' || table_id || '_${version}', ${version} FROM made;
    GRANT SELECT ON made TO PUBLIC;
    SET LOCAL ROLE ${owner};
    DO $$ DECLARE n bigint; BEGIN FOR n IN SELECT table_id FROM made LOOP
      EXECUTE format('CREATE TABLE ${schema}.%I (LIKE ${schema}.%I INCLUDING ALL)',
        'ducklake_inlined_data_' || n || '_${version}', '${inlined}');
    END LOOP; END $$;
    RESET ROLE`);
  // The trigger of the ledger takes the operations from the note.
  await client.query(`
    INSERT INTO ${schema}.ducklake_snapshot_changes (snapshot_id, changes_made, author, commit_message, commit_extra_info)
      SELECT ${snapshot}, string_agg('created_table:"main"."' || name || '"', ','), 'workspace', 'create',
        json_build_object('tables', json_agg(id), 'flushed', json_build_array(), 'operations', json_agg(json_build_object(
          'id', 'create:' || id, 'table_id', id, 'operation', 'create', 'rows_added', 0, 'rows_removed', 0,
          'run_id', NULL, 'committed_by', 'bench')))
      FROM made`);
  await client.query(
    `INSERT INTO tables (organization_id, id, name, kind, status)
     SELECT organization_id, made.id, made.name, kind, status FROM tables, made
     WHERE organization_id = $1 AND tables.id = $2`,
    [organizationId, id],
  );
}

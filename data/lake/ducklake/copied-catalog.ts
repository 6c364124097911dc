import type { EngineConnection } from '../engine/contract.ts';
import { identifier, literal } from '../sql.ts';
import type { CatalogRow, InlinedPart, OtherFile, OtherTable } from './other-table.ts';

/** A file of the other lake, with the URL of our copy. */
export type CopiedFile = OtherFile & { url: string };

export interface CopiedPart extends InlinedPart {
  /** A file of lines with the columns' values in hex, separated by tabs. */
  url: string;
}

export interface CopiedCatalog {
  table: OtherTable;
  files: readonly CopiedFile[];
  deletions: readonly CopiedFile[];
  parts: readonly CopiedPart[];
  /** A folder of our bucket to which nothing is ever written. */
  dataUrl: string;
  /** Upper limit for one line of a part. */
  maxLineBytes: number;
}

/** The only lake of this kind in an engine process, which works for one caller at a time. */
const lake = 'copied_lake';
const catalog = 'copied_lake_catalog';

/** The copied table. */
const relation = `${lake}.main.copied`;

const fileColumns = `data_file_id BIGINT, table_id BIGINT, begin_snapshot BIGINT, path VARCHAR, path_is_relative BOOLEAN,
  file_size_bytes BIGINT, footer_size BIGINT, partial_max BIGINT`;

/**
 * Gives `work` a relation with the rows of another lake's table. DuckLake itself reads them, through an
 * in-memory catalog that holds the other catalog's entries for this table and points to our copies of its
 * files. So the handling of deletions, added columns and defaults is not reimplemented, and no connection to
 * the other lake is made.
 */
export async function withCopiedTable<T>(
  engine: EngineConnection,
  copied: CopiedCatalog,
  work: (relation: string) => Promise<T>,
): Promise<T> {
  // An interrupted call may have left its lake attached.
  await engine.run(`DETACH DATABASE IF EXISTS ${lake}`);
  await engine.run(
    `ATTACH 'ducklake::memory:' AS ${lake} (DATA_PATH ${literal(copied.dataUrl)}, METADATA_CATALOG ${literal(catalog)})`,
  );
  try {
    await fillCatalog(engine, copied);
    for (const part of copied.parts) await addPart(engine, copied, part);
    return await work(relation);
  } finally {
    await engine.run(`DETACH DATABASE IF EXISTS ${lake}`).catch(() => undefined);
  }
}

async function fillCatalog(engine: EngineConnection, { table, files, deletions, parts }: CopiedCatalog) {
  const { tableId, snapshot, schemaVersions } = table;
  const fill = async (name: string, columns: string, rows: readonly CatalogRow[]): Promise<void> => {
    const types = columns.split(',').map((one) => one.trim().split(' '));
    await engine.run(
      `INSERT INTO ${catalog}.main.${name} BY NAME
       SELECT unnest(r) FROM (SELECT unnest(from_json($1, ${literal(JSON.stringify([Object.fromEntries(types)]))})) AS r)`,
      [JSON.stringify(rows)],
    );
  };
  const ours = (list: readonly CopiedFile[]) =>
    list.map(({ url, format, ...row }) => ({
      ...row,
      format,
      file_format: format,
      path: url,
      path_is_relative: false,
    }));
  const snapshots = new Map(
    schemaVersions.map((schemaVersion) => [schemaVersion.begin_snapshot, schemaVersion.schema_version]),
  );
  snapshots.set(snapshot.snapshot_id, snapshot.schema_version);
  await engine.run(`DELETE FROM ${catalog}.main.ducklake_snapshot`);
  await fill(
    'ducklake_snapshot',
    'snapshot_id BIGINT, snapshot_time TIMESTAMPTZ, schema_version BIGINT, next_catalog_id BIGINT, next_file_id BIGINT',
    [...snapshots].map(([id, version]) => ({
      ...{ snapshot_id: id, snapshot_time: new Date(0), schema_version: version },
      ...{ next_catalog_id: 0, next_file_id: 0 },
    })),
  );
  await fill(
    'ducklake_schema_versions',
    'begin_snapshot BIGINT, schema_version BIGINT, table_id BIGINT',
    schemaVersions.map((schemaVersion) => ({ ...schemaVersion, table_id: tableId })),
  );
  await engine.run(
    `INSERT INTO ${catalog}.main.ducklake_table BY NAME SELECT ${whole(tableId)} AS table_id, uuid() AS table_uuid, 0 AS begin_snapshot,
       0 AS schema_id, 'copied' AS table_name, 'copied/' AS path, true AS path_is_relative`,
  );
  await fill(
    'ducklake_column',
    `column_id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT, table_id BIGINT, column_order BIGINT, column_name VARCHAR,
     column_type VARCHAR, initial_default VARCHAR, default_value VARCHAR, nulls_allowed BOOLEAN, parent_column BIGINT,
     default_value_type VARCHAR, default_value_dialect VARCHAR`,
    // Whatever the server answered, no value is treated as an expression.
    table.columns.map((column) => ({
      ...column,
      ...{ default_value: 'NULL', default_value_type: 'literal', default_value_dialect: 'duckdb' },
    })),
  );
  await fill(
    'ducklake_data_file',
    `${fileColumns}, file_format VARCHAR, record_count BIGINT, row_id_start BIGINT, mapping_id BIGINT`,
    ours(files),
  );
  await fill(
    'ducklake_delete_file',
    `${fileColumns}, delete_file_id BIGINT, format VARCHAR, delete_count BIGINT`,
    ours(deletions),
  );
  await fill('ducklake_column_mapping', 'mapping_id BIGINT, table_id BIGINT, type VARCHAR', table.mappings);
  await fill(
    'ducklake_name_mapping',
    `mapping_id BIGINT, column_id BIGINT, source_name VARCHAR, target_field_id BIGINT, parent_column BIGINT,
     is_partition BOOLEAN`,
    table.mappedNames,
  );
  await fill(
    'ducklake_inlined_data_tables',
    'table_id BIGINT, table_name VARCHAR, schema_version BIGINT',
    parts.flatMap(({ name, schemaVersion }) =>
      schemaVersion === null ? [] : [{ table_id: tableId, table_name: name, schema_version: schemaVersion }],
    ),
  );
}

/** An integer to put into a statement, checked because the server may answer anything. */
function whole(value: number): string {
  if (!Number.isSafeInteger(value)) throw new Error('The value must be a whole number.');
  return String(value);
}

/**
 * Loads inlined rows in the types the table had when they were written; DuckLake's own columns and deletions
 * are integers.
 */
async function addPart(
  engine: EngineConnection,
  { table, maxLineBytes }: CopiedCatalog,
  { name, schemaVersion, columns, url }: CopiedPart,
): Promise<void> {
  let named = columns.map((column) => ({ name: column.name, type: 'BIGINT' }));
  if (schemaVersion !== null) {
    const version = table.schemaVersions.find((one) => one.schema_version === schemaVersion);
    const at = version?.begin_snapshot ?? table.snapshot.snapshot_id;
    const described = await engine.read(`DESCRIBE SELECT * FROM ${relation} AT (VERSION => ${whole(at)})`);
    const own = described.rows.map(([column, type]) => ({ name: String(column), type: String(type) }));
    // By position: PostgreSQL has some names in small letters.
    named = [...named.slice(0, columns.length - own.length), ...own];
  }
  const texts = columns.map((_, index) => `c${index}: 'VARCHAR'`).join(', ');
  const values = named.map((column, index) => {
    const text = `unhex(c${index})`;
    const value = column.type === 'BLOB' ? text : `CAST(decode(${text}) AS ${column.type})`;
    return `${value} AS ${identifier(column.name)}`;
  });
  const format = [
    ...[`columns = {${texts}}`, 'auto_detect = false', 'header = false', "delim = '\t'"],
    ...["quote = ''", "escape = ''", "comment = ''", "nullstr = '\\N'", "new_line = '\\n'"],
    ...['null_padding = false', 'strict_mode = true'],
    ...[`max_line_size = ${maxLineBytes}`, `buffer_size = ${maxLineBytes * 2}`],
  ];
  await engine.run(
    `CREATE TABLE ${catalog}.main.${identifier(name)} AS
     SELECT ${values.join(', ')} FROM read_csv(${literal(url)}, ${format.join(', ')})`,
  );
}

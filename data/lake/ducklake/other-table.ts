import type pg from 'pg';
import { identifier } from '../sql.ts';

type Queryable = Pick<pg.ClientBase, 'query'>;

/** DuckLake's entry for a data file; sizes in bytes. */
export interface OtherFile {
  data_file_id: number;
  path: string;
  path_is_relative: boolean;
  format: string;
  file_size_bytes: number;
  footer_size: number | null;
  encryption_key: string | null;
  [more: string]: unknown;
}

interface InlinedColumn {
  name: string;
  /** PostgreSQL's type name. */
  type: string;
}

/** Rows or deletions stored in the catalog itself. */
export interface InlinedPart {
  name: string;
  /** The schema version the rows were written with; null for deletions. */
  schemaVersion: number | null;
  columns: InlinedColumn[];
}

/** Rows of a catalog, without the columns that a copy does not need. */
export type CatalogRow = Readonly<Record<string, unknown>>;

/** A table of another lake at its latest snapshot, read from its catalog. */
export interface OtherTable {
  tableId: number;
  /** Folders of the schema and the table; a path that is not relative starts over. */
  folders: { path: string; isRelative: boolean }[];
  snapshot: { snapshot_id: number; schema_version: number };
  /** All versions of the columns. */
  columns: CatalogRow[];
  schemaVersions: { begin_snapshot: number; schema_version: number }[];
  files: OtherFile[];
  deletions: OtherFile[];
  mappings: CatalogRow[];
  mappedNames: (CatalogRow & { is_partition: boolean })[];
  inlined: InlinedPart[];
}

/** The format version and encryption setting that the lake declares. */
export async function otherLakeFacts(
  client: Queryable,
  schema: string,
): Promise<{ format: string; isEncrypted: boolean }> {
  const { rows } = await client.query<{ key: string; value: string }>(
    `SELECT key, value FROM ${schema}.ducklake_metadata WHERE key IN ('version', 'encrypted') AND scope IS NULL`,
  );
  const facts = new Map(rows.map(({ key, value }) => [key, value]));
  return { format: facts.get('version') ?? 'unknown', isEncrypted: facts.get('encrypted') === 'true' };
}

/**
 * The table, by its quoted name as in the list of tables, read within the client's transaction; undefined if
 * there is none. `schema` is the catalog's schema, quoted where necessary. At most `atMost` + 1 rows of each
 * kind are read.
 */
export async function findOtherTable(
  client: Queryable,
  schema: string,
  resource: string,
  atMost: number,
): Promise<OtherTable | undefined> {
  const list = async <T>(select: string, ...values: unknown[]): Promise<T[]> => {
    const text = `SELECT to_json(r) AS row FROM (${select} LIMIT ${atMost + 1}) AS r`;
    return (await client.query<{ row: T }>(text, values)).rows.map(({ row }) => row);
  };
  const [found] = await list<{
    id: number;
    folders: OtherTable['folders'];
  }>(
    `SELECT t.table_id AS id, json_build_array(
         json_build_object('path', coalesce(s.path, ''), 'isRelative', coalesce(s.path_is_relative, true)),
         json_build_object('path', coalesce(t.path, ''), 'isRelative', coalesce(t.path_is_relative, true))) AS folders
     FROM ${schema}.ducklake_table t JOIN ${schema}.ducklake_schema s ON s.schema_id = t.schema_id
     WHERE t.end_snapshot IS NULL AND s.end_snapshot IS NULL
       AND quote_ident(s.schema_name) || '.' || quote_ident(t.table_name) = $1`,
    resource,
  );
  if (found === undefined) return undefined;
  const { id: tableId, folders } = found;
  const [snapshot] = await list<OtherTable['snapshot']>(
    `SELECT snapshot_id, schema_version FROM ${schema}.ducklake_snapshot
     WHERE snapshot_id = (SELECT max(snapshot_id) FROM ${schema}.ducklake_snapshot)`,
  );
  return {
    tableId,
    folders,
    snapshot: snapshot!,
    // Defaults of future rows are expressions; they are left out because the copy is never written to.
    columns: await list(
      `SELECT column_id, begin_snapshot, end_snapshot, table_id, column_order, column_name, column_type, initial_default,
         'NULL' AS default_value, nulls_allowed, parent_column, 'literal' AS default_value_type, 'duckdb' AS default_value_dialect
       FROM ${schema}.ducklake_column WHERE table_id = $1 ORDER BY column_order, begin_snapshot`,
      tableId,
    ),
    schemaVersions: await list(
      `SELECT DISTINCT begin_snapshot, schema_version FROM ${schema}.ducklake_schema_versions
       WHERE table_id = $1 OR table_id IS NULL`,
      tableId,
    ),
    files: await list(
      `SELECT data_file_id, table_id, begin_snapshot, path, path_is_relative, file_format AS format, record_count,
         file_size_bytes, footer_size, row_id_start, encryption_key, mapping_id, partial_max
       FROM ${schema}.ducklake_data_file WHERE table_id = $1 AND end_snapshot IS NULL ORDER BY data_file_id`,
      tableId,
    ),
    deletions: await list(
      `SELECT d.delete_file_id, d.table_id, d.begin_snapshot, d.data_file_id, d.path, d.path_is_relative, d.format,
         d.delete_count, d.file_size_bytes, d.footer_size, d.encryption_key, d.partial_max
       FROM ${schema}.ducklake_delete_file d
       JOIN ${schema}.ducklake_data_file f ON f.data_file_id = d.data_file_id AND f.end_snapshot IS NULL
       WHERE d.table_id = $1 AND d.end_snapshot IS NULL ORDER BY d.delete_file_id`,
      tableId,
    ),
    mappings: await list(
      `SELECT mapping_id, table_id, type FROM ${schema}.ducklake_column_mapping WHERE table_id = $1`,
      tableId,
    ),
    mappedNames: await list(
      `SELECT n.mapping_id, n.column_id, n.source_name, n.target_field_id, n.parent_column, n.is_partition
       FROM ${schema}.ducklake_name_mapping n
       JOIN ${schema}.ducklake_column_mapping m ON m.mapping_id = n.mapping_id WHERE m.table_id = $1`,
      tableId,
    ),
    // Only names of tables that exist in the catalog, whatever its registry says.
    inlined: await list(
      `SELECT c.relname AS name, i.schema_version AS "schemaVersion", (
         SELECT json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, NULL)) ORDER BY a.attnum)
         FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns
       FROM pg_class c LEFT JOIN ${schema}.ducklake_inlined_data_tables i ON i.table_name = c.relname AND i.table_id = $1::bigint
       WHERE c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = $2::regclass)
         AND ((i.table_id IS NOT NULL AND c.relname = 'ducklake_inlined_data_' || $1::bigint || '_' || i.schema_version)
           OR c.relname = 'ducklake_inlined_delete_' || $1::bigint)`,
      tableId,
      `${schema}.ducklake_table`,
    ),
  };
}

const inlinedName = /^ducklake_inlined_(?:data_\d+_\d+|delete_\d+)$/;

/**
 * Whether everything that becomes part of our statements is a number or a name that DuckLake generates. The
 * server is chosen by a user and may answer anything.
 */
export function hasItsNumbers({ tableId, snapshot, schemaVersions, inlined }: OtherTable): boolean {
  const numbers = [
    tableId,
    ...[snapshot, ...schemaVersions].flatMap((row) => Object.values(row)),
    ...inlined.flatMap(({ schemaVersion }) => schemaVersion ?? []),
  ];
  return (
    numbers.every((one) => Number.isSafeInteger(one)) && inlined.every(({ name }) => inlinedName.test(name))
  );
}

/**
 * Casts a column to text. Intervals are written in units of months, days and microseconds, so that their
 * signs are unambiguous.
 */
function textOf({ name, type }: InlinedColumn): string {
  const column = identifier(name);
  if (type !== 'interval') return `${column}::text`;
  const part = (unit: string) => `extract(${unit} FROM ${column})`;
  const months = `(${part('year')} * 12 + ${part('month')})::bigint`;
  const micros = `(${part('hour')} * 3600000000 + ${part('minute')} * 60000000 + ${part('microseconds')})::bigint`;
  return `${months} || ' months ' || ${part('day')}::bigint || ' days ' || ${micros} || ' microseconds'`;
}

function hexOf(column: InlinedColumn): string {
  const bytes = column.type === 'bytea' ? identifier(column.name) : `convert_to(${textOf(column)}, 'UTF8')`;
  return `encode(${bytes}, 'hex')`;
}

/** The SELECT of the live rows of an inlined part: each value's bytes as hex, null for null. */
export function inlinedSelect(schema: string, { name, schemaVersion, columns }: InlinedPart): string {
  const live = schemaVersion === null ? '' : ' WHERE end_snapshot IS NULL';
  return `SELECT ${columns.map(hexOf).join(', ')} FROM ${schema}.${identifier(name)}${live}`;
}

import type pg from 'pg';
import { identifier } from '../sql.ts';
import { readInlinedDeletions, readInlinedRows } from './inlined-content.ts';

/** What a table consists of at one snapshot, as other engines need to know it. */
export interface TableContent {
  /** DuckLake's id; a replaced table gets a new one. */
  tableId: number;
  /** Its name at the snapshot. */
  name: string;
  /** The snapshot at which all of this was read. */
  snapshotId: number;
  /** Columns with their parts, in table order. */
  columns: ContentColumn[];
  /** The snapshot of the last change of its columns. */
  columnsSince: number;
  files: ContentFile[];
  deletions: { id: number; fileId: number; url: string; rows: number; sizeBytes: number; format: string }[];
  /** Positions of deleted rows that are in the catalog, by data file. */
  inlinedDeletions: Map<number, number[]>;
  /** The names by which files without field ids find their columns. */
  mappings: ContentMapping[];
  /** Rows that are in the catalog and not in a file. */
  inlinedRows: number;
  /** Changes whenever any of this does. */
  fingerprint: string;
}

export interface ContentColumn {
  id: number;
  name: string;
  type: string;
  parent: number | null;
  /** What files from before the column hold. */
  default: string | null;
}

export interface ContentFile {
  id: number;
  url: string;
  rows: number;
  sizeBytes: number;
  addedBy: number;
  mapping: number | null;
  columns: {
    columnId: number;
    sizeBytes: number | null;
    nullCount: number | null;
    min: string | null;
    max: string | null;
    hasNan: boolean;
  }[];
}

export interface ContentMapping {
  mapping: number;
  id: number;
  name: string;
  columnId: number;
  parent: number | null;
}

/** Why a version can't be described by files. */
export class UnreadableContent extends Error {}

type Queryable = Pick<pg.Pool, 'query'>;

export interface WantedContent {
  /** By DuckLake's id, or by the name that it had at the snapshot. */
  table: { id: number } | { name: string };
  snapshotId: number;
  /** Where the lake's files are; ends in a slash. */
  dataPath: string;
}

/**
 * Reads what a table consists of at a snapshot.
 *
 * @param mostFiles with more, or with rows of a later snapshot in a file, the content is unreadable
 * @returns undefined if there is no such table at the snapshot
 * @throws UnreadableContent
 */
export async function readTableContent(
  client: Queryable,
  schemaName: string,
  { table: wanted, snapshotId, dataPath }: WantedContent,
  mostFiles: number,
): Promise<TableContent | undefined> {
  const schema = identifier(schemaName);
  const isShown = (row: string) =>
    `${row}.begin_snapshot <= $2 AND (${row}.end_snapshot IS NULL OR ${row}.end_snapshot > $2)`;
  const { rows: tables } = await client.query<{
    id: number;
    name: string;
    path: string;
    is_relative: boolean;
    schema_path: string;
    schema_is_relative: boolean;
  }>(
    `SELECT t.table_id AS id, t.table_name AS name, coalesce(t.path, '') AS path, coalesce(t.path_is_relative, true) AS is_relative,
       coalesce(s.path, '') AS schema_path, coalesce(s.path_is_relative, true) AS schema_is_relative
     FROM ${schema}.ducklake_table t
     JOIN ${schema}.ducklake_schema s ON s.schema_id = t.schema_id AND ${isShown('s')}
     WHERE ${'id' in wanted ? 't.table_id = $1' : 'lower(t.table_name) = lower($1)'}
       AND s.schema_name = 'main' AND ${isShown('t')}`,
    ['id' in wanted ? wanted.id : wanted.name, snapshotId],
  );
  const [table] = tables;
  if (table === undefined) return undefined;
  let folder = dataPath;
  folder = table.schema_is_relative ? folder + table.schema_path : table.schema_path;
  folder = table.is_relative ? folder + table.path : table.path;
  const urlOf = (path: string, isRelative: boolean) => (isRelative ? folder + path : path);
  const at = [table.id, snapshotId] as const;

  const columns = await client.query<ContentColumn & { since: number }>(
    `SELECT column_id AS id, column_name AS name, column_type AS type, parent_column AS parent,
       initial_default AS default,
       (SELECT max(greatest(begin_snapshot, CASE WHEN end_snapshot <= $2 THEN end_snapshot ELSE 0 END))
        FROM ${schema}.ducklake_column WHERE table_id = $1 AND begin_snapshot <= $2) AS since
     FROM ${schema}.ducklake_column c WHERE table_id = $1 AND ${isShown('c')} ORDER BY column_order`,
    [...at],
  );
  const files = await client.query<FileRow>(
    `SELECT data_file_id AS id, path, path_is_relative AS is_relative, record_count AS rows,
       file_size_bytes AS size_bytes, begin_snapshot AS added_by, mapping_id AS mapping,
       coalesce(partial_max, 0) > $2 AS is_partial,
       file_format <> 'parquet' OR coalesce(encryption_key, '') <> '' AS is_other
     FROM ${schema}.ducklake_data_file f WHERE table_id = $1 AND ${isShown('f')}
     ORDER BY data_file_id LIMIT ${mostFiles + 1}`,
    [...at],
  );
  const deletions = await client.query<DeletionRow>(
    `SELECT delete_file_id AS id, data_file_id AS file_id, path, path_is_relative AS is_relative, format,
       delete_count AS rows, file_size_bytes AS size_bytes, coalesce(partial_max, 0) > $2 AS is_partial
     FROM ${schema}.ducklake_delete_file d WHERE table_id = $1 AND ${isShown('d')}
     ORDER BY delete_file_id LIMIT ${mostFiles + 1}`,
    [...at],
  );
  if (files.rows.length > mostFiles || deletions.rows.length > mostFiles)
    throw new UnreadableContent(`It has more than ${mostFiles.toLocaleString('en-US')} files.`);
  if (files.rows.some((file) => file.is_partial) || deletions.rows.some((file) => file.is_partial))
    throw new UnreadableContent('Its files were merged with those of later versions.');
  if (files.rows.some((file) => file.is_other) || deletions.rows.some(({ format }) => format !== 'parquet'))
    throw new UnreadableContent('A file has a format that Iceberg readers of version 2 do not know.');

  const inlinedDeletions = await readInlinedDeletions(
    client,
    schema,
    at,
    new Set(files.rows.map(({ id }) => id)),
  );
  dropEmptied(files.rows, deletions.rows, inlinedDeletions);
  const ids = files.rows.map(({ id }) => id);
  const statistics = await client.query<StatisticsRow>(
    `SELECT data_file_id AS file_id, column_id, column_size_bytes AS size_bytes, null_count,
       min_value AS min, max_value AS max, coalesce(contains_nan, true) AS has_nan
     FROM ${schema}.ducklake_file_column_stats WHERE table_id = $1 AND data_file_id = ANY ($2::bigint[])`,
    [table.id, ids],
  );
  const ofFile = Map.groupBy(statistics.rows, (row) => row.file_id);
  const mappingIds = [...new Set(files.rows.flatMap(({ mapping }) => mapping ?? []))];
  const { rows: mappings } = await client.query<ContentMapping>(
    `SELECT mapping_id AS mapping, column_id AS id, source_name AS name, target_field_id AS "columnId",
       parent_column AS parent
     FROM ${schema}.ducklake_name_mapping WHERE mapping_id = ANY ($1::bigint[]) AND NOT is_partition
     ORDER BY mapping_id, column_id`,
    [mappingIds],
  );
  const inlined = await readInlinedRows(client, schema, at);
  const newest = (rows: readonly { id: number }[]) => rows.at(-1)?.id ?? 0;
  const deletedInCatalog = [...inlinedDeletions.values()].reduce((sum, { length }) => sum + length, 0);
  return {
    tableId: table.id,
    name: table.name,
    snapshotId,
    columns: columns.rows.map(({ since: _, ...column }) => column),
    columnsSince: columns.rows[0]?.since ?? 0,
    files: files.rows.map((file) => ({
      ...{ id: file.id, url: urlOf(file.path, file.is_relative), rows: file.rows },
      ...{ sizeBytes: file.size_bytes, addedBy: file.added_by, mapping: file.mapping },
      columns: (ofFile.get(file.id) ?? []).map((row) => ({
        ...{ columnId: row.column_id, sizeBytes: row.size_bytes, nullCount: row.null_count },
        ...{ min: row.min, max: row.max, hasNan: row.has_nan },
      })),
    })),
    deletions: deletions.rows.map((row) => ({
      ...{ id: row.id, fileId: row.file_id, url: urlOf(row.path, row.is_relative), rows: row.rows },
      ...{ sizeBytes: row.size_bytes, format: row.format },
    })),
    inlinedDeletions,
    mappings,
    inlinedRows: inlined.count,
    fingerprint: [
      ...[table.id, columns.rows[0]?.since, ids.length, newest(files.rows), sumOf(ids)],
      ...[deletions.rows.length, newest(deletions.rows), sumOf(deletions.rows.map(({ id }) => id))],
      ...[deletedInCatalog, inlined.count, inlined.newest],
    ].join('-'),
  };
}

/** Takes out the files of which every row is deleted, with their deletions: nobody has to read them. */
function dropEmptied(files: FileRow[], deletions: DeletionRow[], inlined: Map<number, number[]>): void {
  const deleted = new Map([...inlined].map(([fileId, positions]) => [fileId, positions.length]));
  for (const { file_id: id, rows } of deletions) deleted.set(id, (deleted.get(id) ?? 0) + rows);
  const emptied = new Set(files.filter(({ id, rows }) => (deleted.get(id) ?? 0) >= rows).map(({ id }) => id));
  if (emptied.size === 0) return;
  for (const id of emptied) inlined.delete(id);
  files.splice(0, files.length, ...files.filter(({ id }) => !emptied.has(id)));
  deletions.splice(0, deletions.length, ...deletions.filter((row) => !emptied.has(row.file_id)));
}

interface FileRow {
  id: number;
  path: string;
  is_relative: boolean;
  rows: number;
  size_bytes: number;
  added_by: number;
  mapping: number | null;
  is_partial: boolean;
  is_other: boolean;
}

interface DeletionRow {
  id: number;
  file_id: number;
  path: string;
  is_relative: boolean;
  format: string;
  rows: number;
  size_bytes: number;
  is_partial: boolean;
}

interface StatisticsRow {
  file_id: number;
  column_id: number;
  size_bytes: number | null;
  null_count: number | null;
  min: string | null;
  max: string | null;
  has_nan: boolean;
}

/**
 * Of ids that only grow, and that are taken away whole: two lists of one length and sum are the same list.
 */
const sumOf = (ids: readonly number[]): number => ids.reduce((sum, id) => sum + id, 0);

/** Reads the rows that are in the catalog at a snapshot, by the names of these columns. */
export function inlinedRowsSql(
  lake: string,
  tableName: string,
  columns: readonly string[],
  snapshotId: number,
): string {
  return `SELECT ${columns.map(identifier).join(', ')}
    FROM ${identifier(lake)}.main.${identifier(tableName)} AT (VERSION => ${snapshotId})
    WHERE starts_with(filename, 'ducklake_inlined_data')`;
}

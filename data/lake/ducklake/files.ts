import type pg from 'pg';
import { identifier } from '../sql.ts';
import { inlinedTables } from './inlined.ts';

type Queryable = Pick<pg.Pool, 'query'>;

/** Whether, by its statistics, any file of the table may contain a value of the column in the range. */
export async function anyFileMayHold(
  pool: Queryable,
  schemaName: string,
  tableId: number,
  column: string,
  { min, max }: { min: bigint; max: bigint },
): Promise<boolean> {
  const schema = identifier(schemaName);
  // A file without statistics for the column may contain any value.
  const { rows } = await pool.query(
    `SELECT 1 FROM ${schema}.ducklake_data_file f
     LEFT JOIN ${schema}.ducklake_column c
       ON c.table_id = f.table_id AND c.column_name = $4 AND c.end_snapshot IS NULL AND c.parent_column IS NULL
     LEFT JOIN ${schema}.ducklake_file_column_stats s ON s.data_file_id = f.data_file_id AND s.column_id = c.column_id
     WHERE f.table_id = $1 AND f.end_snapshot IS NULL
       AND (s.min_value IS NULL OR s.max_value IS NULL OR (s.min_value::numeric <= $3 AND s.max_value::numeric >= $2))
     LIMIT 1`,
    [tableId, String(min), String(max), column],
  );
  return rows.length > 0;
}

/**
 * The columns of a table in which, by the statistics of its files, no row of this snapshot is null. None of a
 * table with rows in the catalog, which has no such statistics.
 */
export async function columnsWithoutNulls(
  pool: Queryable,
  schemaName: string,
  tableName: string,
  snapshotId: number,
): Promise<Set<string>> {
  const schema = identifier(schemaName);
  const isShown = (row: string) =>
    `${row}.begin_snapshot <= $2 AND (${row}.end_snapshot IS NULL OR ${row}.end_snapshot > $2)`;
  const { rows: tables } = await pool.query<{ id: number }>(
    `SELECT table_id AS id FROM ${schema}.ducklake_table t WHERE lower(table_name) = lower($1) AND ${isShown('t')}`,
    [tableName, snapshotId],
  );
  const [table, ...others] = tables;
  if (table === undefined || others.length > 0) return new Set();
  // Before the files, since rows move from here to them.
  const inlined = await inlinedTables(pool, schemaName, table.id);
  if (inlined.some(({ hasRows }) => hasRows)) return new Set();
  // DuckLake does not count the nulls of a VARIANT.
  const { rows } = await pool.query<{ name: string }>(
    `SELECT c.column_name AS name FROM ${schema}.ducklake_column c
     WHERE c.table_id = $1 AND c.parent_column IS NULL AND c.column_type <> 'variant' AND ${isShown('c')}
       AND NOT EXISTS (
         SELECT FROM ${schema}.ducklake_data_file f
         LEFT JOIN ${schema}.ducklake_file_column_stats s
           ON s.data_file_id = f.data_file_id AND s.column_id = c.column_id
         WHERE f.table_id = c.table_id AND ${isShown('f')} AND s.null_count IS DISTINCT FROM 0)`,
    [table.id, snapshotId],
  );
  return new Set(rows.map(({ name }) => name));
}

/** How many of the table's files are smaller than this and have no deletion file. */
export async function countWholeFilesBelow(
  pool: Queryable,
  schemaName: string,
  tableId: number,
  bytes: number,
): Promise<number> {
  const schema = identifier(schemaName);
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*) FROM ${schema}.ducklake_data_file f
     WHERE f.table_id = $1 AND f.end_snapshot IS NULL AND f.file_size_bytes < $2
       AND NOT EXISTS (
         SELECT FROM ${schema}.ducklake_delete_file d
         WHERE d.data_file_id = f.data_file_id AND d.end_snapshot IS NULL)`,
    [tableId, bytes],
  );
  return rows[0]?.count ?? 0;
}

/**
 * The smallest share of deleted rows, at least `from`, such that all files with at least that share total at
 * most `atMostBytes`; undefined if there is none.
 */
export async function smallestDeletedShare(
  pool: Queryable,
  schemaName: string,
  tableId: number,
  { from, atMostBytes }: { from: number; atMostBytes: number },
): Promise<number | undefined> {
  const schema = identifier(schemaName);
  const { rows } = await pool.query<{ share: number | null }>(
    `SELECT min(share)::double precision AS share FROM (
       SELECT share, sum(bytes) OVER (ORDER BY share DESC) AS bytes_so_far FROM (
         SELECT d.delete_count::numeric / nullif(f.record_count, 0) AS share, f.file_size_bytes AS bytes
         FROM ${schema}.ducklake_data_file f
         JOIN ${schema}.ducklake_delete_file d ON d.data_file_id = f.data_file_id AND d.end_snapshot IS NULL
         WHERE f.table_id = $1 AND f.end_snapshot IS NULL) AS files
       WHERE share >= $2) AS candidates
     WHERE bytes_so_far <= $3`,
    [tableId, from, atMostBytes],
  );
  return rows[0]?.share ?? undefined;
}

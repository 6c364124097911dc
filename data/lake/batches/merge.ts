import type { DuckDBConnection } from '@duckdb/node-api';
import { AppError } from '../../errors.ts';
import type { StagedPage } from '../../postgres/staged-pages.ts';
import { createdAtColumn, rowIdColumn } from '../column-name.ts';
import type { PhysicalTable } from '../columns.ts';
import type { LakeDeps } from '../commit.ts';
import type { StagedFile } from '../import/contract.ts';
import type { Lake } from '../provision.ts';
import { duplicateRowId } from '../rows/append.ts';
import { mayHoldRowIds } from '../rows/taken.ts';
import { identifier, literal } from '../sql.ts';
import type { TargetColumns } from './columns.ts';

/** The range of s_ids of a batch's good records; undefined when it has none. */
function rangeOf(pages: readonly StagedPage[]): { min: bigint; max: bigint } | undefined {
  let range: { min: bigint; max: bigint } | undefined;
  for (const { row_id_min: low, row_id_max: high } of pages) {
    if (low === null || high === null) continue;
    const [min, max] = [BigInt(low), BigInt(high)];
    range ??= { min, max };
    if (min < range.min) range.min = min;
    if (max > range.max) range.max = max;
  }
  return range;
}

function filesSource(files: readonly StagedFile[]): string {
  return `read_parquet([${files.map(({ url }) => literal(url)).join(', ')}])`;
}

/** Refuses an append whose s_ids the table has already. Nothing is read where statistics rule it out. */
export async function refuseTakenRowIds(
  deps: { lake: LakeDeps },
  lake: Lake,
  table: PhysicalTable,
  pages: readonly StagedPage[],
  files: readonly StagedFile[],
): Promise<void> {
  const range = rangeOf(pages);
  if (range === undefined || files.length === 0) return;
  if (!(await mayHoldRowIds(deps.lake, lake, table, range))) return;
  const taken = await deps.lake.engine.use(lake.writer, async (connection) => {
    const reader = await connection.runAndReadAll(
      `SELECT ${rowIdColumn} FROM ${identifier(table.name)}
       WHERE ${rowIdColumn} BETWEEN ${range.min} AND ${range.max}
         AND ${rowIdColumn} IN (SELECT ${rowIdColumn} FROM ${filesSource(files)})
       ORDER BY ${rowIdColumn} LIMIT 10`,
    );
    return reader.getRows().map(([id]) => id as bigint);
  });
  if (taken.length > 0) throw duplicateRowId(taken);
}

interface Merge {
  deps: { lake: LakeDeps };
  lake: Lake;
  connection: DuckDBConnection;
  physical: PhysicalTable;
  target: TargetColumns;
  pages: readonly StagedPage[];
  keys: readonly string[];
  /** The last record of each key. */
  files: readonly StagedFile[];
}

/**
 * Merges the records by key, inside the caller's transaction. A matched row keeps its s_id and when it was
 * created; a key that matches several rows, a null one or a new row whose s_id is taken refuses the batch.
 */
export async function mergeIncoming(merge: Merge): Promise<{ inserted: number; updated: number }> {
  const { connection, lake, physical, target, keys, files } = merge;
  const rows = files.reduce((sum, file) => sum + file.rows, 0);
  if (rows === 0) return { inserted: 0, updated: 0 };
  const table = `${lake.schema}.main.${identifier(physical.name)}`;
  const incoming = filesSource(files);
  const onKeys = keys.map((key) => `t.${identifier(key)} = i.${identifier(key)}`).join(' AND ');
  const updated = await countMatches(connection, table, incoming, keys, onKeys);
  const isByRowId = keys.length === 1 && keys[0] === rowIdColumn;
  if (!isByRowId && updated < rows) await refuseTakenNewRows(merge, table, incoming, onKeys);
  const names = target.columns.map(({ name }) => name);
  const updates = names
    .filter((name) => name !== rowIdColumn && name !== createdAtColumn && !keys.includes(name))
    .map((name) => `${identifier(name)} = i.${identifier(name)}`);
  const matched = updates.length === 0 ? '' : `WHEN MATCHED THEN UPDATE SET ${updates.join(', ')}`;
  await connection.run(
    `MERGE INTO ${table} AS t USING ${incoming} AS i ON (${onKeys}) ${matched}
     WHEN NOT MATCHED THEN INSERT (${names.map(identifier).join(', ')})
       VALUES (${names.map((name) => `i.${identifier(name)}`).join(', ')})`,
  );
  return { inserted: rows - updated, updated };
}

/** How many records have a row already. Each key comes once, so a key that comes twice matches two rows. */
async function countMatches(
  connection: DuckDBConnection,
  table: string,
  incoming: string,
  keys: readonly string[],
  onKeys: string,
): Promise<number> {
  const keyList = keys.map((key) => `i.${identifier(key)}`).join(', ');
  const reader = await connection.runAndReadAll(
    `SELECT coalesce(sum(matches), 0)::BIGINT, coalesce(max(matches), 0)
     FROM (SELECT count(*) AS matches FROM ${incoming} i JOIN ${table} t ON ${onKeys} GROUP BY ${keyList})`,
  );
  const [count, most] = reader.getRows()[0]!.map(Number) as [number, number];
  if (most > 1) {
    throw new AppError(
      'conflict',
      `A key of the batch matches several rows of the table; its key columns (${keys.join(', ')}) are not unique there.`,
    );
  }
  return count;
}

/** The s_ids of rows that no key matched must be free, and each given once. */
async function refuseTakenNewRows(
  { deps, lake, connection, physical, pages }: Merge,
  table: string,
  incoming: string,
  onKeys: string,
): Promise<void> {
  const fresh = `SELECT i.${rowIdColumn} FROM ${incoming} i WHERE NOT EXISTS (SELECT 1 FROM ${table} t WHERE ${onKeys})`;
  const range = rangeOf(pages)!;
  const inTable = (await mayHoldRowIds(deps.lake, lake, physical, range))
    ? `UNION ALL SELECT t.${rowIdColumn} FROM ${table} t
       WHERE t.${rowIdColumn} BETWEEN ${range.min} AND ${range.max} AND t.${rowIdColumn} IN (${fresh})`
    : '';
  const reader = await connection.runAndReadAll(
    `SELECT ${rowIdColumn} FROM (${fresh} ${inTable}) GROUP BY ${rowIdColumn} HAVING count(*) > 1 ORDER BY ${rowIdColumn} LIMIT 10`,
  );
  const taken = reader.getRows().map(([id]) => id as bigint);
  if (taken.length > 0) throw duplicateRowId(taken);
}

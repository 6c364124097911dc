import { AppError } from '../../../data/errors.ts';
import type { LakeDeps } from '../../../data/lake/commit.ts';
import type { EngineConnection } from '../../../data/lake/engine/contract.ts';
import type { Lake } from '../../../data/lake/provision.ts';
import { identifier, literal } from '../../../data/lake/sql.ts';
import type { StagedFile } from '../../../packages/file-reader/index.ts';
import { duplicateRowId } from '../../tables/row-input/duplicates.ts';
import { mayHoldRowIds } from '../../tables/rows/taken.ts';
import { createdAtColumn, rowIdColumn } from '../../tables/tables/column-name.ts';
import type { PhysicalTable } from '../../tables/tables/columns.ts';
import type { TargetColumns } from './columns.ts';
import { type IncomingRows, isDeleted } from './page-files.ts';
import type { StagedPage } from './staged-pages.ts';

/** The range of s_ids of a batch's good records; undefined if there are none. */
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

export function filesSource(files: readonly StagedFile[]): string {
  return `read_parquet([${files.map(({ url }) => literal(url)).join(', ')}])`;
}

/** Rejects an append whose s_ids exist in the table. Reads nothing if statistics rule this out. */
export async function refuseTakenRowIds(
  deps: { lake: LakeDeps },
  lake: Lake,
  connection: EngineConnection,
  table: PhysicalTable,
  pages: readonly StagedPage[],
  files: readonly StagedFile[],
): Promise<void> {
  const range = rangeOf(pages);
  if (range === undefined || files.length === 0) return;
  if (!(await mayHoldRowIds(deps.lake, lake, table, range))) return;
  const { rows: taken } = await connection.read(
    `SELECT ${rowIdColumn} FROM ${identifier(table.name)}
     WHERE ${rowIdColumn} BETWEEN ${range.min} AND ${range.max}
       AND ${rowIdColumn} IN (SELECT ${rowIdColumn} FROM ${filesSource(files)})
     ORDER BY ${rowIdColumn} LIMIT 10`,
  );
  if (taken.length > 0) throw duplicateRowId(taken.map(([id]) => id as bigint));
}

export interface Merge {
  deps: { lake: LakeDeps };
  lake: Lake;
  connection: EngineConnection;
  physical: PhysicalTable;
  target: TargetColumns;
  keys: readonly string[];
  incoming: IncomingRows;
}

/**
 * Deletes the rows that deletion records refer to, and removes these records; returns the number of deleted
 * rows. Rejects the batch if a key matches several rows.
 */
export async function deleteIncoming({ connection, physical, keys, incoming }: Merge): Promise<number> {
  if (incoming.deletions === 0) return 0;
  const names = keys.map(identifier).join(', ');
  const deleted = await connection.run(
    `DELETE FROM ${identifier(physical.name)}
     WHERE (${names}) IN (SELECT (${names}) FROM ${incoming.table} WHERE ${isDeleted})`,
  );
  if (deleted > incoming.deletions) throw ambiguous(keys);
  await connection.run(`DELETE FROM ${incoming.table} WHERE ${isDeleted}`);
  return deleted;
}

function ambiguous(keys: readonly string[]): AppError {
  return new AppError(
    'conflict',
    `A key of the batch matches several rows of the table. The key columns (${keys.join(', ')}) aren't unique in the table.`,
  );
}

/**
 * Merges the records by key, inside the caller's transaction. A matched row keeps its s_id and creation time.
 * Rejects the batch if a key matches several rows, or if the s_id of a new row is taken.
 */
export async function mergeIncoming(merge: Merge): Promise<{ inserted: number; updated: number }> {
  const { connection, lake, physical, target, keys } = merge;
  const { table: incoming, rows } = merge.incoming;
  const table = `${lake.schema}.main.${identifier(physical.name)}`;
  const names = target.columns.map(({ name }) => name);
  const others = names.filter(
    (name) => name !== rowIdColumn && name !== createdAtColumn && !keys.includes(name),
  );
  // Without other columns, the key columns are updated, so that every match is counted.
  const updates = (others.length === 0 ? keys : others).map(
    (name) => `${identifier(name)} = i.${identifier(name)}`,
  );
  const before = await readCreated(merge, table);
  const changed = await connection.run(
    `MERGE INTO ${table} AS t USING ${incoming} AS i
     ON (${keys.map((key) => `t.${identifier(key)} = i.${identifier(key)}`).join(' AND ')})
     WHEN MATCHED THEN UPDATE SET ${updates.join(', ')}
     WHEN NOT MATCHED THEN INSERT (${names.map(identifier).join(', ')})
       VALUES (${names.map((name) => `i.${identifier(name)}`).join(', ')})`,
  );
  // Keys are distinct, so more changes than records mean several rows with the same key.
  if (changed > rows) throw ambiguous(keys);
  const created = await readCreated(merge, table);
  const inserted = created.rows - before.rows;
  const isByRowId = keys.length === 1 && keys[0] === rowIdColumn;
  if (!isByRowId && inserted > 0) await refuseTakenNewRows(merge, table, created);
  return { inserted, updated: rows - inserted };
}

interface CreatedRows {
  rows: number;
  min: bigint;
  max: bigint;
  isUnique: boolean;
}

/** The table's rows with the creation time of the batch's new rows; file statistics limit what is read. */
async function readCreated({ connection, incoming }: Merge, table: string): Promise<CreatedRows> {
  const { rows } = await connection.read(
    `SELECT count(*), min(${rowIdColumn}), max(${rowIdColumn}), count(*) = count(DISTINCT ${rowIdColumn})
     FROM ${table} WHERE ${createdIn(incoming)}`,
  );
  const [count, min, max, isUnique] = rows[0] as [bigint, bigint, bigint, boolean];
  return { rows: Number(count), min, max, isUnique };
}

function createdIn({ createdAt }: IncomingRows): string {
  return `${identifier(createdAtColumn)} = ${literal(String(createdAt))}::TIMESTAMPTZ`;
}

/** The s_ids of new rows must be unused and distinct. */
async function refuseTakenNewRows(
  { deps, lake, connection, physical, incoming }: Merge,
  table: string,
  { min, max, isUnique }: CreatedRows,
): Promise<void> {
  if (isUnique && !(await mayHoldRowIds(deps.lake, lake, physical, { min, max }))) return;
  const { rows } = await connection.read(
    `SELECT ${rowIdColumn} FROM ${table}
     WHERE ${rowIdColumn} BETWEEN ${min} AND ${max}
       AND ${rowIdColumn} IN (SELECT ${rowIdColumn} FROM ${table} WHERE ${createdIn(incoming)})
     GROUP BY ${rowIdColumn} HAVING count(*) > 1 ORDER BY ${rowIdColumn} LIMIT 10`,
  );
  const taken = rows.map(([id]) => id as bigint);
  if (taken.length > 0) throw duplicateRowId(taken);
}

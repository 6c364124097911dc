import type { LakeDeps } from '../../../data/lake/commit.ts';
import { readLake } from '../../../data/lake/ducklake/alive.ts';
import { anyFileMayHold } from '../../../data/lake/ducklake/files.ts';
import {
  anyInlinedBetween,
  type InlinedColumn,
  inlinedAmong,
} from '../../../data/lake/ducklake/inlined-values.ts';
import type { EngineConnection } from '../../../data/lake/engine/contract.ts';
import type { Lake } from '../../../data/lake/provision.ts';
import { identifier } from '../../../data/lake/sql.ts';
import { rowIdColumn } from '../tables/column-name.ts';
import type { PhysicalTable } from '../tables/columns.ts';

/** What the index and the statistics say about s_ids. */
export interface RowIdLookup {
  /** s_ids of rows inlined in the catalog. */
  taken: Set<bigint>;
  /** Whether a Parquet file could contain more of them; then the engine has to check. */
  filesMayHold: boolean;
}

/**
 * Looks up s_ids without an engine. Rows still inlined in the catalog are found through our index; Parquet
 * files need no check if their minimum and maximum exclude every id, as with ascending ids. The caller holds
 * the table's lock.
 */
export async function lookUpRowIds(
  deps: Pick<LakeDeps, 'catalogPool'>,
  lake: Lake,
  table: PhysicalTable,
  ids: readonly bigint[],
): Promise<RowIdLookup> {
  if (ids.length === 0) return { taken: new Set(), filesMayHold: false };
  const [taken, mayHold] = await Promise.all([
    inlinedAmong(deps.catalogPool, inlinedRowIds(lake, table), ids),
    filesMayHold(deps, lake, table, rangeOf(ids)),
  ]);
  return { taken, filesMayHold: mayHold };
}

/** Which of these s_ids the table already has. The caller holds the table's lock, and no engine process. */
export async function takenRowIds(
  deps: LakeDeps,
  lake: Lake,
  table: PhysicalTable,
  ids: readonly bigint[],
): Promise<Set<bigint>> {
  const { taken, filesMayHold } = await lookUpRowIds(deps, lake, table, ids);
  if (!filesMayHold) return taken;
  return readLake(deps.engine, lake, async (connection) => {
    const { rows } = await connection.read(
      `SELECT ${rowIdColumn} FROM ${identifier(table.name)} WHERE ${rowIdColumn} IN (${ids.join(', ')})`,
    );
    return new Set(rows.map(([id]) => id as bigint));
  });
}

/** Which of these s_ids occur more than once in the table, within a transaction that wrote each of them. */
export async function repeatedInTable(
  connection: EngineConnection,
  table: PhysicalTable,
  ids: readonly bigint[],
): Promise<Set<bigint>> {
  const { rows } = await connection.read(
    `SELECT ${rowIdColumn} FROM ${identifier(table.name)} WHERE ${rowIdColumn} IN (${ids.join(', ')})
     GROUP BY ${rowIdColumn} HAVING count(*) > 1`,
  );
  return new Set(rows.map(([id]) => id as bigint));
}

/** Whether any row of the table can have an s_id in the range, by index and statistics alone. */
export async function mayHoldRowIds(
  deps: LakeDeps,
  lake: Lake,
  table: PhysicalTable,
  range: { min: bigint; max: bigint },
): Promise<boolean> {
  const place = inlinedRowIds(lake, table);
  return (await anyInlinedBetween(deps.catalogPool, place, range)) || filesMayHold(deps, lake, table, range);
}

function filesMayHold(
  { catalogPool }: Pick<LakeDeps, 'catalogPool'>,
  lake: Lake,
  table: PhysicalTable,
  range: { min: bigint; max: bigint },
): Promise<boolean> {
  return anyFileMayHold(catalogPool, lake.schema, table.lakeTableId, rowIdColumn, range);
}

function inlinedRowIds(lake: Lake, table: PhysicalTable): InlinedColumn {
  return { schemaName: lake.schema, tableId: table.lakeTableId, column: rowIdColumn };
}

function rangeOf(ids: readonly bigint[]): { min: bigint; max: bigint } {
  const range = { min: ids[0]!, max: ids[0]! };
  for (const id of ids) {
    if (id < range.min) range.min = id;
    if (id > range.max) range.max = id;
  }
  return range;
}

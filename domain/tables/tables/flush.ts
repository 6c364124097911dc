import { inLakeTransaction, type LakeDeps } from '../../../data/lake/commit.ts';
import { countDoubledDeletions } from '../../../data/lake/ducklake/doubled-deletions.ts';
import {
  forgetOutlivedTables,
  hasInlinedDeletions,
  inlinedTables,
} from '../../../data/lake/ducklake/inlined.ts';
import { flushInlined } from '../../../data/lake/ducklake/procedures.ts';
import type { EngineConnection } from '../../../data/lake/engine/contract.ts';
import type { Lake } from '../../../data/lake/provision.ts';
import type { PhysicalTable } from './columns.ts';
import { rewriteTable } from './retype.ts';

/** A table up to this size is rewritten if its rows of an outlived schema cannot be flushed directly. */
export const renewableBytes = 256_000_000;

export interface Flushed {
  rows: number;
  /**
   * Deletions that were recorded both in a file and in the catalog, and so had no effect: the deleted rows
   * were visible again.
   */
  deletionsRepaired: number;
  /** Rows of an outlived schema stay in the catalog: the table is too large to be rewritten. */
  leftBehind: boolean;
}

/**
 * Moves the rows and deletions in the catalog to Parquet. The caller holds the table's lock, and may pass a
 * connection to use. Every version reads as before, because the files carry the snapshot of each row.
 * Undefined if there was nothing to move.
 *
 * DuckLake keeps one catalog table of rows for each schema a table had. A flush drops the empty ones of
 * outlived schemas that the lake's registry lists, whichever table they belong to. Engines of other processes
 * remember these tables for as long as they live, and an engine that reads a dropped one breaks. So none is
 * ever dropped while it may be in use: empty ones are removed from the registry first, and a table with rows
 * in one is rewritten under its name, which leaves the old rows to the earlier versions.
 */
export async function flushHeld(
  deps: LakeDeps,
  lake: Lake,
  table: PhysicalTable,
  connection?: EngineConnection,
): Promise<Flushed | undefined> {
  const place = [deps.catalogPool, lake.schema, table.lakeTableId] as const;
  const inlined = await inlinedTables(...place);
  const hasDeletions = await hasInlinedDeletions(...place);
  if (!inlined.some(({ hasRows }) => hasRows) && !hasDeletions) return undefined;
  if (inlined.some(({ isOutlived, hasRows }) => isOutlived && hasRows)) {
    if (table.sizeBytes > renewableBytes) return { rows: 0, deletionsRepaired: 0, leftBehind: true };
    await renew(deps, lake, table, connection);
  }
  await forgetOutlivedTables(deps.catalogPool, lake.schema);
  const deletionsRepaired = hasDeletions ? await countDoubledDeletions(deps, lake, table, connection) : 0;
  return { rows: await flushInlined(deps, lake, table, connection), deletionsRepaired, leftBehind: false };
}

/**
 * Copies the rows into a new table of the same name, in a commit without operations, because nothing changes
 * for users.
 */
async function renew(
  deps: LakeDeps,
  lake: Lake,
  { name, columns }: PhysicalTable,
  connection: EngineConnection | undefined,
): Promise<void> {
  await inLakeTransaction(
    deps,
    lake,
    async (on) => {
      await rewriteTable(on, name, columns, columns);
      return { result: undefined, note: { message: 'renew', operations: [], flushed: [] } };
    },
    connection,
  );
}

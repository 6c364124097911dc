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

/**
 * A table up to this size is written anew where its rows of an outlived schema cannot be flushed as they lie.
 */
export const renewableBytes = 256_000_000;

export interface Flushed {
  rows: number;
  /**
   * Deletions that stood both in a file and in the catalog, and hid nothing: rows came back that were
   * deleted.
   */
  deletionsRepaired: number;
  /** Rows of an outlived schema stay in the catalog: the table is too large to be written anew. */
  leftBehind: boolean;
}

/**
 * Moves the rows and deletions that lie in the catalog to Parquet, for whoever holds the table's lock, and
 * may have a connection to do it on. Every version reads as before: the files carry the snapshot of each row.
 * Undefined where there was nothing to move.
 *
 * DuckLake keeps a catalog table of rows for each schema a table had, and a flush drops the empty ones of
 * outlived schemas that the lake's registry lists, whichever table they are of. Other processes remember them
 * for as long as their engine lives, and one that reads a dropped one loses its whole engine. So none is ever
 * dropped: the empty ones are forgotten first, and a table with rows in one is written anew under its name,
 * which leaves the old rows to the versions before.
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
 * The same rows in a new table of the same name, in one commit that is no operation: nothing changes for
 * anyone.
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

import type { LakeDeps } from '../../data/lake/commit.ts';
import {
  forgetOutlivedTables,
  hasInlinedDeletions,
  inlinedTables,
} from '../../data/lake/ducklake/inlined.ts';
import { flushInlined } from '../../data/lake/ducklake/procedures.ts';
import type { EngineConnection } from '../../data/lake/engine/contract.ts';
import type { Lake } from '../../data/lake/provision.ts';
import type { PhysicalTable } from './columns.ts';
import { rewriteTable } from './retype.ts';

/** A table up to this size is written anew where its rows of an outlived schema cannot be flushed as they lie. */
export const renewableBytes = 256_000_000;

export interface Flushed {
  rows: number;
  /** Rows of an outlived schema stay in the catalog: the table is too large to be written anew. */
  leftBehind: boolean;
}

/**
 * Moves the rows and deletions that lie in the catalog to Parquet, for whoever holds the table's lock, and may have a
 * connection to do it on. Every version reads as before: the files carry the snapshot of each row. Undefined where
 * there was nothing to move.
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
  if (!inlined.some(({ hasRows }) => hasRows) && !(await hasInlinedDeletions(...place))) return undefined;
  if (inlined.some(({ isOutlived, hasRows }) => isOutlived && hasRows)) {
    if (table.sizeBytes > renewableBytes) return { rows: 0, leftBehind: true };
    await renew(deps, lake, table, connection);
  }
  await forgetOutlivedTables(deps.catalogPool, lake.schema);
  return { rows: await flushInlined(deps, lake, table.name, connection), leftBehind: false };
}

/** The same rows in a new table of the same name, in one commit that is no operation: nothing changes for anyone. */
async function renew(
  deps: LakeDeps,
  lake: Lake,
  table: PhysicalTable,
  connection: EngineConnection | undefined,
): Promise<void> {
  async function rewrite(on: EngineConnection): Promise<void> {
    await on.run('BEGIN');
    await rewriteTable(on, table.name, table.columns, table.columns);
    await on.run('COMMIT');
  }
  await (connection === undefined ? deps.engine.use(lake.writer, rewrite) : rewrite(connection));
}

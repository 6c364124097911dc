import { AppError, notFound } from '../../../data/errors.ts';
import { commitOperations, type LakeDeps, lakeFailure } from '../../../data/lake/commit.ts';
import { findOperations, findStatistics, type LedgerEntry } from '../../../data/lake/ledger.ts';
import type { Lake } from '../../../data/lake/provision.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import { findPhysicalTable, type LakeColumn, type PhysicalTable } from '../../tables/tables/columns.ts';
import { flushHeld, renewableBytes } from '../../tables/tables/flush.ts';
import { getTable, type TableRow } from '../../tables/tables/registry.ts';
import { blockingTests, type Gated, refuseUnverified } from '../../tables/verification/gate.ts';
import { requireKeys, targetColumns } from './columns.ts';
import { findDataSync } from './data-syncs.ts';
import type { IngestionBatch } from './ingestion-batches.ts';
import { refuseTakenRowIds } from './merge.ts';
import {
  deletedFlag,
  keepLastOfEachKey,
  type PageFilesDeps,
  refuseLossyIntegers,
  refuseRepeatedRowIds,
  writeIncoming,
  writeRecords,
} from './page-files.ts';
import { quarantineOf } from './quarantine.ts';
import { ShrinksTooMuch, shrinksTooMuch } from './shrink.ts';
import { fenced, isFenced, keysOf } from './stage-page.ts';
import { allPages } from './staged-pages.ts';
import { type ApplyDeps, batchOperationId, type Commit, NothingToApply, writeBatch } from './write.ts';

export interface ApplyProgress {
  pagesRead: number;
  pages: number;
}

export interface AppliedToLake {
  rowsInserted: number;
  rowsUpdated: number;
  tableVersion: number;
  appliedAt: Date;
}

/** The outcome of a batch according to the ledger; undefined if it is not in the lake. */
export async function findApplied(lake: LakeDeps, batch: IngestionBatch): Promise<AppliedToLake | undefined> {
  const { schema } = await lake.catalog.get(batch.organization_id);
  const id = batchOperationId(batch.id);
  const entry = (await findOperations(lake.catalogPool, schema, [id])).get(id);
  return entry === undefined ? undefined : appliedOf(batch, entry);
}

export function appliedOf(batch: IngestionBatch, entry: LedgerEntry): AppliedToLake {
  const isUpsert = batch.mode === 'upsert';
  return {
    rowsInserted: isUpsert ? entry.rowsAdded - entry.rowsRemoved : entry.rowsAdded,
    rowsUpdated: isUpsert ? entry.rowsRemoved : 0,
    tableVersion: entry.version,
    appliedAt: entry.committedAt,
  };
}

/**
 * Applies a completed batch to its table in one commit. First, without the table's lock, its files are staged
 * in the lake's folder, or the rows of an upsert collected; files of a crashed attempt are never referenced.
 * A batch that is in the lake is not applied again.
 */
export async function applyBatch(
  deps: ApplyDeps,
  batch: IngestionBatch,
  progress: (progress: ApplyProgress) => void,
  signal: AbortSignal | undefined,
): Promise<AppliedToLake> {
  const earlier = await findApplied(deps.lake, batch);
  if (earlier !== undefined) return earlier;
  const lake = await deps.lake.catalog.get(batch.organization_id);
  const { table, keys } = await lookUp(deps, batch);
  const pages = await inOrganization(deps.db, batch.organization_id, (db) =>
    allPages(db, batch.organization_id, batch.id),
  );
  const before = await physicalOf(deps, lake, table);
  requireKeys(keys, pages);
  const target = targetColumns(before.columns, pages, batch.on_new_field === 'add');
  const applied = deps.staging.use(
    lake.writer,
    async (connection) => {
      const reading: PageFilesDeps = {
        connection,
        objects: deps.objects,
        prefixUrl: `${lake.writer.dataPath}main/${batch.id}/`,
        progress: (pagesRead) => progress({ pagesRead, pages: pages.length }),
      };
      await refuseLossyIntegers(reading, pages, target.narrowed);
      const plan = { deps, lake, batch, table, connection, keys, pages, before, target };
      const gate = (how: Gated['how'], files: readonly { url: string }[]) =>
        refuseUnverified(deps, gatedOf(batch, table, target.columns, files, how), signal ?? neverAborted);
      if (batch.mode === 'upsert') {
        const incoming = await keepLastOfEachKey(reading, pages, target, keys);
        if (
          incoming !== undefined &&
          (await blockingTests(deps.db, batch.organization_id, table.id)).length > 0
        ) {
          const files = await writeIncoming(reading, incoming, target.columns);
          await gate({ kind: 'merge', keys, deleted: deletedFlag.name }, files);
        }
        const applied = await hold({ ...plan, files: [], incoming });
        if (incoming !== undefined) await connection.run(`DROP TABLE ${incoming.table}`);
        return applied;
      }
      await refuseRepeatedRowIds(reading, pages);
      const files = await writeRecords(reading, pages, target);
      await gate({ kind: batch.mode === 'append' ? 'append' : 'replace' }, files);
      return hold({ ...plan, files, incoming: undefined });
    },
    { signal },
  );
  return applied.catch((error: unknown) => {
    throw signal?.aborted === true ? error : lakeFailure(error);
  });
}

const neverAborted = new AbortController().signal;

const gatedOf = (
  batch: IngestionBatch,
  table: TableRow,
  columns: readonly LakeColumn[],
  files: readonly { url: string }[],
  how: Gated['how'],
): Gated => ({
  ...{ organizationId: batch.organization_id, tableId: table.id, tableName: table.name },
  ...{ columns: how.kind === 'merge' ? [...columns, deletedFlag] : columns, files, how },
  process: { id: batch.id, startedAt: batch.created_at, projectId: null, by: batch.created_by },
});

function hold(plan: Commit): Promise<AppliedToLake> {
  return plan.deps.lake.locks.hold(plan.table.id, () => commit(plan));
}

/** Under the table's lock: checks again everything that may have changed, and commits. */
async function commit(plan: Commit): Promise<AppliedToLake> {
  const { deps, lake, batch } = plan;
  const earlier = await findApplied(deps.lake, batch);
  if (earlier !== undefined) return earlier;
  const { table, keys } = await lookUp(deps, batch);
  const physical = await physicalOf(deps, lake, table);
  const isAsBefore =
    JSON.stringify([keys, physical.columns]) === JSON.stringify([plan.keys, plan.before.columns]);
  if (!isAsBefore) throw columnsChanged();
  if (await shrinksTooMuch(deps.lake, batch)) throw new ShrinksTooMuch();
  if (batch.mode === 'append')
    await refuseTakenRowIds(deps, lake, plan.connection, physical, plan.pages, plan.files);
  const changesColumns = plan.target.retypes.size + plan.target.added.length > 0;
  // As in every change of columns: rows inlined in the catalog under the old schema of a large table cannot
  // be moved out later.
  if (changesColumns && physical.sizeBytes > renewableBytes)
    await flushHeld(deps.lake, lake, physical, plan.connection);
  const quarantine = await quarantineOf(batch).reserve(deps, lake, batch, table, plan.pages);
  // The lake creates no snapshot for an empty commit; without changes, applying is idempotent anyway.
  const isSwap = batch.mode === 'replace' || batch.mode === 'provider_snapshot';
  const quarantines = plan.pages.some(({ quarantined }) => quarantined > 0);
  if (!isSwap && plan.files.length === 0 && plan.incoming === undefined && !quarantines)
    return appliedToNothing(deps, lake, batch);
  const { connection } = plan;
  const commitAll = () =>
    commitOperations(
      deps.lake,
      lake,
      async () => [
        ...(await writeBatch({ ...plan, table }, physical)),
        ...(quarantine === undefined
          ? []
          : [await quarantineOf(batch).write(connection, deps.objects, batch, quarantine, plan.pages)]),
      ],
      connection,
    );
  // The quarantine has other writers, and cleaning up a reservation requires its lock.
  try {
    await (quarantine === undefined ? commitAll() : deps.lake.locks.hold(quarantine.id, commitAll));
  } catch (error) {
    if (error instanceof NothingToApply) return appliedToNothing(deps, lake, batch);
    throw error;
  }
  const applied = await findApplied(deps.lake, batch);
  if (applied === undefined) throw new Error(`Batch ${batch.id} committed without a ledger entry.`);
  return applied;
}

async function appliedToNothing(deps: ApplyDeps, lake: Lake, batch: IngestionBatch): Promise<AppliedToLake> {
  const statistics = await findStatistics(deps.lake.catalogPool, lake.schema, batch.table_id);
  const tableVersion = statistics?.version ?? 0;
  return { rowsInserted: 0, rowsUpdated: 0, tableVersion, appliedAt: new Date() };
}

/**
 * The current table and key. @throws AppError generation_fenced if the batch's generation is no longer
 * current
 */
async function lookUp(
  { db }: ApplyDeps,
  batch: IngestionBatch,
): Promise<{ table: TableRow; keys: readonly string[] }> {
  return inOrganization(db, batch.organization_id, async (transaction) => {
    const table = await getTable(transaction, batch.organization_id, batch.table_id);
    const sync =
      batch.sync_id === null
        ? undefined
        : await findDataSync(transaction, batch.organization_id, batch.sync_id);
    if (isFenced(batch, sync)) throw fenced();
    return { table, keys: keysOf(batch, table, sync) };
  });
}

async function physicalOf(deps: ApplyDeps, lake: Lake, table: TableRow): Promise<PhysicalTable> {
  const physical = await findPhysicalTable(deps.lake.catalogPool, lake.schema, table.name);
  if (physical === undefined) throw notFound('The table');
  return physical;
}

/** Another writer changed the table's columns: the next attempt writes the files for the new ones. */
function columnsChanged(): AppError {
  return new AppError(
    'storage_unavailable',
    'The columns of the table changed in the meantime. The service tries again.',
  );
}

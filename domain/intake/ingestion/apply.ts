import { AppError, notFound } from '../../../data/errors.ts';
import { commitOperations, type LakeDeps, lakeFailure } from '../../../data/lake/commit.ts';
import { addDataFile } from '../../../data/lake/ducklake/procedures.ts';
import type { EngineConnection, LakeEngine } from '../../../data/lake/engine/contract.ts';
import {
  findOperations,
  type LakeOperation,
  type LedgerEntry,
  tableStatistics,
} from '../../../data/lake/ledger.ts';
import type { Lake } from '../../../data/lake/provision.ts';
import { identifier } from '../../../data/lake/sql.ts';
import type { ObjectStore } from '../../../data/objects/store.ts';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import { findPhysicalTable, type PhysicalTable } from '../../tables/tables/columns.ts';
import { flushHeld, renewableBytes } from '../../tables/tables/flush.ts';
import { addColumnStatements, createTableStatements, retypeColumns } from '../../tables/tables/retype.ts';
import { getTable, type TableRow, uniqueKeysOf } from '../../tables/tables/tables.ts';
import type { StagedFile } from '../file-imports/contract.ts';
import { requireKeys, type TargetColumns, targetColumns } from './columns.ts';
import { findDataSync } from './data-syncs.ts';
import type { IngestionBatch } from './ingestion-batches.ts';
import { mergeIncoming, refuseTakenRowIds } from './merge.ts';
import {
  type IncomingRows,
  keepLastOfEachKey,
  type PageFilesDeps,
  refuseLossyIntegers,
  refuseRepeatedRowIds,
  writeRecords,
} from './page-files.ts';
import { quarantineOf } from './quarantine.ts';
import { ShrinksTooMuch, shrinksTooMuch } from './shrink.ts';
import { fenced, isFenced, keysOf } from './stage-page.ts';
import { allPages, type StagedPage } from './staged-pages.ts';
import { refuseAmbiguousKeys, refuseRepeatedKeys } from './unique-keys.ts';

export interface ApplyDeps {
  db: Database;
  lake: LakeDeps;
  /** Where pages are gathered: whoever works there may wait for the table's lock. */
  staging: LakeEngine;
  objects: ObjectStore;
}

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

/** The batch's name in the lake's ledger: it is there exactly when its rows are in the table. */
export function batchOperationId(batchId: string): string {
  return `batch:${batchId}`;
}

/** What the ledger says of a batch that is in the lake. */
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
 * Puts a completed batch into its table as one commit. Its files are written beside the lake first, or the
 * rows of an upsert gathered, without the table's lock; a try that dies leaves files that nothing names. A
 * batch that is in the lake is not applied again.
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
      if (batch.mode === 'upsert') {
        const incoming = await keepLastOfEachKey(reading, pages, target, keys);
        const applied = await hold({ ...plan, files: [], incoming });
        if (incoming !== undefined) await connection.run(`DROP TABLE ${incoming.table}`);
        return applied;
      }
      await refuseRepeatedRowIds(reading, pages);
      return hold({ ...plan, files: await writeRecords(reading, pages, target), incoming: undefined });
    },
    { signal },
  );
  return applied.catch((error: unknown) => {
    throw signal?.aborted === true ? error : lakeFailure(error);
  });
}

function hold(plan: Commit): Promise<AppliedToLake> {
  return plan.deps.lake.locks.hold(plan.table.id, () => commit(plan));
}

interface Commit {
  deps: ApplyDeps;
  lake: Lake;
  batch: IngestionBatch;
  table: TableRow;
  /** Has the incoming rows of an upsert. */
  connection: EngineConnection;
  keys: readonly string[];
  pages: readonly StagedPage[];
  /** The table as the files were written for it. */
  before: PhysicalTable;
  target: TargetColumns;
  files: readonly StagedFile[];
  incoming: IncomingRows | undefined;
}

/** Under the table's lock: looks at everything again that could have changed meanwhile, and commits. */
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
  // As every change of columns does: rows left in the catalog under an old schema of a large table stay
  // there.
  if (changesColumns && physical.sizeBytes > renewableBytes)
    await flushHeld(deps.lake, lake, physical, plan.connection);
  const quarantine = await quarantineOf(batch).reserve(deps, lake, batch, table, plan.pages);
  // The lake makes no snapshot of nothing: then there is nothing that could happen twice either.
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
        await write({ ...plan, table }, physical),
        ...(quarantine === undefined
          ? []
          : [await quarantineOf(batch).write(connection, deps.objects, batch, quarantine, plan.pages)]),
      ],
      connection,
    );
  // The quarantine has writers of its own, and who settles a reservation waits for its lock.
  await (quarantine === undefined ? commitAll() : deps.lake.locks.hold(quarantine.id, commitAll));
  const applied = await findApplied(deps.lake, batch);
  if (applied === undefined) throw new Error(`Batch ${batch.id} committed without a ledger entry.`);
  return applied;
}

async function appliedToNothing(deps: ApplyDeps, lake: Lake, batch: IngestionBatch): Promise<AppliedToLake> {
  const statistics = await tableStatistics(deps.lake.catalogPool, lake.schema);
  const tableVersion = statistics.get(batch.table_id)?.version ?? 0;
  return { rowsInserted: 0, rowsUpdated: 0, tableVersion, appliedAt: new Date() };
}

async function write(
  { deps, lake, batch, table, connection, keys, target, files, incoming }: Commit,
  physical: PhysicalTable,
): Promise<LakeOperation> {
  const rows = files.reduce((sum, file) => sum + file.rows, 0);
  const operation = (
    kind: LakeOperation['operation'],
    rowsAdded: number,
    rowsRemoved: number,
  ): LakeOperation => ({
    id: batchOperationId(batch.id),
    tableId: batch.table_id,
    operation: kind,
    rowsAdded,
    rowsRemoved,
    runId: batch.id,
    committedBy: batch.created_by,
  });
  switch (batch.mode) {
    case 'append':
      await changeColumns(connection, physical, target);
      await refuseRepeatedKeys(connection, { table: physical.name, files, keys, isSwap: false });
      await addFiles(connection, lake, physical.name, files);
      return operation('append', rows, 0);
    case 'upsert': {
      await changeColumns(connection, physical, target);
      if (incoming === undefined) return operation('upsert', 0, 0);
      const merged = await mergeIncoming({ deps, lake, connection, physical, target, keys, incoming });
      const others = uniqueKeysOf(table).join() === keys.join() ? [] : uniqueKeysOf(table);
      await refuseAmbiguousKeys(connection, { table: physical.name, incoming, keys: others });
      return operation('upsert', merged.inserted + merged.updated, merged.updated);
    }
    case 'replace':
    case 'provider_snapshot': {
      await refuseRepeatedKeys(connection, { table: physical.name, files, keys, isSwap: true });
      const statistics = await tableStatistics(deps.lake.catalogPool, lake.schema);
      await connection.run(`DROP TABLE ${identifier(physical.name)}`);
      for (const statement of createTableStatements(physical.name, target.columns))
        await connection.run(statement);
      await addFiles(connection, lake, physical.name, files);
      return operation('replace', rows, statistics.get(batch.table_id)?.rowCount ?? 0);
    }
  }
}

/** The table with the columns the batch needs: types it decides or widens, and new ones behind. */
async function changeColumns(
  connection: EngineConnection,
  physical: PhysicalTable,
  { retypes, added }: TargetColumns,
): Promise<void> {
  if (retypes.size > 0) await retypeColumns(connection, physical.name, physical.columns, retypes, 'inferred');
  for (const column of added)
    for (const statement of addColumnStatements(physical.name, column)) await connection.run(statement);
}

async function addFiles(
  connection: EngineConnection,
  lake: Lake,
  table: string,
  files: readonly StagedFile[],
): Promise<void> {
  for (const { url } of files) await addDataFile(connection, lake.schema, table, url);
}

/** Table and key as they are now; refuses a batch whose generation was rotated away. */
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

/** Another writer changed the table's columns meanwhile: the next try writes the files for the new ones. */
function columnsChanged(): AppError {
  return new AppError(
    'storage_unavailable',
    'The columns of the table changed meanwhile; applying is tried again.',
  );
}

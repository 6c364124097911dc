import { randomUUID } from 'node:crypto';
import { AppError, isRetryable } from '../../data/errors.ts';
import type { LakeDeps } from '../../data/lake/commit.ts';
import { findOperations, newestVersions, voidOperation } from '../../data/lake/ledger.ts';
import type { ObjectStore } from '../../data/objects/store.ts';
import { type Database, inOrganization } from '../../data/postgres/client.ts';
import { getDataConnection } from '../data-connections/data-connections.ts';
import { SourceFailure } from '../data-connections/failure.ts';
import { beginStep } from '../runs/runs.ts';
import { findPhysicalTable, type LakeColumn } from '../tables/columns.ts';
import { mergeFiles } from '../tables/merge-files.ts';
import { type Replacement, replaceWithFiles } from '../tables/replace.ts';
import { findTable, tableStates } from '../tables/tables.ts';
import type { Copied, SourceCopier } from './copy/copier.ts';
import { getDataset } from './datasets.ts';
import { endSnapshot, snapshotSteps } from './life.ts';
import { type Replica, type ReplicateDeps, replicate } from './replicate.ts';
import {
  type CopyProgress,
  moveSnapshot,
  type SchemaChange,
  type SnapshotFailure,
  type SnapshotRun,
  updateSnapshotRun,
} from './snapshot-runs.ts';

export interface SnapshotRunDeps extends ReplicateDeps {
  db: Database;
  lake: LakeDeps;
  objects: ObjectStore;
  copier: SourceCopier;
}

/** What is staged, as its manifest says it. */
interface Manifest extends Copied {
  /** Of a source that is read page after page. */
  replica?: Replica;
}

/** How far staging is: all rows are staged, or its process goes on with it later. */
export interface SnapshotStaged {
  rows: number;
  goesOnAfterMs?: number;
}

const operationOf = (row: SnapshotRun): string => `snapshot:${row.id}`;

async function isInLake({ lake }: Pick<SnapshotRunDeps, 'lake'>, row: SnapshotRun): Promise<boolean> {
  const { schema } = await lake.catalog.get(row.organization_id);
  return (await findOperations(lake.catalogPool, schema, [operationOf(row)])).size > 0;
}

/**
 * Copies the source to Parquet beside the lake, and remembers what is staged. Each try copies anew, from one moment of the
 * source, into a folder of its own, but for what the lake has already: then the process was lost between the commit and the row.
 */
export async function stageSnapshot(
  deps: SnapshotRunDeps,
  row: SnapshotRun,
  progress: (progress: CopyProgress) => void,
  signal: AbortSignal,
): Promise<SnapshotStaged> {
  if (await isInLake(deps, row)) return { rows: (await readManifest(deps, row)).rows };
  const { organization_id: organizationId } = row;
  const lake = await deps.lake.catalog.get(organizationId);
  const { connection, dataset } = await inOrganization(deps.db, organizationId, async (db) => ({
    connection: await getDataConnection(db, organizationId, row.connection_id),
    dataset: await getDataset(db, organizationId, row.dataset_id, row.connection_id),
  }));
  const prefixUrl = `${stagingUrl(lake.writer.dataPath, row.id)}${randomUUID()}/`;
  const copy = (): Promise<Manifest | SnapshotStaged> =>
    connection.type === 'http'
      ? replicate(
          deps,
          { row, connection, dataset, prefixUrl, pagesPrefix: pagesPrefix(row) },
          progress,
          signal,
        )
      : deps.copier.copy({ connection, resource: dataset.resource, prefixUrl }, progress, signal);
  const copied = await copy().catch(async (error: unknown) => {
    await removeStaged(deps, prefixUrl).catch(() => undefined);
    throw error;
  });
  if (!('files' in copied)) return copied;
  await deps.objects.put(manifestKey(row), Buffer.from(JSON.stringify(copied)), 'application/json');
  await inOrganization(deps.db, organizationId, (db) =>
    updateSnapshotRun(db, organizationId, row.id, {
      rows_copied: copied.rows,
      bytes_copied: copied.bytes,
      progress: 0.95,
      staged_at: new Date(),
      is_incremental: copied.replica?.isIncremental ?? false,
      // Why an earlier try failed is over.
      error: null,
    }),
  );
  return { rows: copied.rows };
}

/** Commits what is staged, once, as the table's whole content, and tells the snapshot as succeeded. */
export async function commitSnapshot(deps: SnapshotRunDeps, row: SnapshotRun): Promise<void> {
  const { organization_id: organizationId, table_id: tableId } = row;
  const manifest = await readManifest(deps, row);
  const tableName = await inOrganization(deps.db, organizationId, async (db) => {
    await beginStep(db, organizationId, row.id, snapshotSteps.commit);
    // Somebody may have renamed the table since.
    return (await findTable(db, organizationId, tableId))?.name ?? row.table_name;
  });
  const change: TableChange = {
    organizationId,
    tableId,
    tableName,
    staged: manifest,
    operationId: operationOf(row),
    runId: row.id,
    committedBy: row.created_by,
  };
  const { replica } = manifest;
  const tableVersion =
    replica?.isIncremental === true
      ? await addTo(deps, row, change, replica)
      : await replaceWhole(deps, row, change);
  await inOrganization(deps.db, organizationId, async (db) => {
    await tableStates.move(db, { organization_id: organizationId, id: tableId }, 'creating', 'ready');
    const moved = await moveSnapshot(db, row, 'running', 'succeeded', {
      rows_copied: manifest.rows,
      bytes_copied: manifest.bytes,
      progress: 1,
      table_name: tableName,
      table_version: tableVersion,
      cursor: replica?.cursor ?? null,
      error: null,
    });
    if (moved === undefined) return;
    await db
      .updateTable('datasets')
      .set({
        table_id: tableId,
        last_snapshot_at: moved.finished_at,
        last_snapshot_run_id: row.id,
        replicated: replica === undefined ? null : JSON.stringify(replica.next),
      })
      .where('organization_id', '=', organizationId)
      .where('id', '=', row.dataset_id)
      .execute();
  });
  await removeNotes(deps, row);
}

type TableChange = Omit<Replacement, 'beside'>;

async function replaceWhole(deps: SnapshotRunDeps, row: SnapshotRun, change: TableChange): Promise<number> {
  const { schema } = await deps.lake.catalog.get(change.organizationId);
  // A try after the commit would compare the new table with itself.
  if (!(await isInLake(deps, row))) {
    const before = await findPhysicalTable(deps.lake.catalogPool, schema, change.tableName);
    await keepSchemaChanges(deps, row, schemaChanges(before?.columns, change.staged.columns));
  }
  return replaceWithFiles(deps.lake, { ...change, beside: undefined });
}

/** What came since the last snapshot, which may be nothing: then there is nothing to commit. */
async function addTo(
  deps: SnapshotRunDeps,
  row: SnapshotRun,
  change: TableChange,
  { keys, overlap }: Replica,
): Promise<number> {
  if (change.staged.rows === 0) {
    const { schema } = await deps.lake.catalog.get(change.organizationId);
    return (await newestVersions(deps.lake.catalogPool, schema)).get(change.tableId) ?? 0;
  }
  const { version, before, after } = await mergeFiles(deps.lake, { ...change, keys, overlap });
  if (before !== undefined) await keepSchemaChanges(deps, row, schemaChanges(before, after));
  return version;
}

async function keepSchemaChanges(
  { db }: SnapshotRunDeps,
  { organization_id: organizationId, id }: SnapshotRun,
  changes: SchemaChange[],
): Promise<void> {
  await inOrganization(db, organizationId, (transaction) =>
    updateSnapshotRun(transaction, organizationId, id, { schema_changes: JSON.stringify(changes) }),
  );
}

/** What the source's columns have become since the last snapshot. A first one has nothing to compare with. */
export function schemaChanges(
  before: readonly LakeColumn[] | undefined,
  after: readonly LakeColumn[],
): SchemaChange[] {
  if (before === undefined) return [];
  const [old, now] = [before, after].map(
    (columns) => new Map(columns.map((one) => [one.name, one.dataType])),
  );
  return [
    ...after.flatMap(({ name, dataType }): SchemaChange[] => {
      const from = old!.get(name);
      if (from === undefined) return [{ column: name, change: 'added', from: null, to: dataType }];
      return from === dataType ? [] : [{ column: name, change: 'retyped', from, to: dataType }];
    }),
    ...before.flatMap(({ name, dataType }): SchemaChange[] =>
      now!.has(name) ? [] : [{ column: name, change: 'removed', from: dataType, to: null }],
    ),
  ];
}

/**
 * Ends a snapshot that nobody drives any more; false where the lake has it, and it only has to be told. A commit that still
 * lingers somewhere is refused by the database from then on, so that nothing can name what is removed.
 */
export async function giveUpSnapshot(deps: SnapshotRunDeps, row: SnapshotRun): Promise<boolean> {
  const { organization_id: organizationId, id: runId } = row;
  const { schema } = await deps.lake.catalog.get(organizationId);
  if ((await voidOperation(deps.lake.catalogPool, schema, operationOf(row))) !== undefined) return false;
  await discardSnapshot(deps, row);
  await endSnapshot(deps.db, { organizationId, runId }, 'cancelled');
  return true;
}

/** Removes what was staged and no commit has taken. */
export async function discardSnapshot(deps: SnapshotRunDeps, row: SnapshotRun): Promise<void> {
  if (row.status === 'succeeded' || (await isInLake(deps, row))) return;
  const lake = await deps.lake.catalog.get(row.organization_id);
  await removeStaged(deps, stagingUrl(lake.writer.dataPath, row.id));
  await removeNotes(deps, row);
}

/** Pages as they were read, and the manifest. */
async function removeNotes({ objects }: SnapshotRunDeps, row: SnapshotRun): Promise<void> {
  await objects.removeAll(pagesPrefix(row));
  await objects.remove(manifestKey(row));
}

function removeStaged({ objects }: Pick<SnapshotRunDeps, 'objects'>, prefixUrl: string): Promise<void> {
  return objects.removeAll(prefixUrl.slice(`s3://${objects.settings.bucket}/`.length));
}

/**
 * Keeps why a try failed in the snapshot's row, for when it was the last one; whether another try cannot help: the source
 * refuses what is asked, or the lake what it holds.
 */
export async function recordSnapshotFailure(
  db: Database,
  row: SnapshotRun,
  error: unknown,
): Promise<{ failure: SnapshotFailure; isFinal: boolean } | undefined> {
  const told = failureOf(error);
  if (told !== undefined)
    await inOrganization(db, row.organization_id, (transaction) =>
      transaction
        .updateTable('snapshot_runs')
        .set({ error: JSON.stringify(told.failure) })
        .where('organization_id', '=', row.organization_id)
        .where('id', '=', row.id)
        .where('status', 'in', ['running', 'awaiting_confirmation'])
        .execute(),
    );
  return told;
}

/** The engine ended at it, one process after the other. */
export class DeadlySourceError extends Error {
  override readonly name = 'DeadlySourceError';
}

function failureOf(error: unknown): { failure: SnapshotFailure; isFinal: boolean } | undefined {
  if (error instanceof SourceFailure) {
    const isAway = error.stage === 'resolve' || error.stage === 'connect';
    return {
      failure: { code: 'source_failed', message: error.message, stage: error.stage },
      isFinal: !isAway,
    };
  }
  if (error instanceof DeadlySourceError) {
    const message =
      'The engine ended twice while it read these rows: they need more than a snapshot may use.';
    return { failure: { code: 'engine_failed', message }, isFinal: true };
  }
  if (!(error instanceof AppError)) return undefined;
  return { failure: { code: error.code, message: error.message }, isFinal: !isRetryable(error) };
}

async function readManifest({ objects }: SnapshotRunDeps, row: SnapshotRun): Promise<Manifest> {
  const chunks: Buffer[] = [];
  for await (const chunk of await objects.read(manifestKey(row))) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as Manifest;
}

function stagingUrl(dataPath: string, runId: string): string {
  return `${dataPath}main/${runId}/`;
}

/** Object key of the manifest that names the staged Parquet files. */
function manifestKey(row: SnapshotRun): string {
  return `snapshots/${row.organization_id}/${row.id}.json`;
}

function pagesPrefix(row: SnapshotRun): string {
  return `snapshots/${row.organization_id}/${row.id}/`;
}

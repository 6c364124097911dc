import { AppError, isRetryable } from '../../../data/errors.ts';
import { EngineCrashLoopError } from '../../../data/lake/engine/failure.ts';
import { RemoteFailure } from '../../../data/outgoing/failure.ts';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import { giveUp, readManifest, removeStaged } from '../../tables/staging/staging.ts';
import { type Gated, refusedBy } from '../../tables/verification/gate.ts';
import { stageOnce } from '../../tables/verification/stage-once.ts';
import { getDataConnection } from '../data-connections/data-connections.ts';
import type { UnreadableValues } from './copy/copier.ts';
import { getDataset } from './datasets.ts';
import { planIncrement, replicaOf } from './increments.ts';
import { endSnapshot } from './lifecycle.ts';
import { type Replication, replicate } from './replicate.ts';
import {
  type CopyProgress,
  lockSnapshot,
  type SnapshotFailure,
  type SnapshotRun,
  type SnapshotStaged,
  updateSnapshotRun,
} from './snapshot-runs.ts';
import { type Manifest, pagesPrefix, removePages, type SnapshotRunDeps, workOf } from './staged.ts';
import { resumeTurn } from './turns.ts';

/**
 * Copies the source to staged Parquet files, unless the lake already has the commit. Each attempt copies
 * everything again, except for pages of HTTP sources, which attempts share.
 */
export async function stageSnapshot(
  deps: SnapshotRunDeps,
  row: SnapshotRun,
  progress: (progress: CopyProgress) => void,
  signal: AbortSignal,
): Promise<SnapshotStaged> {
  const work = workOf(row);
  const write = async (prefixUrl: string) => {
    const staged = await copySource(deps, row, prefixUrl, progress, signal);
    return { staged, gated: 'files' in staged ? gatedOf(row, staged) : undefined };
  };
  const copied = await stageOnce(deps, work, write, signal);
  if (copied === undefined) return { rows: (await readManifest<Manifest>(deps, work)).rows };
  if (!('files' in copied)) return copied;
  await inOrganization(deps.db, row.organization_id, (db) =>
    updateSnapshotRun(db, row.organization_id, row.id, {
      rows_copied: copied.rows,
      bytes_copied: copied.bytes,
      progress: 0.95,
      staged_at: new Date(),
      is_incremental: copied.replica?.isIncremental ?? false,
      warnings: JSON.stringify(copied.warnings ?? []),
      // Clears the failure of an earlier attempt.
      error: null,
    }),
  );
  return { rows: copied.rows };
}

const gatedOf = (row: SnapshotRun, { columns, files, replica }: Manifest): Gated => ({
  ...{ organizationId: row.organization_id, tableId: row.table_id, tableName: row.table_name },
  ...{ columns, files },
  how: replica?.isIncremental === true ? { kind: 'merge', keys: replica.keys } : { kind: 'replace' },
  process: { id: row.id, startedAt: row.created_at, projectId: null, by: row.created_by },
});

/** Everything, or what a source read page by page gave until now. */
async function copySource(
  deps: SnapshotRunDeps,
  row: SnapshotRun,
  prefixUrl: string,
  progress: (progress: CopyProgress) => void,
  signal: AbortSignal,
): Promise<Manifest | SnapshotStaged> {
  const { organization_id: organizationId } = row;
  const { connection, dataset } = await inOrganization(deps.db, organizationId, async (db) => ({
    connection: await getDataConnection(db, organizationId, row.connection_id),
    dataset: await getDataset(db, organizationId, row.dataset_id, row.connection_id),
  }));
  const wait = await resumeTurn(deps.db, row);
  if (wait !== undefined) return { rows: row.rows_copied, goesOnAfterMs: wait.waitMs, waitsFor: 'turn' };
  const source = { row, connection, dataset, prefixUrl };
  return connection.type === 'http'
    ? replicate(deps, { ...source, pagesPrefix: pagesPrefix(row) }, progress, signal)
    : copyDatabase(deps, source, progress, signal);
}

async function copyDatabase(
  { copier }: SnapshotRunDeps,
  { row, connection, dataset, prefixUrl }: Omit<Replication, 'pagesPrefix'>,
  progress: (progress: CopyProgress) => void,
  signal: AbortSignal,
): Promise<Manifest> {
  const begunAt = new Date();
  const increment = planIncrement(connection, dataset, row, begunAt);
  const { resource, key_columns: keys } = dataset;
  const unreadable = dataset.unreadable_values as UnreadableValues;
  const csv = dataset.csv ?? {};
  const request = { connection, resource, prefixUrl, increment, unreadable, csv, keys };
  const copied = await copier.copy(request, progress, signal);
  const { columns, increment: part } = copied;
  if (increment === undefined || part === undefined) return copied;
  return { ...copied, replica: replicaOf(increment, { columns, increment: part }, row, begunAt) };
}

/** Ends a snapshot without a process; false if the lake has its commit. */
export const giveUpSnapshot = (
  deps: SnapshotRunDeps,
  row: SnapshotRun,
  status: 'cancelled' | 'failed',
): Promise<boolean> =>
  giveUp(deps, workOf(row), async () => {
    await discardSnapshot(deps, row);
    const id = { organizationId: row.organization_id, runId: row.id };
    await endSnapshot(deps.db, id, status);
  });

/** Removes staged files that no commit has added. */
export async function discardSnapshot(deps: SnapshotRunDeps, row: SnapshotRun): Promise<void> {
  if (row.status !== 'succeeded' && (await removeStaged(deps, workOf(row)))) await removePages(deps, row);
}

/**
 * Stores an attempt's failure in the snapshot's row, in case it was the last one, and when the next attempt
 * is due. `isFinal` means that a retry cannot help: the source rejects the request, or the lake rejects the
 * data.
 */
export async function recordSnapshotFailure(
  db: Database,
  row: SnapshotRun,
  { error, retryMs }: { error: unknown; retryMs: number | undefined },
): Promise<{ failure: SnapshotFailure; isFinal: boolean } | undefined> {
  const found = failureOf(error);
  if (found !== undefined)
    await inOrganization(db, row.organization_id, async (transaction) => {
      if (!found.isFinal && retryMs !== undefined)
        await lockSnapshot(transaction, row, { waitMs: retryMs, waitsFor: 'retry' });
      await transaction
        .updateTable('snapshot_runs')
        .set({ error: JSON.stringify(found.failure) })
        .where('organization_id', '=', row.organization_id)
        .where('id', '=', row.id)
        .where('status', 'in', ['running', 'awaiting_confirmation'])
        .execute();
    });
  return found;
}

function failureOf(error: unknown): { failure: SnapshotFailure; isFinal: boolean } | undefined {
  if (error instanceof RemoteFailure) {
    const isUnreachable = error.stage === 'resolve' || error.stage === 'connect';
    return {
      failure: { code: 'source_failed', message: error.message, stage: error.stage },
      isFinal: !isUnreachable,
    };
  }
  if (error instanceof EngineCrashLoopError) {
    const message =
      'The engine stopped twice while it read these rows. They need more memory than a snapshot may use.';
    return { failure: { code: 'engine_failed', message }, isFinal: true };
  }
  if (!(error instanceof AppError)) return undefined;
  const { code, message } = error;
  return { failure: { code, message, ...refusedBy(error) }, isFinal: !isRetryable(error) };
}

import { type Insertable, sql, type Updateable } from 'kysely';
import { AppError, notFound } from '../../data/errors.ts';
import { isUniqueViolation, type OrganizationTransaction } from '../../data/postgres/client.ts';
import { type RecordOf, records } from '../../data/postgres/records.ts';
import type { DB } from '../../data/postgres/schema.ts';
import { states } from '../../data/postgres/states.ts';
import { deleteRun, followRun, insertRun, type RunStatus, reportRunProgress } from '../runs/runs.ts';
import { workflowIdOf } from './process.ts';

export type SnapshotRun = RecordOf<'snapshot_runs'>;
type Status = SnapshotRun['status'];

const runs = records('snapshot_runs', { prefix: 'snp', what: 'The snapshot run' });

export const { find: findSnapshotRun, list: listSnapshotRuns, update: updateSnapshotRun } = runs;

/** A snapshot's life: what would lose too many rows waits for somebody. What ended stays as it ended. */
export const snapshotStates = states(
  'snapshot_runs',
  {
    queued: ['running', 'failed', 'cancelled'],
    running: ['awaiting_confirmation', 'succeeded', 'failed', 'cancelled'],
    awaiting_confirmation: ['running', 'failed', 'cancelled'],
    succeeded: [],
    failed: [],
    cancelled: [],
  },
  // How far its pages were read is for the try that goes on with them.
  (_to, isEnd) => (isEnd ? { finished_at: new Date(), reading: null } : {}),
);

export const activeStatuses: readonly Status[] = ['queued', 'running', 'awaiting_confirmation'];

/** Why a snapshot failed, as its caller sees it. */
export interface SnapshotFailure {
  code: string;
  message: string;
  stage?: string;
}

export interface SchemaChange {
  column: string;
  change: 'added' | 'removed' | 'retyped';
  from: string | null;
  to: string | null;
}

/** The run of this dataset. */
export async function getSnapshotRun(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
  datasetId?: string,
  lock?: 'update',
): Promise<SnapshotRun> {
  const run = await runs.get(db, organizationId, id, lock);
  if (datasetId !== undefined && run.dataset_id !== datasetId) throw notFound('The snapshot run');
  return run;
}

/** Adds a snapshot, and where its dataset is of a project the run that the project lists. */
export async function insertSnapshotRun(
  db: OrganizationTransaction,
  row: Omit<Insertable<DB['snapshot_runs']>, 'status'>,
  trigger: 'api' | 'schedule' = 'api',
): Promise<SnapshotRun> {
  const added = await runs.insert(db, { ...row, status: 'queued' }).catch((error: unknown) => {
    if (!isUniqueViolation(error, 'snapshot_runs_active')) throw error;
    throw new AppError(
      'snapshot_active',
      'A snapshot of this dataset is under way already: wait for it, or cancel it.',
    );
  });
  if (added.project_id !== null)
    await insertRun(db, {
      organization_id: added.organization_id,
      id: added.id,
      project_id: added.project_id,
      kind: 'snapshot',
      trigger_type: trigger,
      trigger_id: trigger === 'api' ? added.created_by : added.dataset_id,
      title: `Snapshot into ${added.table_name}`,
      resource_type: 'snapshot-run',
      resource_id: added.id,
      workflow_id: workflowIdOf(added),
    });
  return added;
}

export async function deleteSnapshotRun(
  db: OrganizationTransaction,
  { organization_id: organizationId, id }: SnapshotRun,
): Promise<void> {
  await runs.remove(db, organizationId, id);
  await deleteRun(db, organizationId, id);
}

/** Moves a snapshot, and its run with it, by compare-and-set; undefined when it is not where it should be. */
export async function moveSnapshot(
  db: OrganizationTransaction,
  id: Pick<SnapshotRun, 'organization_id' | 'id'>,
  from: Status,
  to: Status,
  change: Updateable<DB['snapshot_runs']> = {},
): Promise<SnapshotRun | undefined> {
  const moved = await snapshotStates.move(db, id, from, to, change);
  if (moved === undefined) return undefined;
  const runStatus: RunStatus = to === 'awaiting_confirmation' ? 'waiting' : to;
  await followRun(db, moved, runStatus, {
    progress: moved.progress,
    error: moved.error === null ? null : JSON.stringify(moved.error),
    ...(to === 'succeeded'
      ? { output: JSON.stringify({ tableId: moved.table_id, rowsCopied: moved.rows_copied }) }
      : {}),
  });
  return moved;
}

export interface CopyProgress {
  fraction: number;
  rows: number;
  bytes: number;
}

/** One more request was let out to its source. */
export async function countRequest(
  db: OrganizationTransaction,
  { organization_id: organizationId, id }: SnapshotRun,
): Promise<void> {
  await db
    .updateTable('snapshot_runs')
    .set((eb) => ({ requests_made: eb('requests_made', '+', 1) }))
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute();
}

/** How many snapshots of the organization copy their sources at this moment; one that its limits let do nothing is not one. */
export async function countStaging(db: OrganizationTransaction, organizationId: string): Promise<number> {
  const { count } = await db
    .selectFrom('snapshot_runs')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .where('status', '=', 'running')
    .where('staged_at', 'is', null)
    .where((eb) => eb.or([eb('waits_until', 'is', null), eb('waits_until', '<', sql<Date>`now()`)]))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Progress of a snapshot that copies; a report that comes late changes nothing of the final figures. */
export async function reportSnapshotProgress(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
  { fraction, rows, bytes }: CopyProgress,
): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('snapshot_runs')
    .set({ progress: fraction, rows_copied: rows, bytes_copied: bytes })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('status', '=', 'running')
    .where('staged_at', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) await reportRunProgress(db, organizationId, id, fraction);
}

import { type Insertable, sql, type Updateable } from 'kysely';
import { AppError, notFound } from '../../../data/errors.ts';
import { isUniqueViolation, type OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type RecordOf, records } from '../../../data/postgres/records.ts';
import type { DB } from '../../../data/postgres/schema.ts';
import { states } from '../../../data/postgres/states.ts';
import type { Refusal } from '../../tables/derived-relations/definitions.ts';
import {
  deleteRun,
  describeStep,
  followRun,
  insertRun,
  type RunStatus,
  reportRunProgress,
} from '../../workspace/runs/runs.ts';
import type { LimitedFor, WaitsFor } from '../data-connections/request-limits.ts';
import type { Reading } from './pages/reading.ts';

export type SnapshotRun = RecordOf<'snapshot_runs'>;
type Status = SnapshotRun['status'];

declare module '../../../data/postgres/schema.ts' {
  interface Documents {
    snapshot_runs: {
      schema_changes: DefaultedDocument<SchemaChange[]>;
      error: Document<SnapshotFailure | null>;
      reading: Document<Reading | null>;
      warnings: DefaultedDocument<SnapshotWarning[]>;
    };
  }
}

const runs = records('snapshot_runs', { prefix: 'snp', what: 'The snapshot run' });

export const { find: findSnapshotRun, list: listSnapshotRuns, update: updateSnapshotRun } = runs;

/**
 * A snapshot's states. `awaiting_confirmation` is for one that would lose too many rows. End states are
 * final.
 */
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
  // `reading` is only needed by an attempt that continues it.
  (_to, isEnd) => (isEnd ? { finished_at: new Date(), reading: null } : {}),
);

/** The run's step in which the source is copied. */
export const copyStep = 'copy';

export const activeStatuses: readonly Status[] = ['queued', 'running', 'awaiting_confirmation'];

/** Why a snapshot failed, as shown to users. */
export interface SnapshotFailure extends Refusal {
  code: string;
  message: string;
  stage?: string;
}

/** What a snapshot copied, and is likely not meant so. */
export interface SnapshotWarning {
  code: 'more_pages' | 'unreadable_values';
  message: string;
  /** Of the table. */
  column?: string;
  count: number;
}

export interface SchemaChange {
  column: string;
  change: 'added' | 'removed' | 'retyped';
  from: string | null;
  to: string | null;
}

/** Finds a run, of this dataset if one is given. @throws AppError not_found */
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

interface SnapshotRunStart {
  trigger?: 'schedule' | 'api' | undefined;
  waitedBy?: string | undefined;
  workflowId: string;
}

/** Adds a snapshot and its run; the run is listed in the dataset's project, if it has one. */
export async function insertSnapshotRun(
  db: OrganizationTransaction,
  row: Omit<Insertable<DB['snapshot_runs']>, 'status'>,
  { trigger = 'api', waitedBy, workflowId }: SnapshotRunStart,
): Promise<SnapshotRun> {
  const added = await runs.insert(db, { ...row, status: 'queued' }).catch((error: unknown) => {
    if (!isUniqueViolation(error, 'snapshot_runs_active')) throw error;
    throw new AppError(
      'snapshot_active',
      'A snapshot of this dataset is already running. Wait until it ends, or cancel it.',
    );
  });
  await insertRun(db, {
    ...{ organization_id: added.organization_id, id: added.id, project_id: added.project_id },
    ...{ kind: 'snapshot', title: `Snapshot into ${added.table_name}` },
    ...{ trigger_type: trigger, trigger_id: trigger === 'api' ? added.created_by : added.dataset_id },
    ...{ resource_type: 'snapshot-run', resource_id: added.id },
    ...{ workflow_id: workflowId, waited_by: waitedBy ?? null },
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

/** Moves a snapshot and its run by compare-and-set; undefined if its status is not `from`. */
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

/** Result of staging: all rows are staged, or, with `goesOnAfterMs`, the process continues later. */
export interface SnapshotStaged {
  rows: number;
  goesOnAfterMs?: number;
  /** What it waits for until then. */
  waitsFor?: WaitsFor | 'turn';
}

/** What delays a copying snapshot: its own limits, its source, a retry, or its turn after any of these. */
export type SnapshotWait = LimitedFor | { waitMs: number; waitsFor: 'retry' | 'turn' };

const waitReasons: Record<SnapshotWait['waitsFor'], string> = {
  limits: 'the request limits in its http_replication allow no request before then',
  source: 'the source asked the service to wait until then',
  retry: 'the source failed, and the service tries it again then',
  turn: 'the organization already copies as many sources at once as the limit allows',
};

/**
 * Records until when the snapshot waits, and why; meanwhile another one can copy. Undefined ends the wait.
 */
export async function lockSnapshot(
  db: OrganizationTransaction,
  { organization_id: organizationId, id }: SnapshotRun,
  wait: SnapshotWait | undefined,
): Promise<void> {
  const until = wait && new Date(Date.now() + wait.waitMs);
  await updateSnapshotRun(db, organizationId, id, {
    waits_until: until ?? null,
    waits_for: wait?.waitsFor ?? null,
  });
  const detail = wait && until ? `Waits until ${until.toISOString()}: ${waitReasons[wait.waitsFor]}.` : null;
  await describeStep(db, organizationId, id, { id: copyStep, detail });
}

/** Counts a request to the source. */
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

/**
 * How many other snapshots of the organization, and of the connection, are copying now; waiting ones do not
 * count.
 */
export async function countStaging(
  db: OrganizationTransaction,
  { organization_id: organizationId, connection_id: connectionId, id }: SnapshotRun,
): Promise<{ organization: number; connection: number }> {
  const { organization, connection } = await db
    .selectFrom('snapshot_runs')
    .select(({ fn }) => [
      fn.countAll<number>().as('organization'),
      fn.countAll<number>().filterWhere('connection_id', '=', connectionId).as('connection'),
    ])
    .where('organization_id', '=', organizationId)
    .where('id', '!=', id)
    .where('status', '=', 'running')
    .where('staged_at', 'is', null)
    .where((eb) => eb.or([eb('waits_until', 'is', null), eb('waits_until', '<', sql<Date>`now()`)]))
    .executeTakeFirstOrThrow();
  return { organization: Number(organization), connection: Number(connection) };
}

/** Snapshots that wait for their turn, oldest first. */
export function listQueued(
  db: OrganizationTransaction,
  organizationId: string,
  limit: number,
): Promise<Pick<SnapshotRun, 'id' | 'dataset_id'>[]> {
  return db
    .selectFrom('snapshot_runs')
    .select(['id', 'dataset_id'])
    .where('organization_id', '=', organizationId)
    .where('status', '=', 'queued')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Records the progress of copying; a late report does not change final figures. */
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

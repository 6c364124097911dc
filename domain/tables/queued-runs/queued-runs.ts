import type { Updateable } from 'kysely';
import type { LakeDeps } from '../../../data/lake/commit.ts';
import { newestSnapshot } from '../../../data/lake/ducklake/snapshots.ts';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import { lockByName } from '../../../data/postgres/locks.ts';
import type { DB } from '../../../data/postgres/schema.ts';
import { countUnfinished, findRun, moveRun, type Run, runStates } from '../../workspace/runs/runs.ts';
import { deleteLakePins, insertLakePin } from '../lake-maintenance/pins.ts';

export type Turn = 'begun' | 'waiting' | 'ended';

export interface QueuedRunId {
  organizationId: string;
  runId: string;
}

export interface QueuedRunDeps {
  db: Database;
  lake: Pick<LakeDeps, 'catalog' | 'catalogPool'>;
}

/** One kind of runs that wait for their turn. */
export interface Queue<Row> {
  kind: Run['kind'];
  /** Runs under way at once, per organization; two by default. */
  atOnce?: number;
  /** The first part of the name that holds their pins. */
  pinsOf: string;
  /** The run's own row, which has the same id. */
  find(
    db: OrganizationTransaction,
    organizationId: string,
    id: string,
    lock: 'update',
  ): Promise<Row | undefined>;
}

/** How a run ended. The reason of a failure stays in its row. */
export interface QueuedRunEnd {
  status: 'succeeded' | 'failed' | 'cancelled';
  errorCode: string | null;
}

const defaultAtOnce = 2;
/** A pin outlives the longest run; it is released when its run ends. */
const pinMs = 48 * 3_600_000;

/**
 * queued → running. `waiting` if the organization already has as many runs under way as allowed, or if
 * `claim` returns false; `ended` also if it was cancelled before its process could receive the request.
 */
export function beginQueued<Row>(
  db: Database,
  { organizationId, runId }: QueuedRunId,
  { kind, atOnce = defaultAtOnce, find }: Queue<Row>,
  claim: (transaction: OrganizationTransaction, row: Row) => Promise<boolean>,
): Promise<Turn> {
  return inOrganization(db, organizationId, async (transaction) => {
    // Two that begin at the same time would not see each other.
    await lockByName(transaction, `turns of ${kind} of ${organizationId}`);
    const row = await find(transaction, organizationId, runId, 'update');
    const run = await findRun(transaction, organizationId, runId, 'update');
    if (row === undefined || run === undefined || runStates.isEnd(run.status)) return 'ended';
    if (run.cancel_requested_at !== null) return 'ended';
    if (run.status !== 'queued') return 'begun';
    const { unfinished, queued } = await countUnfinished(transaction, organizationId, [kind]);
    if (unfinished - queued >= atOnce || !(await claim(transaction, row))) return 'waiting';
    await moveRun(transaction, run, 'queued', 'running');
    return 'begun';
  });
}

/**
 * The same for a run that reads the lake at its newest snapshot, which is pinned. `claim` returns further
 * snapshots to pin, or undefined if it isn't the run's turn.
 */
export async function beginAtSnapshot<Row>(
  { db, lake }: QueuedRunDeps,
  id: QueuedRunId,
  queue: Queue<Row>,
  claim: (
    transaction: OrganizationTransaction,
    row: Row,
    at: { schema: string; snapshotId: number },
  ) => Promise<readonly number[] | undefined>,
): Promise<Turn> {
  const { schema } = await lake.catalog.get(id.organizationId);
  return beginQueued(db, id, queue, async (transaction, row) => {
    const snapshotId = await newestSnapshot(lake.catalogPool, schema);
    const others = await claim(transaction, row, { schema, snapshotId });
    if (others === undefined) return false;
    const [holder, expiresAt] = [`${queue.pinsOf}/${id.runId}`, new Date(Date.now() + pinMs)];
    for (const pinned of new Set([snapshotId, ...others]))
      await insertLakePin(transaction, id.organizationId, { snapshotId: pinned, holder, expiresAt });
    return true;
  });
}

/**
 * Ends a run with what `finish` decides, unless it has ended, and releases its pins. Undefined if it has no
 * row: it was withdrawn by the request that made it.
 */
export async function endQueued<Row>(
  db: OrganizationTransaction,
  { organizationId, runId }: QueuedRunId,
  { pinsOf, find }: Queue<Row>,
  isCancelled: boolean,
  finish: (
    row: Row,
    run: { run: Run; wasAsked: boolean },
  ) => Promise<Updateable<DB['runs']> & Pick<QueuedRunEnd, 'status'>>,
): Promise<Run | undefined> {
  const row = await find(db, organizationId, runId, 'update');
  const run = await findRun(db, organizationId, runId, 'update');
  await deleteLakePins(db, organizationId, `${pinsOf}/${runId}`);
  if (row === undefined || run === undefined || runStates.isEnd(run.status)) return run;
  const wasAsked = isCancelled || run.cancel_requested_at !== null;
  const { status, ...change } = await finish(row, { run, wasAsked });
  return moveRun(db, run, run.status, status, change);
}

/** A code only: values of tables stay in the row. */
export function endOf(run: Run | undefined): QueuedRunEnd {
  const error = run?.error as { code?: string } | null | undefined;
  return { status: (run?.status ?? 'cancelled') as QueuedRunEnd['status'], errorCode: error?.code ?? null };
}

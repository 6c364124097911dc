import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import type {
  BackfillBegun,
  BackfillInput,
  BackfillStatus,
  Claim,
} from '../../../workflows/automation/schedule-backfill/contract.ts';
import {
  type Backfill,
  backfillStates,
  cancelBackfill,
  findBackfill,
  type PlannedFire,
  updateBackfill,
  withFires,
} from './backfills.ts';
import { fireAddress } from './process.ts';
import { insertScheduleRun, rowOf } from './schedule-runs.ts';
import { findSchedule, type Schedule } from './schedules.ts';

/** queued → running, or the position at which to continue. */
export function beginBackfill(db: Database, input: BackfillInput): Promise<BackfillBegun> {
  return held(db, input, async (transaction, row) => {
    if (row === undefined) return { kind: 'ended', status: 'cancelled' };
    if (backfillStates.isEnd(row.status)) return { kind: 'ended', status: row.status as BackfillStatus };
    if (row.status === 'queued') await backfillStates.move(transaction, row, 'queued', 'running');
    return {
      kind: 'begun',
      next: row.claimed,
      total: row.planned.length,
      maxConcurrency: row.max_concurrency,
    };
  });
}

/**
 * The fire at a position of the plan, the same on every attempt. Times that have fired since the plan was
 * made are skipped.
 */
export function claimBackfillFire(db: Database, input: BackfillInput, place: number): Promise<Claim> {
  const { organizationId, backfillId } = input;
  return inOrganization(db, organizationId, async (transaction) => {
    const found = await findBackfill(transaction, organizationId, backfillId);
    // The schedule's own process fires under the same lock; deletion also locks the schedule first.
    const schedule = found && (await findSchedule(transaction, organizationId, found.schedule_id, 'update'));
    const row = await findBackfill(transaction, organizationId, backfillId, 'update');
    const planned = row?.planned[place];
    if (row?.status !== 'running' || planned === undefined || schedule === undefined)
      return { kind: 'cancelled' };
    await updateBackfill(transaction, organizationId, row.id, { claimed: Math.max(row.claimed, place + 1) });
    const fire = { ...planned, origin: 'backfill' as const, of: row.id };
    const wanted = rowOf(schedule, fire, { status: 'running', reason: null, fired_at: new Date() });
    if (row.only_missing && (await isThere(transaction, schedule, planned, wanted.id)))
      return { kind: 'there' };
    const made = await insertScheduleRun(transaction, wanted);
    return { kind: 'fire', scheduleRunId: made.id, projectId: made.project_id!, address: fireAddress(made) };
  });
}

/** Whether another fire of that time has succeeded or is under way. */
async function isThere(
  db: OrganizationTransaction,
  { organization_id, id: scheduleId }: Schedule,
  { atMs, localTime, zoneId }: PlannedFire,
  id: string,
): Promise<boolean> {
  const found = await db
    .selectFrom('schedule_runs')
    .select('id')
    .where('organization_id', '=', organization_id)
    .where('schedule_id', '=', scheduleId)
    .where('scheduled_for', '=', new Date(atMs))
    .where('local_time', '=', localTime)
    .where('zone_id', '=', zoneId)
    .where('origin', '!=', 'request')
    .where('status', 'in', ['running', 'succeeded'])
    .where('id', '!=', id)
    .executeTakeFirst();
  return found !== undefined;
}

/** Ends a backfill once all its fires have ended. */
export function endBackfill(db: Database, input: BackfillInput): Promise<BackfillStatus | 'running'> {
  return held(db, input, async (transaction, row) => {
    if (row === undefined) return 'cancelled';
    if (backfillStates.isEnd(row.status)) return row.status as BackfillStatus;
    const [{ fires } = { fires: undefined }] = await withFires(transaction, input.organizationId, [row]);
    if (fires === undefined || fires.running > 0) return 'running';
    const status = fires.failed + fires.cancelled > 0 ? 'failed' : 'succeeded';
    await backfillStates.move(transaction, row, 'running', status);
    return status;
  });
}

/** An operator's cancellation of the process. */
export async function cancelByProcess(db: Database, input: BackfillInput): Promise<void> {
  await held(db, input, async (transaction, row) => row && cancelBackfill(transaction, row));
}

function held<T>(
  db: Database,
  { organizationId, backfillId }: BackfillInput,
  work: (transaction: OrganizationTransaction, row: Backfill | undefined) => Promise<T>,
): Promise<T> {
  return inOrganization(db, organizationId, async (transaction) =>
    work(transaction, await findBackfill(transaction, organizationId, backfillId, 'update')),
  );
}

import { sql } from 'kysely';
import { AppError, notFound, ValidationError } from '../../../data/errors.ts';
import { isUniqueViolation, type OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type RecordOf, records, type Slice } from '../../../data/postgres/records.ts';
import { states } from '../../../data/postgres/states.ts';
import { type ProcessDeps, startRecorded } from '../../../data/processes/processes.ts';
import type { Occurrence } from '../../../packages/cadences/index.ts';
import { limits } from '../../workspace/limits/limits.ts';
import { getOpenProject } from '../../workspace/projects/projects.ts';
import { nextOccurrence } from '../cadences/cadences.ts';
import { backfillStart } from './process.ts';
import { getSchedule, type Schedule } from './schedules.ts';

export type Backfill = RecordOf<'schedule_backfills'>;

/** Counts of a backfill's fires by status. */
type Fires = Record<'running' | 'succeeded' | 'failed' | 'cancelled', number>;

/** Without the plan. */
export type ShownBackfill = Omit<Backfill, 'organization_id' | 'planned' | 'claimed'> & {
  total: number;
  fires: Fires;
};

export interface PlannedFire {
  atMs: number;
  localTime: string;
  zoneId: string;
}

declare module '../../../data/postgres/schema.ts' {
  interface Documents {
    schedule_backfills: {
      planned: Document<PlannedFire[]>;
    };
  }
}

const backfills = records('schedule_backfills', { prefix: 'bkf', what: 'The backfill' });

export const { find: findBackfill, update: updateBackfill } = backfills;

export const backfillStates = states(
  'schedule_backfills',
  {
    queued: ['running', 'cancelled'],
    running: ['succeeded', 'failed', 'cancelled'],
    succeeded: [],
    failed: [],
    cancelled: [],
  },
  (to, isEnd) => ({
    ...(to === 'running' ? { started_at: new Date() } : {}),
    ...(isEnd ? { finished_at: new Date() } : {}),
  }),
);

export interface BackfillRange {
  fromMs: number;
  toMs: number;
  /** Skips times for which any fire has succeeded or is under way. */
  onlyMissing: boolean;
}

const maxFires = limits.schedules.backfillFires.most;

/** The occurrences between the two instants, both included. */
export async function planBackfill(
  db: OrganizationTransaction,
  schedule: Schedule,
  { fromMs, toMs, onlyMissing }: BackfillRange,
): Promise<Occurrence[]> {
  if (toMs < fromMs) throw faultOf('to', '`to` must not be before `from`.');
  if (toMs > Date.now())
    throw faultOf('to', '`to` must not be in the future. A backfill covers past times only.');
  const planned: Occurrence[] = [];
  let afterMs = fromMs - 1;
  for (;;) {
    const next = nextOccurrence(schedule.cadence, afterMs, schedule.created_at.getTime());
    // Occurrences that the schedule's process has not considered yet are left to it.
    const isOwn = schedule.status === 'active' && (next?.atMs ?? 0) > schedule.considered_until.getTime();
    if (next === undefined || next.atMs > toMs || isOwn) break;
    if (planned.length === maxFires)
      throw faultOf(
        'to',
        `The schedule has more than ${maxFires} fires in that range. Choose a shorter range.`,
      );
    planned.push(next);
    afterMs = next.atMs;
  }
  return onlyMissing ? missingOf(db, schedule, planned) : planned;
}

const faultOf = (name: string, msg: string) =>
  new ValidationError([{ loc: ['body', name], type: 'value_error', msg }]);

async function missingOf(
  db: OrganizationTransaction,
  schedule: Schedule,
  planned: readonly Occurrence[],
): Promise<Occurrence[]> {
  if (planned.length === 0) return [];
  const rows = await db
    .selectFrom('schedule_runs')
    .select('local_time')
    .where('organization_id', '=', schedule.organization_id)
    .where('schedule_id', '=', schedule.id)
    .where('zone_id', '=', schedule.cadence.zoneId)
    .where('origin', '!=', 'request')
    .where('status', 'in', ['running', 'succeeded'])
    .where('scheduled_for', '>=', new Date(planned[0]!.atMs))
    .where('scheduled_for', '<=', new Date(planned.at(-1)!.atMs))
    .execute();
  const there = new Set(rows.map((row) => row.local_time));
  return planned.filter(({ localTime }) => !there.has(localTime));
}

export interface BackfillRequest extends BackfillRange {
  organizationId: string;
  scheduleId: string;
  id: string;
  maxConcurrency: number;
  createdBy: string;
  memo: Record<string, string>;
}

/**
 * Plans a backfill and starts its process. A schedule has one backfill at a time, so that nothing fires
 * twice.
 */
export async function startBackfill(deps: ProcessDeps, request: BackfillRequest): Promise<Backfill> {
  const { organizationId, scheduleId, id } = request;
  let projectId = '';
  try {
    const { row } = await startRecorded(deps, organizationId, {
      find: (db) => findBackfill(db, organizationId, id),
      make: async (db) => {
        const schedule = await getSchedule(db, organizationId, scheduleId, 'update');
        await getOpenProject(db, organizationId, schedule.project_id);
        projectId = schedule.project_id;
        return insert(db, schedule, request);
      },
      startOf: (made, db) => backfillStart(db, made, projectId, request.memo),
      undo: (db) => backfills.remove(db, organizationId, id),
    });
    return row;
  } catch (error) {
    if (!isUniqueViolation(error, 'schedule_backfills_one')) throw error;
    throw new AppError(
      'conflict',
      'A backfill of this schedule is already running. Wait until it ends, or cancel it.',
    );
  }
}

async function insert(
  db: OrganizationTransaction,
  schedule: Schedule,
  request: BackfillRequest,
): Promise<Backfill> {
  const { zoneId } = schedule.cadence;
  const planned = (await planBackfill(db, schedule, request)).map(
    ({ atMs, localTime }): PlannedFire => ({ atMs, localTime, zoneId }),
  );
  return backfills.insert(db, {
    organization_id: request.organizationId,
    id: request.id,
    schedule_id: schedule.id,
    from_at: new Date(request.fromMs),
    to_at: new Date(request.toMs),
    only_missing: request.onlyMissing,
    max_concurrency: request.maxConcurrency,
    status: 'queued',
    planned: JSON.stringify(planned),
    created_by: request.createdBy,
  });
}

/** Stops further fires; those under way continue. No effect on a backfill that has ended. */
export async function cancelBackfill(db: OrganizationTransaction, row: Backfill): Promise<Backfill> {
  if (backfillStates.isEnd(row.status)) return row;
  return (await backfillStates.move(db, row, row.status, 'cancelled')) ?? row;
}

/** Newest first. */
export async function listBackfills(
  db: OrganizationTransaction,
  organizationId: string,
  scheduleId: string,
  { after, limit }: Slice,
): Promise<ShownBackfill[]> {
  let query = shown(db, organizationId).where('schedule_id', '=', scheduleId);
  if (after !== undefined) query = query.where('id', '<', after);
  return withFires(db, organizationId, await query.orderBy('id', 'desc').limit(limit).execute());
}

export async function showBackfill(
  db: OrganizationTransaction,
  organizationId: string,
  { scheduleId, id }: { scheduleId: string; id: string },
): Promise<ShownBackfill> {
  const query = shown(db, organizationId).where('schedule_id', '=', scheduleId).where('id', '=', id);
  const [found] = await withFires(db, organizationId, await query.execute());
  if (found === undefined) throw notFound('The backfill');
  return found;
}

/** Without the plan, which may contain a thousand fires. */
const shown = (db: OrganizationTransaction, organizationId: string) =>
  db
    .selectFrom('schedule_backfills')
    .select([
      'id',
      'schedule_id',
      'from_at',
      'to_at',
      'only_missing',
      'max_concurrency',
      'status',
      'created_by',
      'created_at',
      'started_at',
      'finished_at',
    ])
    .select(sql<number>`jsonb_array_length(planned)`.as('total'))
    .where('organization_id', '=', organizationId);

/** Adds the counts of their fires. */
export async function withFires<Row extends { id: string }>(
  db: OrganizationTransaction,
  organizationId: string,
  rows: readonly Row[],
): Promise<(Row & { fires: Fires })[]> {
  const { rows: counts } = await sql<{ backfill_id: string; status: string; fires: number }>`
    SELECT backfill_id, status, count(*) AS fires FROM schedule_runs
    WHERE organization_id = ${organizationId} AND backfill_id = ANY(${rows.map(({ id }) => id)}::text[])
    GROUP BY backfill_id, status`.execute(db);
  const count = (id: string, status: string) =>
    counts.find((found) => found.backfill_id === id && found.status === status)?.fires ?? 0;
  return rows.map((row) => ({
    ...row,
    fires: {
      running: count(row.id, 'running'),
      succeeded: count(row.id, 'succeeded'),
      failed: count(row.id, 'failed'),
      cancelled: count(row.id, 'cancelled'),
    },
  }));
}

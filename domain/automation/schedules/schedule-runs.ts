import type { Insertable } from 'kysely';
import { notFound } from '../../../data/errors.ts';
import { derivedId } from '../../../data/ids.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type RecordOf, records } from '../../../data/postgres/records.ts';
import type { DB } from '../../../data/postgres/schema.ts';
import { states } from '../../../data/postgres/states.ts';
import { clockAt } from '../cadences/cadences.ts';
import type { Schedule } from './schedules.ts';

/** A fire of a schedule, including missed and skipped ones. */
export type ScheduleRun = RecordOf<'schedule_runs'>;

const scheduleRuns = records('schedule_runs', { prefix: 'srn', what: 'The run of the schedule' });

export const {
  find: findScheduleRun,
  insert: insertScheduleRun,
  update: updateScheduleRun,
  remove: removeScheduleRun,
} = scheduleRuns;

/** A fire is running until its run's output has been delivered. End states are final. */
export const scheduleRunStates = states(
  'schedule_runs',
  {
    running: ['succeeded', 'failed', 'cancelled'],
    succeeded: [],
    failed: [],
    cancelled: [],
    missed: [],
    skipped: [],
  },
  (_to, isEnd) => (isEnd ? { finished_at: new Date() } : {}),
);

/** The local time in a zone, as a cadence writes it. */
export const localTimeAt = (zoneId: string, atMs: number): string =>
  new Date(clockAt(zoneId, atMs)).toISOString().slice(0, 19);

export interface Fire {
  origin: ScheduleRun['origin'];
  atMs: number;
  localTime: string;
  zoneId: string;
  /** The id of the request or backfill that it belongs to; a cadence fires a local time only once. */
  of?: string;
}

const keyOf = ({ localTime, zoneId, of }: Fire): string =>
  `${localTime}[${zoneId}]${of === undefined ? '' : ` ${of}`}`;

const runPrefixes = { playbook: 'run', workflow: 'wfr', dataset: 'snp' } as const;

/** The row of a fire; deterministic, so a repetition makes the same row. */
export function rowOf(
  schedule: Schedule,
  fire: Fire,
  outcome: Pick<Insertable<DB['schedule_runs']>, 'status' | 'reason' | 'fired_at'>,
): Insertable<DB['schedule_runs']> {
  const fireKey = keyOf(fire);
  const id = derivedId('srn', fire.atMs, `${schedule.id}\n${fireKey}`);
  return {
    organization_id: schedule.organization_id,
    id,
    schedule_id: schedule.id,
    project_id: schedule.project_id,
    fire_key: fireKey,
    origin: fire.origin,
    backfill_id: fire.origin === 'backfill' ? fire.of : null,
    scheduled_for: new Date(fire.atMs),
    local_time: fire.localTime,
    zone_id: fire.zoneId,
    version_id: schedule.version_id,
    ...outcome,
    ...(outcome.status === 'running'
      ? { run_id: derivedId(runPrefixes[schedule.kind], new Date(outcome.fired_at!).getTime(), id) }
      : { finished_at: new Date() }),
  };
}

/** A requested fire is now, independent of the cadence. */
export const requestedFire = (schedule: Schedule, nowMs: number, of: string): Fire => {
  const { zoneId } = schedule.cadence;
  return { origin: 'request', atMs: nowMs, localTime: localTimeAt(zoneId, nowMs), zoneId, of };
};

/** Inserts the rows that do not exist yet, and returns them. */
export async function insertScheduleRuns(
  db: OrganizationTransaction,
  rows: readonly Insertable<DB['schedule_runs']>[],
): Promise<ScheduleRun[]> {
  if (rows.length === 0) return [];
  return db
    .insertInto('schedule_runs')
    .values([...rows])
    .onConflict((conflict) => conflict.columns(['organization_id', 'schedule_id', 'fire_key']).doNothing())
    .returningAll()
    .execute();
}

export async function getScheduleRun(
  db: OrganizationTransaction,
  organizationId: string,
  scheduleId: string,
  id: string,
): Promise<ScheduleRun> {
  const row = await scheduleRuns.get(db, organizationId, id);
  if (row.schedule_id !== scheduleId) throw notFound('The run of the schedule');
  return row;
}

/** A run's position in the list: the time it was scheduled for, ISO 8601, and its id. */
export type ScheduleRunPlace = [string, string];

/** Latest first. */
export function listScheduleRuns(
  db: OrganizationTransaction,
  organizationId: string,
  scheduleId: string,
  { after, limit }: { after: ScheduleRunPlace | undefined; limit: number },
): Promise<ScheduleRun[]> {
  let query = db
    .selectFrom('schedule_runs')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('schedule_id', '=', scheduleId);
  if (after !== undefined) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('scheduled_for', 'id'), '<', tuple(new Date(after[0]), after[1])),
    );
  }
  return query.orderBy('scheduled_for', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

/** A running fire of the schedule, except those of backfills, which are of past times. */
export function findRunning(
  db: OrganizationTransaction,
  { organization_id, id }: Pick<Schedule, 'organization_id' | 'id'>,
): Promise<ScheduleRun | undefined> {
  return db
    .selectFrom('schedule_runs')
    .selectAll()
    .where('organization_id', '=', organization_id)
    .where('schedule_id', '=', id)
    .where('status', '=', 'running')
    .where('origin', '!=', 'backfill')
    .limit(1)
    .executeTakeFirst();
}

/** Requested fires of the schedule that are running. */
export async function countRequested(
  db: OrganizationTransaction,
  { organization_id, id }: Pick<Schedule, 'organization_id' | 'id'>,
): Promise<number> {
  const { total } = await db
    .selectFrom('schedule_runs')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('organization_id', '=', organization_id)
    .where('schedule_id', '=', id)
    .where('status', '=', 'running')
    .where('origin', '=', 'request')
    .executeTakeFirstOrThrow();
  return Number(total);
}

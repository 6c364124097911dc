import { sql } from 'kysely';
import { notFound, ValidationError } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type RecordOf, type RowLock, records, type Slice } from '../../../data/postgres/records.ts';
import { states } from '../../../data/postgres/states.ts';
import type { Cadence, DatasetCadence, Occurrence } from '../../../packages/cadences/index.ts';
import { nextOccurrence } from '../cadences/cadences.ts';

export type Schedule = RecordOf<'schedules'>;

/** A schedule of a playbook, as its users see it; others belong to workflows and datasets. */
export type PlaybookSchedule = Schedule & { project_id: string; playbook_id: string };

export interface Recipient {
  email: string;
  type: 'to';
}

/** With its latest fire, if any. */
export type ShownSchedule = PlaybookSchedule & { last: LastFire | undefined };

interface LastFire {
  schedule_id: string;
  fired_at: Date;
  status: RecordOf<'schedule_runs'>['status'];
}

declare module '../../../data/postgres/schema.ts' {
  interface Documents {
    schedules: {
      cadence: Document<Cadence>;
      email_recipients: DefaultedDocument<Recipient[]>;
      params: DefaultedDocument<Record<string, unknown>>;
    };
  }
}

const schedules = records('schedules', { prefix: 'sch', what: 'The schedule' });

export const {
  find: findSchedule,
  insert: insertSchedule,
  update: updateSchedule,
  remove: removeSchedule,
} = schedules;

/** A schedule as its users see it; schedules of triggers and datasets are not visible. */
export async function getSchedule(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
  lock?: RowLock,
): Promise<PlaybookSchedule> {
  const row = await schedules.get(db, organizationId, id, lock);
  if (row.kind !== 'playbook') throw notFound('The schedule');
  return row as PlaybookSchedule;
}

/** A schedule is done when its cadence has no further occurrence; a new cadence makes it active again. */
export const scheduleStates = states('schedules', {
  active: ['paused', 'done'],
  paused: ['active', 'done'],
  done: ['active'],
});

/** The first occurrence of a schedule's cadence after an instant. */
export function nextOf(
  row: Pick<Schedule, 'cadence' | 'created_at'>,
  afterMs: number,
): Occurrence | undefined {
  return nextOccurrence(row.cadence, afterMs, row.created_at.getTime());
}

/** The error for a written cadence that has no further occurrence. */
export function neverFires(cadence: DatasetCadence): ValidationError {
  const field = cadence.type === 'one_time' ? 'run_date' : 'type';
  const msg = `The schedule would never run: that time has already passed in ${cadence.zoneId}.`;
  return new ValidationError([{ loc: ['body', 'schedule', field], type: 'value_error', msg }]);
}

/** Newest first. */
export async function listSchedules(
  db: OrganizationTransaction,
  organizationId: string,
  filters: { projectId: string | undefined; playbookId: string | undefined },
  slice: Slice,
): Promise<ShownSchedule[]> {
  const rows = await schedules.list(db, organizationId, slice, {
    kind: 'playbook',
    ...(filters.projectId === undefined ? {} : { project_id: filters.projectId }),
    ...(filters.playbookId === undefined ? {} : { playbook_id: filters.playbookId }),
  });
  return shown(db, organizationId, rows);
}

export async function showSchedule(db: OrganizationTransaction, row: Schedule): Promise<ShownSchedule> {
  const [one] = await shown(db, row.organization_id, [row]);
  return one!;
}

async function shown(
  db: OrganizationTransaction,
  organizationId: string,
  rows: readonly Schedule[],
): Promise<ShownSchedule[]> {
  const ids = rows.map(({ id }) => id);
  const last = await sql<LastFire>`
    SELECT newest.* FROM unnest(${ids}::text[]) AS wanted (id)
    CROSS JOIN LATERAL (
      SELECT schedule_id, fired_at, status FROM schedule_runs
      WHERE organization_id = ${organizationId} AND schedule_id = wanted.id AND fired_at IS NOT NULL
      ORDER BY fired_at DESC LIMIT 1
    ) newest`.execute(db);
  const bySchedule = new Map(last.rows.map((run) => [run.schedule_id, run]));
  return rows.map((row) => ({ ...(row as PlaybookSchedule), last: bySchedule.get(row.id) }));
}

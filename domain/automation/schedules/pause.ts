import { AppError } from '../../../data/errors.ts';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import type { ScheduleInput } from '../../../workflows/automation/schedule/contract.ts';
import { refuseGoneMaker, refuseLiveMaker } from '../../workspace/organizations/makers.ts';
import { getOpenProject } from '../../workspace/projects/projects.ts';
import { missedRows, recordMissed } from './due.ts';
import { insertScheduleRuns } from './schedule-runs.ts';
import { findSchedule, nextOf, type Schedule, scheduleStates, updateSchedule } from './schedules.ts';

/**
 * Stops firing until it is resumed; runs under way continue. Occurrences that are due but have not fired are
 * recorded as missed. Pausing twice changes nothing.
 */
export async function pauseSchedule(
  db: OrganizationTransaction,
  row: Schedule,
  nowMs: number,
): Promise<Schedule> {
  if (row.status === 'paused') return row;
  if (row.status === 'done') throw new AppError('conflict', 'The schedule is done. It has no more runs.');
  await recordMissed(db, row, nowMs, 'paused');
  const moved = await scheduleStates.move(db, row, 'active', 'paused', {
    ...revised(row),
    next_run_at: null,
  });
  return moved ?? row;
}

/** Fires from now on; occurrences during the pause are neither fired nor recorded as missed. */
export async function resumeSchedule(
  db: OrganizationTransaction,
  row: Schedule,
  nowMs: number,
): Promise<Schedule> {
  if (row.status === 'active') return row;
  if (row.status === 'done')
    throw new AppError('conflict', 'The schedule is done. Give it a new cadence to use it again.');
  await refuseGoneMaker(db, row.organization_id, row.created_by, 'schedule');
  if (row.project_id !== null) await getOpenProject(db, row.organization_id, row.project_id);
  const next = nextOf(row, nowMs);
  const change = {
    ...revised(row),
    pause_reason: null,
    considered_until: new Date(nowMs),
    next_run_at: next === undefined ? null : new Date(next.atMs),
  };
  return (
    (await scheduleStates.move(db, row, 'paused', next === undefined ? 'done' : 'active', change)) ?? row
  );
}

const revised = ({ revision }: Schedule) => ({ revision: revision + 1, updated_at: new Date() });

/** An operator's signal to the process; ignored if the schedule cannot be paused or resumed. */
export function pauseByProcess(db: Database, input: ScheduleInput, nowMs: number): Promise<void> {
  return byProcess(db, input, (transaction, row) =>
    row.status === 'active' ? pauseSchedule(transaction, row, nowMs) : undefined,
  );
}

export function resumeByProcess(db: Database, input: ScheduleInput, nowMs: number): Promise<void> {
  return byProcess(db, input, async (transaction, row) => {
    if (row.status !== 'paused') return;
    await resumeSchedule(transaction, row, nowMs).catch((error: unknown) => {
      // Its project is archived, so it cannot be resumed.
      if (!(error instanceof AppError && error.code === 'conflict')) throw error;
    });
  });
}

async function byProcess(
  db: Database,
  { organizationId, scheduleId }: ScheduleInput,
  change: (db: OrganizationTransaction, row: Schedule) => Promise<unknown> | undefined,
): Promise<void> {
  await inOrganization(db, organizationId, async (transaction) => {
    const row = await findSchedule(transaction, organizationId, scheduleId, 'update');
    if (row !== undefined) await change(transaction, row);
  });
}

const insertedAtOnce = 500;

/** Whose schedules are paused: those of a project that is archived, or of a person who is removed. */
export type PausedTogether = { projectId: string } | { makerId: string };

/** Pauses every active schedule of a project or maker; returns those that users see. */
export async function pauseSchedulesOf(
  db: OrganizationTransaction,
  organizationId: string,
  whose: PausedTogether,
  nowMs: number,
): Promise<Schedule[]> {
  const [column, id] =
    'projectId' in whose
      ? (['project_id', whose.projectId] as const)
      : (['created_by', whose.makerId] as const);
  const kinds =
    'projectId' in whose ? (['playbook', 'workflow', 'dataset'] as const) : (['playbook'] as const);
  const due = await db
    .selectFrom('schedules')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where(column, '=', id)
    .where('kind', 'in', kinds)
    .where('status', '=', 'active')
    .where('next_run_at', '<=', new Date(nowMs))
    .forUpdate()
    .execute();
  // After an outage there may be thousands, so one is recorded per schedule, which stands for the rest.
  const missed = due.flatMap((row) => missedRows(row, nowMs, 'paused', 1));
  for (let from = 0; from < missed.length; from += insertedAtOnce)
    await insertScheduleRuns(db, missed.slice(from, from + insertedAtOnce));
  const paused = await db
    .updateTable('schedules')
    .set(({ eb }) => ({
      status: 'paused' as const,
      pause_reason: 'makerId' in whose ? ('maker_removed' as const) : null,
      revision: eb('revision', '+', 1),
      next_run_at: null,
      updated_at: new Date(),
    }))
    .where('organization_id', '=', organizationId)
    .where(column, '=', id)
    .where('kind', 'in', kinds)
    .where('status', '=', 'active')
    .returningAll()
    .execute();
  return paused.filter(({ kind }) => kind === 'playbook');
}

/**
 * The schedule runs as `takerId` from now on, and stays paused until it is resumed.
 *
 * @throws AppError conflict if its maker is still there
 */
export async function takeOverSchedule(
  db: OrganizationTransaction,
  row: Schedule,
  takerId: string,
): Promise<Schedule> {
  await refuseLiveMaker(db, row.organization_id, row.created_by, 'schedule');
  return updateSchedule(db, row.organization_id, row.id, {
    created_by: takerId,
    updated_by: takerId,
    pause_reason: null,
    ...revised(row),
  });
}

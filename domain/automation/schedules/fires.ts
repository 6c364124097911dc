import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import type { FireStatus, ScheduleRunInput } from '../../../workflows/automation/schedule-run/contract.ts';
import { findScheduleRun, type ScheduleRun, scheduleRunStates } from './schedule-runs.ts';
import { findSchedule, type Schedule } from './schedules.ts';

/** A fire with its schedule; undefined if the schedule was deleted. */
export async function findFire(
  db: OrganizationTransaction,
  { organizationId, scheduleRunId }: ScheduleRunInput,
): Promise<{ fire: ScheduleRun; schedule: Schedule } | undefined> {
  const fire = await findScheduleRun(db, organizationId, scheduleRunId);
  const schedule = fire && (await findSchedule(db, organizationId, fire.schedule_id));
  return fire === undefined || schedule === undefined ? undefined : { fire, schedule };
}

/** How a fire ended, as its process reports it. */
export const statusOf = (fire: ScheduleRun | undefined): FireStatus =>
  fire?.status === 'succeeded' || fire?.status === 'failed' ? fire.status : 'cancelled';

/** Ends a fire; no effect if it has ended already. */
export async function endRun(
  db: OrganizationTransaction,
  fire: ScheduleRun,
  status: FireStatus,
  reason: string | null,
): Promise<FireStatus> {
  const moved = await scheduleRunStates.move(db, fire, 'running', status, { reason });
  return statusOf(moved ?? (await findScheduleRun(db, fire.organization_id, fire.id)));
}

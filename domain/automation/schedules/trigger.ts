import { AppError } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type ProcessDeps, startRecorded } from '../../../data/processes/processes.ts';
import { getOpenProject } from '../../workspace/projects/projects.ts';
import { scheduleRunStart } from './process.ts';
import {
  countRequested,
  findScheduleRun,
  insertScheduleRun,
  removeScheduleRun,
  requestedFire,
  rowOf,
  type ScheduleRun,
} from './schedule-runs.ts';
import { getSchedule, type Schedule } from './schedules.ts';

export interface TriggerRequest {
  organizationId: string;
  scheduleId: string;
  /** The same for a repeated request, so it fires once. */
  requestId: string;
  memo: Record<string, string>;
  nowMs: number;
}

/**
 * Fires a schedule now, independent of its cadence and even if it is paused. If Temporal is not available,
 * nothing is kept.
 */
export async function triggerSchedule(deps: ProcessDeps, request: TriggerRequest): Promise<ScheduleRun> {
  const { organizationId, scheduleId, requestId, memo, nowMs } = request;
  const { row } = await startRecorded(deps, organizationId, {
    find: (db) => findScheduleRun(db, organizationId, requestId),
    make: async (db) => {
      const schedule = await getSchedule(db, organizationId, scheduleId, 'update');
      await getOpenProject(db, organizationId, schedule.project_id);
      await refuseTooMany(db, schedule);
      const fire = rowOf(schedule, requestedFire(schedule, nowMs, requestId), {
        status: 'running',
        reason: null,
        fired_at: new Date(nowMs),
      });
      return insertScheduleRun(db, { ...fire, id: requestId });
    },
    startOf: (made, db) => scheduleRunStart(db, made, memo),
    undo: (db) => removeScheduleRun(db, organizationId, requestId),
  });
  return row;
}

const maxRequested = 20;

/** Each waits until it can run, for at most a day. */
async function refuseTooMany(db: OrganizationTransaction, schedule: Schedule): Promise<void> {
  if ((await countRequested(db, schedule)) < maxRequested) return;
  throw new AppError(
    'rate_limited',
    `${maxRequested} runs that were started by hand are still running; the limit is ${maxRequested}. Wait until some of them end.`,
    { retryAfterSeconds: 10 },
  );
}

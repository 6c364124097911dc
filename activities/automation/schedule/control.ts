import { advanceSchedule } from '../../../domain/automation/schedules/advance.ts';
import { pauseByProcess, resumeByProcess } from '../../../domain/automation/schedules/pause.ts';
import type { ScheduleControlActivities } from '../../../workflows/automation/schedule/contract.ts';
import type { ActivityDeps } from '../../deps.ts';

export function scheduleControlActivities(deps: ActivityDeps): ScheduleControlActivities {
  return {
    /**
     * Safe to retry: the position in the cadence is in the row, and a fire is identified by its local time.
     */
    advanceSchedule: (input, nowMs) => advanceSchedule(deps, input, nowMs),
    /** Safe to retry: pausing twice changes nothing. */
    pauseSchedule: (input, nowMs) => pauseByProcess(deps.db, input, nowMs),
    /** Safe to retry: resuming twice changes nothing. */
    resumeSchedule: (input, nowMs) => resumeByProcess(deps.db, input, nowMs),
  };
}

import { advanceSchedule } from '../../../domain/automation/schedules/advance.ts';
import { pauseByProcess, resumeByProcess } from '../../../domain/automation/schedules/pause.ts';
import type { ScheduleControlActivities } from '../../../workflows/automation/schedule/contract.ts';
import type { ActivityDeps } from '../../deps.ts';

export function scheduleControlActivities(deps: ActivityDeps): ScheduleControlActivities {
  return {
    /** Safe to retry: what was due stands in the row, and a fire is known by its local time. */
    advanceSchedule: (input, nowMs) => advanceSchedule(deps, input, nowMs),
    /** Safe to retry: pausing twice changes nothing. */
    pauseSchedule: (input, nowMs) => pauseByProcess(deps.db, input, nowMs),
    /** Safe to retry: so does resuming. */
    resumeSchedule: (input, nowMs) => resumeByProcess(deps.db, input, nowMs),
  };
}

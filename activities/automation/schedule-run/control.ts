import { collectFire, endFire } from '../../../domain/automation/schedules/collect.ts';
import { beginFire, cancelFire } from '../../../domain/automation/schedules/fire.ts';
import type { ScheduleRunControlActivities } from '../../../workflows/automation/schedule-run/contract.ts';
import type { ActivityDeps } from '../../deps.ts';

export function scheduleRunControlActivities(deps: ActivityDeps): ScheduleRunControlActivities {
  return {
    /** Safe to retry: the run's id is known before it is started. */
    beginFire: (input) => beginFire(deps, input),
    /** Safe to retry: ids of deliveries are derived from the fire. */
    collectFire: (input) => collectFire(deps.db, input),
    /** Safe to retry: no effect on a fire that has ended. */
    endFire: (input) => endFire(deps.db, input),
    /** Safe to retry: cancellation may be requested repeatedly. */
    cancelFire: (input) => cancelFire(deps, input),
  };
}

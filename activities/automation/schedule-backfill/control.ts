import {
  beginBackfill,
  cancelByProcess,
  claimBackfillFire,
  endBackfill,
} from '../../../domain/automation/schedules/backfill-process.ts';
import type { BackfillControlActivities } from '../../../workflows/automation/schedule-backfill/contract.ts';
import type { ActivityDeps } from '../../deps.ts';

export function backfillControlActivities({ db }: ActivityDeps): BackfillControlActivities {
  return {
    /** Safe to retry: one that has begun continues at its position. */
    beginBackfill: (input) => beginBackfill(db, input),
    /** Safe to retry: a position of the plan is always the same fire. */
    claimBackfillFire: (input, place) => claimBackfillFire(db, input, place),
    /** Safe to retry: no effect on one that has ended. */
    cancelBackfill: (input) => cancelByProcess(db, input),
    /** Safe to retry: no effect on one that has ended. */
    endBackfill: (input) => endBackfill(db, input),
  };
}

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
    /** Safe to retry: one that began goes on where it is. */
    beginBackfill: (input) => beginBackfill(db, input),
    /** Safe to retry: a place of the plan is always the same fire. */
    claimBackfillFire: (input, place) => claimBackfillFire(db, input, place),
    /** Safe to retry: one that ended stays as it ended. */
    cancelBackfill: (input) => cancelByProcess(db, input),
    /** Safe to retry: so does this. */
    endBackfill: (input) => endBackfill(db, input),
  };
}

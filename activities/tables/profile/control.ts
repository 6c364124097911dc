import { beginProfile, endProfile } from '../../../domain/tables/profiles/lifecycle.ts';
import type { Run } from '../../../domain/workspace/runs/runs.ts';
import type { ProfileControlActivities, ProfileOutcome } from '../../../workflows/tables/profile/contract.ts';
import type { ActivityDeps } from '../../deps.ts';

export function profileControlActivities({ db }: ActivityDeps): ProfileControlActivities {
  return {
    /** Safe to retry: compare-and-set; a profile that is running already continues. */
    beginProfile: (input) => beginProfile(db, input),

    /** Safe to retry: no effect on a run that has ended. */
    endProfile: async (input, status) => outcomeOf(await endProfile(db, input, status)),
  };
}

/** A code only: values of the table stay in the row. */
export function outcomeOf(run: Run | undefined): ProfileOutcome {
  const error = run?.error as { code: string } | null | undefined;
  // A run without a row was withdrawn by the request that made it.
  const status = (run?.status ?? 'cancelled') as ProfileOutcome['status'];
  return { status, errorCode: error?.code ?? null };
}

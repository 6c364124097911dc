import { beginVerification, endVerification } from '../../../domain/tables/verification/lifecycle.ts';
import type { VerificationControlActivities } from '../../../workflows/tables/verification/contract.ts';
import type { ActivityDeps } from '../../deps.ts';

export function verificationControlActivities(deps: ActivityDeps): VerificationControlActivities {
  return {
    /** Safe to retry: a run that has begun keeps its snapshots. */
    beginVerification: (input) => beginVerification(deps, input),

    /** Safe to retry: no effect on a run that has ended. */
    endVerification: (input, isCancelled) => endVerification(deps.db, input, isCancelled),
  };
}

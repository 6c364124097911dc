import { verifyNextTable } from '../../../domain/tables/verification/verify-table.ts';
import type { VerificationLakeActivities } from '../../../workflows/tables/verification/contract.ts';
import type { ActivityDeps } from '../../deps.ts';
import { withHeartbeats } from '../../heartbeats.ts';
import { throwIfNoProcess } from '../../no-process.ts';

export function verificationLakeActivities(deps: ActivityDeps): VerificationLakeActivities {
  return {
    /** Safe to retry: a table's results are kept once, and tables of failing rows have ids of their own. */
    verifyNextTable: (input) =>
      withHeartbeats({}, {}, (_progress, signal) =>
        verifyNextTable(deps, input, signal).catch((error: unknown) => {
          throwIfNoProcess(error);
          throw error;
        }),
      ),
  };
}

import { ApplicationFailure } from '@temporalio/common';
import { AppError } from '../../../data/errors.ts';
import { verifyNextTable } from '../../../domain/tables/verification/verify-table.ts';
import type { VerificationLakeActivities } from '../../../workflows/tables/verification/contract.ts';
import { noProcessFailure } from '../../../workflows/tables/verification/names.ts';
import type { ActivityDeps } from '../../deps.ts';
import { withHeartbeats } from '../../heartbeats.ts';

/** Longest wait of an attempt for a process; the workflow waits longer, by a timer. */
const processWaitMs = 5_000;

export function verificationLakeActivities(deps: ActivityDeps): VerificationLakeActivities {
  return {
    /** Safe to retry: a table's results are kept once, and tables of failing rows have ids of their own. */
    verifyNextTable: (input) =>
      withHeartbeats({}, {}, (_progress, signal) =>
        verifyNextTable(deps, input, {
          ...{ timeoutMs: deps.buildLimits.timeoutMs, waitMs: processWaitMs, signal },
        }).catch((error: unknown) => {
          if (!(error instanceof AppError) || error.code !== 'queries_saturated') throw error;
          throw ApplicationFailure.create({
            ...{ type: noProcessFailure, message: error.code, nonRetryable: true },
          });
        }),
      ),
  };
}

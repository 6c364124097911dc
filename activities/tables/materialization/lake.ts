import { ApplicationFailure } from '@temporalio/common';
import {
  commitBuild,
  discardBuild,
  giveUpBuild,
  recordBuildFailure,
  stageBuild,
} from '../../../domain/tables/calculated-tables/build.ts';
import type {
  BuildInput,
  MaterializationLakeActivities,
} from '../../../workflows/tables/materialization/contract.ts';
import type { ActivityDeps } from '../../deps.ts';
import { beating, committing, withHeartbeats } from '../../heartbeats.ts';
import { throwIfNoProcess } from '../../no-process.ts';

export function materializationLakeActivities(deps: ActivityDeps): MaterializationLakeActivities {
  /**
   * A query's failure is recorded in the build's row and final; a store that is away is waited for, and so is
   * a process, by the workflow.
   */
  const failIfFinal =
    (input: BuildInput) =>
    async (error: unknown): Promise<never> => {
      throwIfNoProcess(error);
      if (!(await recordBuildFailure(deps.db, input, error))) throw error;
      const message = error instanceof Error ? error.name : 'AppError';
      throw ApplicationFailure.create({ type: 'BuildFailed', message, nonRetryable: true });
    };

  return {
    /** Safe to retry: each attempt has its own folder, and nothing refers to staged files yet. */
    stageBuild: (input) =>
      withHeartbeats({}, {}, async (_progress, signal) => {
        const rows = await stageBuild(deps, input, signal).catch((error: unknown) => {
          if (signal.aborted) throw error;
          return failIfFinal(input)(error);
        });
        return { rows };
      }),

    /** Safe to retry: the ledger is checked for the commit's operation first. */
    commitBuild: committing(
      (input: BuildInput) => commitBuild(deps, input),
      async (input) => {
        if (await giveUpBuild(deps, input))
          throw ApplicationFailure.nonRetryable('The commit was abandoned.', 'BuildFailed');
      },
    ),

    /** Safe to retry: removes by prefix, and only what was not committed. */
    discardBuild: beating((input: BuildInput) => discardBuild(deps, input)),
  };
}

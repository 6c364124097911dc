import { ApplicationFailure } from '@temporalio/common';
import { inOrganization } from '../../../data/postgres/client.ts';
import { computeProfile, type ProfileProgress } from '../../../domain/tables/profiles/compute.ts';
import {
  keepProfile,
  recordFinalFailure,
  reportProgress,
} from '../../../domain/tables/profiles/lifecycle.ts';
import { findRun, runStates } from '../../../domain/workspace/runs/runs.ts';
import type { ProfileInput, ProfileLakeActivities } from '../../../workflows/tables/profile/contract.ts';
import type { ActivityDeps } from '../../deps.ts';
import { withProgress } from '../../heartbeats.ts';
import { outcomeOf } from './control.ts';

export function profileLakeActivities(deps: ActivityDeps): ProfileLakeActivities {
  const read = ({ organizationId, runId }: ProfileInput) =>
    inOrganization(deps.db, organizationId, (db) => findRun(db, organizationId, runId));

  return {
    /** Safe to retry: it only reads until the profile is kept, in one transaction with the end of its run. */
    async computeProfile(input) {
      const run = await read(input);
      if (run === undefined || runStates.isEnd(run.status)) return outcomeOf(run);
      const first: ProfileProgress = { columnsDone: 0, columns: 0 };
      await withProgress(
        deps.logger,
        first,
        (latest) => reportProgress(deps.db, input, latest),
        async (progress: (progress: ProfileProgress) => void, signal) =>
          keepProfile(deps.db, input, await computeProfile(deps, input, { progress, signal })),
      ).catch((error: unknown) => failIfFinal(input, error));
      return outcomeOf(await read(input));
    },
  };

  /** What another attempt would not change is recorded in the run's row and not retried. */
  async function failIfFinal(input: ProfileInput, error: unknown): Promise<never> {
    const failure = await recordFinalFailure(deps.db, input, error);
    if (failure === undefined) throw error;
    throw ApplicationFailure.create({ type: failure.code, message: failure.code, nonRetryable: true });
  }
}

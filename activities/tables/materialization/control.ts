import {
  beginMaterialization,
  endBuild,
  endMaterialization,
  wakeWaiting,
} from '../../../domain/tables/calculated-tables/lifecycle.ts';
import { claimBuilds, nextBuilds } from '../../../domain/tables/calculated-tables/next-builds.ts';
import type { MaterializationControlActivities } from '../../../workflows/tables/materialization/contract.ts';
import type { ActivityDeps } from '../../deps.ts';

export function materializationControlActivities(deps: ActivityDeps): MaterializationControlActivities {
  return {
    /** Safe to retry: a run that has begun keeps its plan. */
    beginMaterialization: (input) => beginMaterialization(deps, input),

    /** Safe to retry: a run that has begun keeps its plan, and lists what is left of it. */
    claimBuilds: (input) => claimBuilds(deps, input),

    /** Safe to retry: only moves builds whose end is decided. */
    nextBuilds: async (input) => (await nextBuilds(deps.db, input)).ready,

    /** Safe to retry: compare-and-set. */
    endBuild: (input, status) => endBuild(deps.db, input, status),

    /** Safe to retry: no effect on a run that has ended. */
    async endMaterialization(input, isCancelled) {
      const outcome = await endMaterialization(deps.db, input, isCancelled);
      await wakeWaiting(deps, input.organizationId);
      return outcome;
    },
  };
}

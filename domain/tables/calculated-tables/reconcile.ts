import { inOrganization } from '../../../data/postgres/client.ts';
import type { ReconcileStep } from '../../../data/reconciling/step.ts';
import { type Revival, type ReviveDeps, revivingStep } from '../../workspace/runs/revive.ts';
import type { Run } from '../../workspace/runs/runs.ts';
import { giveUpBuild } from './build.ts';
import type { BuildDeps } from './deps.ts';
import { endMaterialization, wakeWaiting } from './lifecycle.ts';
import { listBuilds } from './materializations.ts';
import { materializationRuns } from './process.ts';

export type MaterializationReconcileDeps = BuildDeps & ReviveDeps;

/** Ends or restarts materializations whose process is gone. */
export function materializationSteps(
  deps: MaterializationReconcileDeps,
  olderThanSeconds?: number,
): ReconcileStep[] {
  const materializations: Revival<Run> = {
    end: async ({ organization_id: organizationId, id: runId }) => {
      const builds = await inOrganization(deps.db, organizationId, (db) =>
        listBuilds(db, organizationId, { runId }),
      );
      const unfinished = builds.filter(({ finished_at: finishedAt }) => finishedAt === null);
      const givenUp = await Promise.all(
        unfinished.map((build) => giveUpBuild(deps, { organizationId, runId, tableId: build.table_id })),
      );
      if (!givenUp.every(Boolean)) return false;
      await endMaterialization(deps.db, { organizationId, runId }, true);
      await wakeWaiting(deps, organizationId);
      return true;
    },
  };
  return [revivingStep(deps, materializationRuns, materializations, olderThanSeconds)];
}

import { inOrganization } from '../../../../data/postgres/client.ts';
import type { ReconcileStep } from '../../../../data/reconciling/step.ts';
import { type Revival, type ReviveDeps, revivingStep } from '../../../workspace/runs/revive.ts';
import type { Run } from '../../../workspace/runs/runs.ts';
import { unsignalledApprovals } from './approvals.ts';
import { type EndDeps, endWorkflowRun } from './end.ts';
import { signalDecided, workflowRuns } from './process.ts';
import { renewRunPins, type WorkflowRun } from './workflow-runs.ts';

export type WorkflowRunReconcileDeps = EndDeps & ReviveDeps;

/**
 * Renews the pins of runs under way. A run whose process is gone ends if an operator terminated the process,
 * and otherwise continues from its rows in a new one.
 */
export function workflowRunSteps(deps: WorkflowRunReconcileDeps, olderThanSeconds?: number): ReconcileStep[] {
  const revival: Revival<WorkflowRun> = {
    end: async ({ organization_id: organizationId, id: runId }) => {
      await endWorkflowRun(deps, { organizationId, runId }, { terminated: true });
      return true;
    },
    whileRunning: async (_, run) => {
      await inOrganization(deps.db, run.organization_id, (db) =>
        renewRunPins(db, run.organization_id, run.id),
      );
      await signalAgain(deps, run);
    },
  };
  return [revivingStep(deps, workflowRuns, revival, olderThanSeconds)];
}

/** Repeats signals for decisions that the process has not acted on. */
async function signalAgain(
  deps: WorkflowRunReconcileDeps,
  { organization_id: organizationId, id: runId }: Run,
): Promise<void> {
  const ids = await inOrganization(deps.db, organizationId, (db) =>
    unsignalledApprovals(db, organizationId, runId),
  );
  for (const id of ids) await signalDecided(deps, runId, id);
}

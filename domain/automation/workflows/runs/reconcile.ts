import type { Logger } from 'pino';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { closes } from '../../../../data/processes/define.ts';
import { type ReconcileStep, rowsStep } from '../../../../data/reconciling/step.ts';
import type { WorkflowRunInput } from '../../../../workflows/automation/workflow-run/contract.ts';
import { runStates } from '../../../workspace/runs/runs.ts';
import { notifyWaiter } from '../../../workspace/runs/waiter.ts';
import { unsignalledApprovals } from './approvals.ts';
import { type EndDeps, endWorkflowRun } from './end.ts';
import { signalDecided, workflowRunProcess, workflowRunStart } from './process.ts';
import { findBoth, renewRunPins } from './workflow-runs.ts';

export type WorkflowRunReconcileDeps = EndDeps & { logger: Pick<Logger, 'info' | 'warn'> };

/** A younger run's process may not have been started yet. */
const ageSeconds = 60;

/**
 * Renews the pins of runs under way. A run whose process is gone ends if an operator terminated the process,
 * and otherwise continues from its rows in a new one.
 */
export function workflowRunSteps(
  deps: WorkflowRunReconcileDeps,
  olderThanSeconds = ageSeconds,
): ReconcileStep[] {
  const rows = { db: deps.db, foundBy: 'active_workflow_runs', olderThanSeconds };
  return [
    rowsStep('workflow runs', rows, (organizationId, runId) => revive(deps, { organizationId, runId })),
  ];
}

async function revive(deps: WorkflowRunReconcileDeps, id: WorkflowRunInput): Promise<void> {
  const state = await deps.processes.stateOf(workflowRunProcess.workflowId(id.runId));
  if (state === 'running') {
    await inOrganization(deps.db, id.organizationId, (db) => renewRunPins(db, id.organizationId, id.runId));
    return signalAgain(deps, id);
  }
  const both = await inOrganization(deps.db, id.organizationId, (db) =>
    findBoth(db, id.organizationId, id.runId),
  );
  if (both === undefined || runStates.isEnd(both.run.status)) return;
  if (closes(workflowRunProcess, state)) {
    await endWorkflowRun(deps, id, { terminated: true });
    await notifyWaiter(deps, both.run);
  } else await deps.processes.restart(workflowRunStart(both.row, both.run));
  deps.logger.info({ ...id, state }, 'reconciled a run of a workflow whose process was gone');
}

/** Repeats signals for decisions that the process has not acted on. */
async function signalAgain(
  deps: WorkflowRunReconcileDeps,
  { organizationId, runId }: WorkflowRunInput,
): Promise<void> {
  const ids = await inOrganization(deps.db, organizationId, (db) =>
    unsignalledApprovals(db, organizationId, runId),
  );
  for (const id of ids) await signalDecided(deps, runId, id);
}

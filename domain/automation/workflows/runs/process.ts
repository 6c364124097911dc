import type { Logger } from 'pino';
import { defineProcess } from '../../../../data/processes/define.ts';
import { bestEffort, type Processes } from '../../../../data/processes/processes.ts';
import type { WorkflowRunInput } from '../../../../workflows/automation/workflow-run/contract.ts';
import {
  decidedSignal,
  workflowRunWorkflowType,
} from '../../../../workflows/automation/workflow-run/names.ts';
import { taskQueues } from '../../../../workflows/task-queues.ts';
import type { Run } from '../../../workspace/runs/runs.ts';
import { triggerInWords } from '../../../workspace/runs/trigger-in-words.ts';
import { waiterOf } from '../../../workspace/runs/waiter.ts';
import type { WorkflowRun } from './workflow-runs.ts';

export const workflowRunProcess = defineProcess<WorkflowRunInput>({
  kind: 'workflow-run',
  workflowType: workflowRunWorkflowType,
  taskQueue: taskQueues.control,
  resourceId: ({ runId }) => runId,
  whenTerminated: 'close',
  // Many begin at once where a workflow is set off often: whom somebody waits for goes before.
  priority: 4,
});

/** Starts the process of a run, or the next one of a run that goes on. */
export function workflowRunStart(row: WorkflowRun, run: Run, memo: Record<string, string> = {}) {
  const { organization_id: organizationId, id: runId } = row;
  const input = { organizationId, runId, ...waiterOf({ waitedBy: run.waited_by }) };
  return workflowRunProcess.startOf(input, {
    summary: `${run.title}, ${triggerInWords[run.trigger_type]}`,
    projectId: row.project_id,
    address: `/v1/workflows/${row.workflow_id}/runs/${runId}`,
    memo,
  });
}

/**
 * Tells a run that somebody has decided. The row says so: where nobody hears of it, the worker says it again.
 */
export function signalDecided(
  deps: { processes: Processes; logger: Pick<Logger, 'warn'> },
  runId: string,
  approvalId: string,
): Promise<void> {
  const workflowId = workflowRunProcess.workflowId(runId);
  return bestEffort(deps, workflowId, deps.processes.signal(workflowId, decidedSignal, approvalId));
}

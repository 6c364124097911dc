import type { Logger } from 'pino';
import { defineProcess } from '../../../../data/processes/define.ts';
import { bestEffort, type Processes } from '../../../../data/processes/processes.ts';
import type { WorkflowRunInput } from '../../../../workflows/automation/workflow-run/contract.ts';
import {
  decidedSignal,
  workflowRunWorkflowType,
} from '../../../../workflows/automation/workflow-run/names.ts';
import { taskQueues } from '../../../../workflows/task-queues.ts';
import { type RunStart, waiterOf } from '../../../workspace/runs/waiter.ts';
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

export function workflowRunStart(row: WorkflowRun, start: RunStart) {
  const { organization_id: organizationId, id: runId } = row;
  const input = { organizationId, runId, ...waiterOf(start) };
  const summary = `${row.workflow_id}, version ${row.version_id}`;
  return workflowRunProcess.startOf(input, {
    summary,
    projectId: row.project_id,
    address: `/v1/workflows/${row.workflow_id}/runs/${runId}`,
    ...(start.memo === undefined ? {} : { memo: start.memo }),
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

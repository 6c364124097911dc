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
  // A busy trigger starts many at once; processes that a person waits for have priority.
  priority: 4,
});

/** The start of a run's process, or of the next one of a resumed run. */
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

/** Signals a run that a decision was made. The row contains it; the reconciler repeats a lost signal. */
export function signalDecided(
  deps: { processes: Processes; logger: Pick<Logger, 'warn'> },
  runId: string,
  approvalId: string,
): Promise<void> {
  const workflowId = workflowRunProcess.workflowId(runId);
  return bestEffort(deps, workflowId, deps.processes.signal(workflowId, decidedSignal, approvalId));
}

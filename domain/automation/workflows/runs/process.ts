import type { Logger } from 'pino';
import { defineProcess } from '../../../../data/processes/define.ts';
import { bestEffort, type Processes } from '../../../../data/processes/processes.ts';
import type { WorkflowRunInput } from '../../../../workflows/automation/workflow-run/contract.ts';
import {
  decidedSignal,
  workflowRunWorkflowType,
} from '../../../../workflows/automation/workflow-run/names.ts';
import { taskQueues } from '../../../../workflows/task-queues.ts';
import { defineRunKind } from '../../../workspace/runs/kind.ts';
import { triggerInWords } from '../../../workspace/runs/trigger-in-words.ts';
import { findWorkflowRun } from './workflow-runs.ts';

export const workflowRunProcess = defineProcess<WorkflowRunInput>({
  kind: 'workflow-run',
  workflowType: workflowRunWorkflowType,
  taskQueue: taskQueues.control,
  resourceId: ({ runId }) => runId,
  whenTerminated: 'close',
  // A busy trigger starts many at once; processes that a person waits for have priority.
  priority: 4,
});

export const workflowRuns = defineRunKind({
  name: 'workflow runs',
  kinds: ['workflow'],
  process: workflowRunProcess,
  find: (db, run) => findWorkflowRun(db, run.organization_id, run.id),
  input: ({ organization_id: organizationId, id: runId }) => ({ organizationId, runId }),
  address: ({ workflow_id: workflowId, id }) => `/v1/workflows/${workflowId}/runs/${id}`,
  summary: (_db, _row, { title, trigger_type: trigger }) => `${title}, ${triggerInWords[trigger]}`,
});

/** Signals a run that a decision was made. The row contains it; the reconciler repeats a lost signal. */
export function signalDecided(
  deps: { processes: Processes; logger: Pick<Logger, 'warn'> },
  runId: string,
  approvalId: string,
): Promise<void> {
  const workflowId = workflowRunProcess.workflowId(runId);
  return bestEffort(deps, workflowId, deps.processes.signal(workflowId, decidedSignal, approvalId));
}

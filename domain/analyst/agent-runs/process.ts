import { defineProcess } from '../../../data/processes/define.ts';
import type { AgentRunInput } from '../../../workflows/analyst/agent-run/contract.ts';
import { agentRunWorkflowType } from '../../../workflows/analyst/agent-run/names.ts';
import { taskQueues } from '../../../workflows/task-queues.ts';
import { type RunStart, waiterOf } from '../../workspace/runs/waiter.ts';
import { type AgentRun, outputOf } from './agent-runs.ts';

export const agentRunProcess = defineProcess<AgentRunInput>({
  kind: 'agent-run',
  workflowType: agentRunWorkflowType,
  taskQueue: taskQueues.control,
  resourceId: ({ runId }) => runId,
  whenTerminated: 'close',
});

/** The outbox entry of a run's process, the same for every starter. */
export function agentRunStart(row: AgentRun, start: RunStart) {
  const { organization_id: organizationId, id: runId } = row;
  const input = { organizationId, runId, ...waiterOf(start) };
  // Titles and paths may contain parameter values, which operators must not see.
  const summary = `${row.playbook_id ?? 'A prompt'} for a ${outputOf(row).type} of project ${row.project_id}`;
  return agentRunProcess.startOf(input, {
    summary,
    projectId: row.project_id,
    address: `/v1/projects/${row.project_id}/runs/${runId}`,
    ...(start.memo === undefined ? {} : { memo: start.memo }),
  });
}

import { defineProcess } from '../../../data/processes/define.ts';
import type { MaterializationInput } from '../../../workflows/tables/materialization/contract.ts';
import { materializationWorkflowType } from '../../../workflows/tables/materialization/names.ts';
import { taskQueues } from '../../../workflows/task-queues.ts';
import type { Run } from '../../workspace/runs/runs.ts';
import { waiterOf } from '../../workspace/runs/waiter.ts';

export const materializationProcess = defineProcess<MaterializationInput>({
  kind: 'materialization',
  workflowType: materializationWorkflowType,
  taskQueue: taskQueues.control,
  resourceId: ({ runId }) => runId,
  whenTerminated: 'close',
});

/** How a materialization's process is started, both initially and by the reconciler. */
export function materializationStart(run: Run, memo: Record<string, string> = {}) {
  const { organization_id: organizationId, id: runId, project_id: projectId } = run;
  return materializationProcess.startOf(
    { organizationId, runId, ...waiterOf({ waitedBy: run.waited_by }) },
    {
      summary: run.title,
      address: `/v1/grid/tables/${run.resource_id}/runs/${runId}`,
      memo,
      ...(projectId === null ? {} : { projectId }),
    },
  );
}

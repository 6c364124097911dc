import { defineProcess } from '../../../data/processes/define.ts';
import type { MaterializationInput } from '../../../workflows/tables/materialization/contract.ts';
import { materializationWorkflowType } from '../../../workflows/tables/materialization/names.ts';
import { taskQueues } from '../../../workflows/task-queues.ts';
import { type RunStart, waiterOf } from '../../workspace/runs/waiter.ts';
import type { Materialization } from './materializations.ts';

export const materializationProcess = defineProcess<MaterializationInput>({
  kind: 'materialization',
  workflowType: materializationWorkflowType,
  taskQueue: taskQueues.control,
  resourceId: ({ runId }) => runId,
  whenTerminated: 'close',
});

/** How a materialization's process is started, both initially and by the reconciler. */
export function materializationStart(
  { organization_id: organizationId, id: runId, table_id: tableId, mode }: Materialization,
  start: RunStart,
) {
  const input = { organizationId, runId, ...waiterOf(start) };
  return materializationProcess.startOf(input, {
    summary: `${mode === 'sync' ? 'Synchronization' : 'Build'} of ${tableId}`,
    address: `/v1/grid/tables/${tableId}/runs/${runId}`,
    ...(start.memo === undefined ? {} : { memo: start.memo }),
  });
}

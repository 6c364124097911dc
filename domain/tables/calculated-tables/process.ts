import { defineProcess } from '../../../data/processes/define.ts';
import type { MaterializationInput } from '../../../workflows/tables/materialization/contract.ts';
import { materializationWorkflowType } from '../../../workflows/tables/materialization/names.ts';
import { taskQueues } from '../../../workflows/task-queues.ts';
import { defineRunKind, runItself } from '../../workspace/runs/kind.ts';
import type { Run } from '../../workspace/runs/runs.ts';

export const materializationProcess = defineProcess<MaterializationInput>({
  kind: 'materialization',
  workflowType: materializationWorkflowType,
  taskQueue: taskQueues.control,
  resourceId: ({ runId }) => runId,
  whenTerminated: 'close',
});

export const materializationRuns = defineRunKind({
  name: 'materializations',
  kinds: ['materialize'],
  process: materializationProcess,
  find: runItself,
  input: ({ organization_id: organizationId, id: runId }: Run) => ({ organizationId, runId }),
  address: ({ resource_id: tableId, id }) => `/v1/grid/tables/${tableId}/runs/${id}`,
});

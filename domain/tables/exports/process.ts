import { defineProcess } from '../../../data/processes/define.ts';
import type { ExportInput } from '../../../workflows/tables/export/contract.ts';
import { exportWorkflowType } from '../../../workflows/tables/export/names.ts';
import { taskQueues } from '../../../workflows/task-queues.ts';
import { defineRunKind, runItself } from '../../workspace/runs/kind.ts';
import type { Run } from '../../workspace/runs/runs.ts';

export const exportProcess = defineProcess<ExportInput>({
  kind: 'export',
  workflowType: exportWorkflowType,
  taskQueue: taskQueues.control,
  resourceId: ({ exportId }) => exportId,
  whenTerminated: 'close',
});

export const exportRuns = defineRunKind({
  name: 'exports',
  kinds: ['export'],
  process: exportProcess,
  find: runItself,
  input: ({ organization_id: organizationId, id: exportId }: Run) => ({ organizationId, exportId }),
  address: ({ id }) => `/v1/exports/${id}`,
});

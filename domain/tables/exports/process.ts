import { defineProcess } from '../../../data/processes/define.ts';
import type { ExportInput } from '../../../workflows/tables/export/contract.ts';
import { exportWorkflowType } from '../../../workflows/tables/export/names.ts';
import { taskQueues } from '../../../workflows/task-queues.ts';
import type { Run } from '../../workspace/runs/runs.ts';

export const exportProcess = defineProcess<ExportInput>({
  kind: 'export',
  workflowType: exportWorkflowType,
  taskQueue: taskQueues.control,
  resourceId: ({ exportId }) => exportId,
  whenTerminated: 'close',
});

/** How an export's process is started, both initially and by the reconciler. */
export function exportStart(run: Run, memo: Record<string, string> = {}) {
  const { organization_id: organizationId, id: exportId, project_id: projectId } = run;
  return exportProcess.startOf(
    { organizationId, exportId },
    {
      summary: run.title,
      address: `/v1/exports/${exportId}`,
      memo,
      ...(projectId === null ? {} : { projectId }),
    },
  );
}

import { defineProcess } from '../../../data/processes/define.ts';
import type { LakeMaintenanceInput } from '../../../workflows/tables/lake-maintenance/contract.ts';
import { lakeMaintenanceWorkflowType } from '../../../workflows/tables/lake-maintenance/names.ts';
import { taskQueues } from '../../../workflows/task-queues.ts';

/** One process for each organization, for as long as the organization exists. */
export const maintenanceProcess = defineProcess<LakeMaintenanceInput>({
  kind: 'lake-maintenance',
  workflowType: lakeMaintenanceWorkflowType,
  taskQueue: taskQueues.control,
  resourceId: ({ organizationId }) => organizationId,
  whenTerminated: 'restart',
});

export function maintenanceStart(organizationId: string) {
  return maintenanceProcess.startOf(
    { organizationId },
    { summary: `Maintenance of the lake of ${organizationId}` },
  );
}

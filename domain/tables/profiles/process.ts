import { defineProcess } from '../../../data/processes/define.ts';
import type { ProfileInput } from '../../../workflows/tables/profile/contract.ts';
import { profileWorkflowType } from '../../../workflows/tables/profile/names.ts';
import { taskQueues } from '../../../workflows/task-queues.ts';
import type { Run } from '../../workspace/runs/runs.ts';

export const profileProcess = defineProcess<ProfileInput>({
  kind: 'profile',
  workflowType: profileWorkflowType,
  taskQueue: taskQueues.control,
  // Nothing else waits for a profile.
  priority: 4,
  resourceId: ({ tableId, runId }) => `${tableId}/${runId}`,
  whenTerminated: 'close',
});

/** How a profile's process is started, both initially and by the reconciler. */
export function profileStart(run: Run, memo: Record<string, string> = {}) {
  const input = { organizationId: run.organization_id, tableId: run.resource_id, runId: run.id };
  return profileProcess.startOf(input, {
    summary: run.title,
    address: `/v1/tables/${run.resource_id}/profile`,
    memo,
    ...(run.project_id === null ? {} : { projectId: run.project_id }),
  });
}

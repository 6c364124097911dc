import { defineProcess } from '../../../data/processes/define.ts';
import type { ProfileInput } from '../../../workflows/tables/profile/contract.ts';
import { profileWorkflowType } from '../../../workflows/tables/profile/names.ts';
import { taskQueues } from '../../../workflows/task-queues.ts';
import { defineRunKind, runItself } from '../../workspace/runs/kind.ts';
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

export const profileRuns = defineRunKind({
  name: 'profiles',
  kinds: ['profile'],
  process: profileProcess,
  find: runItself,
  input: ({ organization_id: organizationId, resource_id: tableId, id: runId }: Run) => ({
    ...{ organizationId, tableId, runId },
  }),
  address: ({ resource_id: tableId }) => `/v1/tables/${tableId}/profile`,
});

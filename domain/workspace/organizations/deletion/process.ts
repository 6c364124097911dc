import { defineProcess } from '../../../../data/processes/define.ts';
import type { Processes } from '../../../../data/processes/processes.ts';
import { deletionKind } from '../../../../data/processes/refuse-deleted.ts';
import { taskQueues } from '../../../../workflows/task-queues.ts';
import type { OrganizationDeletionInput } from '../../../../workflows/workspace/organization-deletion/contract.ts';
import {
  deletionChangedSignal,
  organizationDeletionWorkflowType,
} from '../../../../workflows/workspace/organization-deletion/names.ts';

export const organizationDeletionProcess = defineProcess<OrganizationDeletionInput>({
  kind: deletionKind,
  workflowType: organizationDeletionWorkflowType,
  taskQueue: taskQueues.control,
  // Nobody waits for it.
  priority: 4,
  resourceId: ({ organizationId }) => organizationId,
  whenTerminated: 'restart',
});

export function deletionStart(organizationId: string) {
  return organizationDeletionProcess.startOf(
    { organizationId },
    { summary: `Deletion of ${organizationId}` },
  );
}

/** Starts the process of a deletion, or has the running one read its new time. */
export function wakeDeletion(processes: Processes, organizationId: string): Promise<void> {
  return processes.wake(deletionStart(organizationId), { name: deletionChangedSignal, args: [] });
}

/** Has the process of a deletion that was called off end; if it is not told, it does when it would begin. */
export function tellKept(processes: Processes, organizationId: string): Promise<void> {
  return processes.signal(organizationDeletionProcess.workflowId(organizationId), deletionChangedSignal);
}

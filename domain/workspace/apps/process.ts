import type { Logger } from 'pino';
import { defineProcess } from '../../../data/processes/define.ts';
import { bestEffort, type Processes } from '../../../data/processes/processes.ts';
import { taskQueues } from '../../../workflows/task-queues.ts';
import type { AppHealthInput } from '../../../workflows/workspace/app-health/contract.ts';
import { appHealthWorkflowType, wakeAppHealthSignal } from '../../../workflows/workspace/app-health/names.ts';

/** One process for each organization that has apps. */
export const appHealthProcess = defineProcess<AppHealthInput>({
  kind: 'app-health',
  workflowType: appHealthWorkflowType,
  taskQueue: taskQueues.control,
  // Nobody waits for a check.
  priority: 4,
  resourceId: ({ organizationId }) => organizationId,
  whenTerminated: 'restart',
});

export function appHealthStart(organizationId: string) {
  return appHealthProcess.startOf({ organizationId }, { summary: `Health of the apps of ${organizationId}` });
}

interface WakeDeps {
  processes: Processes;
  logger: Pick<Logger, 'warn'>;
}

const wake = { name: wakeAppHealthSignal, args: [] };

/** Starts the process of an organization that has apps, or notifies the running one that there are others. */
export function wakeAppHealth(deps: WakeDeps, organizationId: string): Promise<void> {
  const start = appHealthStart(organizationId);
  return bestEffort(deps, start.workflowId, deps.processes.wake(start, wake));
}

/** Notifies the process that an app is gone; no effect where none runs. */
export function notifyOfRemoval(deps: WakeDeps, organizationId: string): Promise<void> {
  const workflowId = appHealthProcess.workflowId(organizationId);
  return bestEffort(deps, workflowId, deps.processes.signal(workflowId, wakeAppHealthSignal));
}

import { getExternalWorkflowHandle } from '@temporalio/workflow';
import { runEndedSignal } from './automation/schedule-run/names.ts';

/** Notifies the process that waits for this run; ignored if that process is gone. */
export async function notifyWaiter(workflowId: string | undefined, runId: string): Promise<void> {
  if (workflowId === undefined) return;
  await getExternalWorkflowHandle(workflowId)
    .signal(runEndedSignal, runId)
    .catch(() => undefined);
}

import { getExternalWorkflowHandle } from '@temporalio/workflow';
import { runEndedSignal } from './automation/schedule-run/names.ts';

/** Tells the process that waits for this run. Where it is no more, nobody waits. */
export async function notifyWaiter(workflowId: string | undefined, runId: string): Promise<void> {
  if (workflowId === undefined) return;
  await getExternalWorkflowHandle(workflowId)
    .signal(runEndedSignal, runId)
    .catch(() => undefined);
}

import { defineProcess } from '../../../data/processes/define.ts';
import type { VerificationInput } from '../../../workflows/tables/verification/contract.ts';
import { verificationWorkflowType } from '../../../workflows/tables/verification/names.ts';
import { taskQueues } from '../../../workflows/task-queues.ts';
import type { Run } from '../../workspace/runs/runs.ts';
import { waiterOf } from '../../workspace/runs/waiter.ts';

export const verificationProcess = defineProcess<VerificationInput>({
  kind: 'verification',
  workflowType: verificationWorkflowType,
  taskQueue: taskQueues.control,
  resourceId: ({ runId }) => runId,
  whenTerminated: 'close',
});

/** How a run's process is started, both initially and by the reconciler. */
export function verificationStart(run: Run, memo: Record<string, string> = {}) {
  const { organization_id: organizationId, id: runId, project_id: projectId } = run;
  return verificationProcess.startOf(
    { organizationId, runId, ...waiterOf({ waitedBy: run.waited_by }) },
    {
      summary: run.title,
      address: `/v1/verification-tests/runs/${runId}`,
      memo,
      ...(projectId === null ? {} : { projectId }),
    },
  );
}

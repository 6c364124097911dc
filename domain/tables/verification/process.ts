import { defineProcess } from '../../../data/processes/define.ts';
import type { VerificationInput } from '../../../workflows/tables/verification/contract.ts';
import { verificationWorkflowType } from '../../../workflows/tables/verification/names.ts';
import { taskQueues } from '../../../workflows/task-queues.ts';
import { defineRunKind, runItself } from '../../workspace/runs/kind.ts';
import type { Run } from '../../workspace/runs/runs.ts';

export const verificationProcess = defineProcess<VerificationInput>({
  kind: 'verification',
  workflowType: verificationWorkflowType,
  taskQueue: taskQueues.control,
  resourceId: ({ runId }) => runId,
  whenTerminated: 'close',
});

export const verificationRuns = defineRunKind({
  name: 'verifications',
  kinds: ['verification'],
  process: verificationProcess,
  find: runItself,
  input: ({ organization_id: organizationId, id: runId }: Run) => ({ organizationId, runId }),
  address: ({ id }) => `/v1/verification-tests/runs/${id}`,
});

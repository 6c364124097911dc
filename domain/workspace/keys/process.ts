import type { ProcessStart } from '../../../data/postgres/process-starts.ts';
import { taskQueues } from '../../../workflows/task-queues.ts';
import { keyRotationWorkflowType } from '../../../workflows/workspace/key-rotation/names.ts';

/** One for the whole installation, so that no two rotations work against each other. */
export const keyRotationId = 'key-rotation';

/** It serves no row: what it has to do is found in the values themselves. */
export function keyRotationStart(keyId: string): ProcessStart {
  return {
    workflowId: keyRotationId,
    workflowType: keyRotationWorkflowType,
    taskQueue: taskQueues.control,
    argument: { keyId },
    searchAttributes: { ProcessKind: 'key-rotation', ResourceId: keyId },
    memo: { keyId },
    summary: `Re-seals stored secrets under the key ${keyId}`,
  };
}

import type { Logger } from 'pino';
import { defineProcess } from '../../../data/processes/define.ts';
import { bestEffort, type Processes } from '../../../data/processes/processes.ts';
import type { IngestionBatchInput } from '../../../workflows/intake/ingestion-batch/contract.ts';
import {
  ingestionBatchWorkflowType,
  wakeIngestionBatchSignal,
} from '../../../workflows/intake/ingestion-batch/names.ts';
import { taskQueues } from '../../../workflows/task-queues.ts';
import type { IngestionBatch } from './ingestion-batches.ts';

export const batchProcess = defineProcess<IngestionBatchInput>({
  kind: 'ingestion-batch',
  workflowType: ingestionBatchWorkflowType,
  taskQueue: taskQueues.control,
  resourceId: ({ batchId }) => batchId,
  // Only its client may end a batch.
  whenTerminated: 'restart',
});

/** How a batch's process is started, both initially and by the reconciler. */
export function batchStart(batch: IngestionBatch, memo: Record<string, string> = {}) {
  const input = {
    organizationId: batch.organization_id,
    batchId: batch.id,
    tableId: batch.table_id,
    mode: batch.mode,
    expiresAtMs: batch.expires_at.getTime(),
    isReplay: batch.replay_of !== null,
  };
  return batchProcess.startOf(input, {
    summary: `Ingestion batch (${batch.mode}) into table ${batch.table_id}`,
    address: `/v1/tables/${batch.table_id}/ingestion-batches/${batch.id}`,
    memo,
  });
}

/** Makes the process of a batch read its row again; if the batch is aborted, cancels it. */
export function wakeBatch(
  deps: { processes: Processes; logger: Pick<Logger, 'warn'> },
  batch: Pick<IngestionBatch, 'id' | 'status'>,
): Promise<void> {
  const workflowId = batchProcess.workflowId(batch.id);
  const { processes } = deps;
  const work =
    batch.status === 'aborted'
      ? processes.cancel(workflowId)
      : processes.signal(workflowId, wakeIngestionBatchSignal);
  return bestEffort(deps, workflowId, work);
}

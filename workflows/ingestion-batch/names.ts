import { taskQueues } from '../task-queues.ts';
import type { IngestionBatchInput } from './contract.ts';

export const ingestionBatchWorkflowType = 'ingestionBatch';
/** Tells the process to look at its batch's row again. */
export const wakeIngestionBatchSignal = 'wake';

/** Readable in the Temporal UI, and the same for every try to start it. */
export function ingestionBatchWorkflowId(batchId: string): string {
  return `ingestion-batch/${batchId}`;
}

/** What starts a batch's process, whoever starts it. */
export function ingestionBatchStart(input: IngestionBatchInput) {
  const { organizationId, batchId, tableId, mode } = input;
  return {
    workflowId: ingestionBatchWorkflowId(batchId),
    workflowType: ingestionBatchWorkflowType,
    taskQueue: taskQueues.control,
    argument: input,
    searchAttributes: {
      OrganizationId: organizationId,
      ResourceId: batchId,
      ProcessKind: 'ingestion-batch',
    },
    summary: `Ingestion batch (${mode}) into table ${tableId}`,
  };
}

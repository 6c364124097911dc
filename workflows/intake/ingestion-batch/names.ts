export const ingestionBatchWorkflowType = 'ingestionBatch';
/** Makes the process read its batch's row again. */
export const wakeIngestionBatchSignal = 'wake';

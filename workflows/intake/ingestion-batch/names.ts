export const ingestionBatchWorkflowType = 'ingestionBatch';
/** Tells the process to look at its batch's row again. */
export const wakeIngestionBatchSignal = 'wake';

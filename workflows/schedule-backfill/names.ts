export const backfillWorkflowType = 'scheduleBackfill';

export const snapshotWorkflowType = 'snapshot';
export const wakeSnapshotSignal = 'wakeSnapshot';
/** What is staged is not kept for longer: whatever nobody names is removed from the lake's folder after some days. */
export const confirmationHours = 24;

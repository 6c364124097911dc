export const snapshotWorkflowType = 'snapshot';
export const wakeSnapshotSignal = 'wakeSnapshot';
/**
 * Of staging: pauses in milliseconds, each so many times the one before. Six tries outlast some ten minutes
 * of a source or store that is away.
 */
export const stagingRetry = { firstMs: 5_000, coefficient: 3, longestMs: 600_000, tries: 6 };
/**
 * What is staged is not kept for longer: whatever nobody names is removed from the lake's folder after some
 * days.
 */
export const confirmationHours = 24;

export const snapshotWorkflowType = 'snapshot';
export const wakeSnapshotSignal = 'wakeSnapshot';
/**
 * Retry policy of staging: delays in milliseconds, each `coefficient` times the previous one. Six attempts
 * cover some ten minutes of an unavailable source or store.
 */
export const stagingRetry = { firstMs: 5_000, coefficient: 3, longestMs: 600_000, tries: 6 };
/**
 * Staged data is not kept for longer: unreferenced objects are removed from the lake's folder after some
 * days.
 */
export const confirmationHours = 24;

import type { Duration } from '@temporalio/common';
import { proxyActivities } from '@temporalio/workflow';
import { taskQueues } from './task-queues.ts';

/**
 * For activities that use only the database and take seconds at most. They are retried without limit, so that
 * no row is left between two states.
 */
export const databaseOnly = {
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '30 seconds' },
} as const;

export const databaseActivities = <Activities>() =>
  proxyActivities<Activities>({ ...databaseOnly, taskQueue: taskQueues.control });

/**
 * Work on a lake that takes hours at most, with heartbeats. What was cancelled is waited for. Twenty attempts
 * cover an hour of an unavailable store.
 */
export const longLakeActivities = <Activities>(longest: Duration, maximumAttempts = 20) =>
  proxyActivities<Activities>({
    taskQueue: taskQueues.lake,
    startToCloseTimeout: longest,
    heartbeatTimeout: '10 seconds',
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    retry: { initialInterval: '1 second', maximumInterval: '5 minutes', maximumAttempts },
  });

/**
 * Commits to a lake take seconds. Each may have succeeded, so their number has no limit here: the activity
 * gives a commit up that fails for an hour, in a way that no attempt can still succeed.
 */
export const commitActivities = <Activities>() =>
  proxyActivities<Activities>({
    taskQueue: taskQueues.lake,
    startToCloseTimeout: '10 minutes',
    heartbeatTimeout: '15 seconds',
    retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
  });

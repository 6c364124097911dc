import { ActivityFailure, CancellationScope, condition, proxyActivities } from '@temporalio/workflow';
import { databaseActivities } from '../../activity-options.ts';
import { always, wasCancelled } from '../../cancellation.ts';
import { taskQueues } from '../../task-queues.ts';
import type {
  DeliveryAgentActivities,
  DeliveryControlActivities,
  DeliveryEnd,
  DeliveryInput,
} from './contract.ts';
import { deliveriesAtOnce } from './names.ts';

// Documents are rendered one after the other, within half a minute each; a mail server may take ten minutes
// to answer. Retried only if a store is unavailable, for about two hours: a refusal of a mail server is a
// result.
const agent = proxyActivities<DeliveryAgentActivities>({
  taskQueue: taskQueues.agent,
  startToCloseTimeout: '20 minutes',
  heartbeatTimeout: '30 seconds',
  // An attempt that has begun may still deliver.
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute', maximumAttempts: 120 },
});

const control = databaseActivities<DeliveryControlActivities>();

export interface DeliverOptions {
  /** Called after each attempt that another must follow. */
  look?: () => unknown;
  /** When true, no further attempt is made. */
  isStopped?: () => boolean;
  /** When cancelled, not even a failed attempt is retried. */
  scope?: CancellationScope;
}

/**
 * Attempts deliveries until each has ended, and returns their outcomes in the given order; `pending` if it
 * was stopped. A cancellation does not stop it, so that nothing is left partly sent. A failed delivery does
 * not affect the others.
 */
export function deliverAll(
  deliveries: readonly DeliveryInput[],
  options: DeliverOptions = {},
): Promise<(DeliveryEnd | 'pending')[]> {
  const { isStopped = () => false } = options;
  return always(async () => {
    const ends = deliveries.map((): DeliveryEnd | 'pending' => 'pending');
    let next = 0;
    const lane = async () => {
      while (next < deliveries.length && !isStopped()) {
        const index = next;
        next += 1;
        ends[index] = await deliver(deliveries[index]!, options);
      }
    };
    await Promise.all(Array.from({ length: deliveriesAtOnce }, lane));
    return ends;
  });
}

async function deliver(
  delivery: DeliveryInput,
  { look = () => undefined, isStopped = () => false, scope = CancellationScope.current() }: DeliverOptions,
): Promise<DeliveryEnd | 'pending'> {
  for (;;) {
    try {
      const attempt = await scope.run(() => agent.attemptDelivery(delivery));
      if (attempt.status !== 'pending') return attempt.status;
      look();
      if (isStopped() || (await condition(isStopped, attempt.retryAfterMs))) return 'pending';
    } catch (error) {
      if (scope.consideredCancelled && wasCancelled(error)) return 'pending';
      if (!(error instanceof ActivityFailure)) throw error;
      return (await control.giveUpDelivery(delivery)).status;
    }
  }
}

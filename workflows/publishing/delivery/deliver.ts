import {
  ActivityFailure,
  CancellationScope,
  condition,
  isCancellation,
  proxyActivities,
} from '@temporalio/workflow';
import { databaseActivities } from '../../activity-options.ts';
import { taskQueues } from '../../task-queues.ts';
import type {
  DeliveryAgentActivities,
  DeliveryControlActivities,
  DeliveryEnd,
  DeliveryInput,
} from './contract.ts';
import { deliveriesAtOnce } from './names.ts';

// Documents are made one after the other, within half a minute each; a mail server may take ten minutes for
// its answer. Tried again only where a store is away, as often as comes to two hours: what a mail server
// refuses is an answer.
const agent = proxyActivities<DeliveryAgentActivities>({
  taskQueue: taskQueues.agent,
  startToCloseTimeout: '20 minutes',
  heartbeatTimeout: '30 seconds',
  // One that has begun may deliver all the same.
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute', maximumAttempts: 120 },
});

const control = databaseActivities<DeliveryControlActivities>();

export interface DeliverOptions {
  /** Asked after each attempt that another has to follow. */
  look?: () => unknown;
  /** Once it says so, nothing more is attempted. */
  isStopped?: () => boolean;
  /** Cancelled where not even an attempt that failed is to be made again. */
  scope?: CancellationScope;
}

/**
 * Attempts deliveries until each has ended, and tells how, in the order given; `pending` where it was
 * stopped. A cancel does not stop it: what somebody is to have is not left half sent. One that fails does not
 * keep the others.
 */
export function deliverAll(
  deliveries: readonly DeliveryInput[],
  options: DeliverOptions = {},
): Promise<(DeliveryEnd | 'pending')[]> {
  const { isStopped = () => false } = options;
  return CancellationScope.nonCancellable(async () => {
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
      if (scope.consideredCancelled && isCancellation(error)) return 'pending';
      if (!(error instanceof ActivityFailure)) throw error;
      return (await control.giveUpDelivery(delivery)).status;
    }
  }
}

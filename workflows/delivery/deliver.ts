import { ActivityFailure, CancellationScope, proxyActivities, sleep } from '@temporalio/workflow';
import { taskQueues } from '../task-queues.ts';
import type {
  DeliveryAgentActivities,
  DeliveryControlActivities,
  DeliveryEnd,
  DeliveryInput,
} from './contract.ts';
import { deliveriesAtOnce } from './names.ts';

// Documents are made one after the other, within half a minute each; a mail server may take ten minutes for its answer.
// Tried again only where a store is away, as often as comes to two hours: what a mail server refuses is an answer.
const agent = proxyActivities<DeliveryAgentActivities>({
  taskQueue: taskQueues.agent,
  startToCloseTimeout: '20 minutes',
  heartbeatTimeout: '30 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute', maximumAttempts: 120 },
});

// Database only, seconds at most. Retried without end: a delivery must not be left under way in its row.
const control = proxyActivities<DeliveryControlActivities>({
  taskQueue: taskQueues.control,
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '30 seconds' },
});

/**
 * Attempts deliveries until each has ended, and tells how, in the order given. A cancel does not stop it: what somebody
 * is to have is not left half sent. One that fails does not keep the others.
 */
export function deliverAll(deliveries: readonly DeliveryInput[]): Promise<DeliveryEnd[]> {
  return CancellationScope.nonCancellable(async () => {
    const ends: DeliveryEnd[] = [];
    let next = 0;
    const lane = async () => {
      while (next < deliveries.length) {
        const index = next;
        next += 1;
        ends[index] = await deliver(deliveries[index]!);
      }
    };
    await Promise.all(Array.from({ length: deliveriesAtOnce }, lane));
    return ends;
  });
}

async function deliver(delivery: DeliveryInput): Promise<DeliveryEnd> {
  for (;;) {
    try {
      const attempt = await agent.attemptDelivery(delivery);
      if (attempt.status !== 'pending') return attempt.status;
      await sleep(attempt.retryAfterMs);
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      return (await control.giveUpDelivery(delivery)).status;
    }
  }
}

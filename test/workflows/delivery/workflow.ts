import type { DeliveryEnd, DeliveryInput } from '../../../workflows/publishing/delivery/contract.ts';
import { deliverAll } from '../../../workflows/publishing/delivery/deliver.ts';

/** A process that only delivers: how each ended, and how long it took by the process's clock. */
export async function deliverThese(
  deliveries: DeliveryInput[],
): Promise<{ ends: (DeliveryEnd | 'pending')[]; tookMs: number }> {
  const beganMs = Date.now();
  const ends = await deliverAll(deliveries);
  return { ends, tookMs: Date.now() - beganMs };
}

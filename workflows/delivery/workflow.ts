import { failedAs, tellOutcome } from '../outcome.ts';
import type { DeliveryEnd, DeliveryInput } from './contract.ts';
import { deliverAll } from './deliver.ts';

/** A delivery that somebody asked for anew. */
export async function delivery(input: DeliveryInput): Promise<DeliveryEnd> {
  const [end] = await deliverAll([input]);
  switch (end!) {
    case 'delivered':
      tellOutcome('delivered', 'The other side has it.');
      return 'delivered';
    case 'uncertain':
      tellOutcome('uncertain', 'The other side may have it; it is not sent again by itself.');
      return 'uncertain';
    case 'failed':
      tellOutcome('failed', 'Every attempt failed; the row says why.');
      throw failedAs('delivery_failed', 'The delivery');
  }
}

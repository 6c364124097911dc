import { continueOnNewest, watchGrowth } from '../../history.ts';
import { failedAs, recordOutcome } from '../../outcome.ts';
import type { DeliveryEnd, DeliveryInput } from './contract.ts';
import { deliverAll } from './deliver.ts';

/** A delivery that was requested again. */
export async function delivery(input: DeliveryInput): Promise<DeliveryEnd> {
  const growth = watchGrowth();
  const [end] = await deliverAll([input], { look: growth.look, isStopped: () => growth.isFull });
  switch (end!) {
    case 'pending':
      return continueOnNewest<typeof delivery>(input);
    case 'delivered':
      recordOutcome('delivered', 'The remote service has it.');
      return 'delivered';
    case 'uncertain':
      recordOutcome('uncertain', "The remote service may have it. It isn't sent again automatically.");
      return 'uncertain';
    case 'failed':
      throw failedAs('delivery_failed', 'The delivery');
  }
}

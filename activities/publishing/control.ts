import { giveUpDelivery } from '../../domain/publishing/deliveries/attempt.ts';
import type { DeliveryControlActivities } from '../../workflows/publishing/delivery/contract.ts';
import type { ActivityDeps } from '../deps.ts';

export function deliveryControlActivities(deps: ActivityDeps): DeliveryControlActivities {
  return {
    /** Safe to retry: no effect on a delivery that has ended. */
    giveUpDelivery: (input) => giveUpDelivery(deps, input),
  };
}

import { createAdmission } from '../../../data/admission.ts';
import { attemptDelivery, type DeliveryDeps } from '../../../domain/publishing/deliveries/attempt.ts';
import type {
  DeliveryAgentActivities,
  DeliveryAttempt,
} from '../../../workflows/publishing/delivery/contract.ts';
import { withHeartbeats } from '../../heartbeats.ts';

/**
 * Attempts of a worker, and of one organization there. A mail server that hangs holds each for minutes, and
 * the same queue has the turns of conversations, which people wait for.
 */
const admission = { inAll: 32, ofOwner: 8 };
/** Not an attempt, and not counted as one. */
const askedAgainMs = 30_000;

export function deliveryAgentActivities(deps: DeliveryDeps): DeliveryAgentActivities {
  const attempts = createAdmission(admission);
  return {
    /**
     * Safe to retry: a file has an id of the delivery's own, and ends it in its transaction. A mail that a
     * try before may have sent is found as `sending` and told as uncertain; one that it certainly has not is
     * sent by one try alone.
     */
    attemptDelivery: (input) =>
      attempts.run(
        input.organizationId,
        () => withHeartbeats({}, {}, () => attemptDelivery(deps, input)),
        (): DeliveryAttempt => ({ status: 'pending', retryAfterMs: askedAgainMs }),
      ),
  };
}

import { createAdmission } from '../../data/admission.ts';
import { attemptDelivery, type DeliveryDeps } from '../../domain/publishing/deliveries/attempt.ts';
import { isAutomationPaused } from '../../domain/workspace/pause/pause.ts';
import type {
  DeliveryAgentActivities,
  DeliveryAttempt,
} from '../../workflows/publishing/delivery/contract.ts';
import { withHeartbeats } from '../heartbeats.ts';

/**
 * Concurrent attempts per worker, and per organization there. A hanging mail server holds each for minutes,
 * and the same queue serves the turns of conversations, which people wait for.
 */
const admission = { inAll: 32, ofOwner: 8 };
/** Delay when there is no free slot, or automation is paused; does not count as an attempt. */
const askedAgainMs = 30_000;

export function deliveryAgentActivities(deps: DeliveryDeps): DeliveryAgentActivities {
  const attempts = createAdmission(admission);
  return {
    /**
     * Safe to retry: a file's id is derived from the delivery, which ends in the same transaction. A mail
     * that a previous attempt may have sent is found as `sending` and ends as uncertain; one that was
     * certainly not sent is sent by one attempt only.
     */
    attemptDelivery: async (input) => {
      if (await isAutomationPaused(deps.db)) return { status: 'pending', retryAfterMs: askedAgainMs };
      return attempts.run(
        input.organizationId,
        () => withHeartbeats({}, {}, () => attemptDelivery(deps, input)),
        (): DeliveryAttempt => ({ status: 'pending', retryAfterMs: askedAgainMs }),
      );
    },
  };
}

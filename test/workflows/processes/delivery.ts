import { after, dayMs, type TestedProcess } from '../process.ts';

export const process: TestedProcess = {
  type: 'delivery',
  // A worker without a free place for it is asked repeatedly.
  life: (clock) => ({
    input: { deliveryId: 'dlv_1' },
    activities: {
      attemptDelivery: after<unknown>(
        clock,
        10 * dayMs,
        () => ({ status: 'pending', retryAfterMs: 900_000 }),
        () => ({ status: 'delivered' }),
      ),
    },
    leastMs: 10 * dayMs,
  }),
  failure: {
    input: { deliveryId: 'dlv_1' },
    activities: { attemptDelivery: async () => ({ status: 'failed' }) },
    told: { what: 'The delivery', code: 'delivery_failed', advice: 'retry the delivery' },
  },
};

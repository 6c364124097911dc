import { after, dayMs, nothing, refused, type TestedProcess } from '../process.ts';

export const process: TestedProcess = {
  type: 'profile',
  // Waits for its turn behind others for a day.
  life: (clock) => ({
    input: { tableId: 'tbl_1', runId: 'run_1' },
    activities: {
      beginProfile: after(
        clock,
        dayMs,
        () => 'waiting',
        () => 'begun',
      ),
      computeProfile: async () => ({ status: 'succeeded', errorCode: null }),
      endProfile: nothing,
    },
    leastMs: dayMs,
  }),
  failure: {
    input: { tableId: 'tbl_1', runId: 'run_1' },
    activities: {
      beginProfile: async () => 'begun',
      computeProfile: refused('query_too_large'),
      endProfile: async () => ({ status: 'failed', errorCode: 'query_too_large' }),
    },
    told: { what: 'The profile', code: 'query_too_large', advice: 'read less' },
  },
};

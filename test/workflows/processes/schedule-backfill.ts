import { after, type TestedProcess, yearMs } from '../process.ts';

export const process: TestedProcess = {
  type: 'scheduleBackfill',
  // Its fires run for a year, and were begun by an earlier process of it.
  life: (clock) => ({
    input: { backfillId: 'bkf_1' },
    activities: {
      beginBackfill: async () => ({ kind: 'begun', next: 1, total: 1, maxConcurrency: 1 }),
      endBackfill: after(
        clock,
        yearMs,
        () => 'running',
        () => 'succeeded',
      ),
    },
    leastMs: yearMs,
  }),
  failure: {
    input: { backfillId: 'bkf_1' },
    activities: {
      beginBackfill: async () => ({ kind: 'begun', next: 1, total: 1, maxConcurrency: 1 }),
      endBackfill: async () => 'failed',
    },
    told: { what: 'The backfill', code: 'backfill_failed', advice: 'only_missing' },
  },
};

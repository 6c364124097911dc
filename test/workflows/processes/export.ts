import { after, hourMs, refused, type TestedProcess } from '../process.ts';

export const process: TestedProcess = {
  type: 'tableExport',
  // Waits for its turn for half a day, then for a process, and then for a store that is away.
  life: (clock) => {
    let tries = 0;
    return {
      input: { exportId: 'exp_1' },
      activities: {
        beginExport: after(
          clock,
          12 * hourMs,
          () => 'waiting',
          () => 'begun',
        ),
        writeExport: async () => {
          tries += 1;
          if (tries < 20) throw new Error('The store is away.');
        },
        endExport: async () => ({ status: 'succeeded', rows: 1, bytes: 1, errorCode: null }),
      },
      leastMs: 12 * hourMs,
    };
  },
  failure: {
    input: { exportId: 'exp_1' },
    activities: {
      beginExport: async () => 'begun',
      writeExport: refused('query_too_large'),
      endExport: async () => ({ status: 'failed', rows: 0, bytes: 0, errorCode: 'query_too_large' }),
    },
    told: { what: 'The export', code: 'query_too_large', advice: 'read less' },
  },
};

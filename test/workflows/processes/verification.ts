import { after, hourMs, refused, type TestedProcess } from '../process.ts';

export const process: TestedProcess = {
  type: 'verification',
  // Waits for its turn behind others for half a day, and then tests as many tables as a run may have.
  life: (clock) => {
    let left = 1_000;
    return {
      input: { runId: 'run_1' },
      activities: {
        beginVerification: after(
          clock,
          12 * hourMs,
          () => 'waiting',
          () => 'begun',
        ),
        verifyNextTable: async () => {
          left -= 1;
          return left;
        },
        endVerification: async () => ({
          ...{ status: 'succeeded', outcome: 'passed', tested: 1_000, errorCode: null },
        }),
      },
      leastMs: 12 * hourMs,
    };
  },
  failure: {
    input: { runId: 'run_1' },
    activities: {
      beginVerification: async () => 'begun',
      verifyNextTable: refused('query_too_large'),
      endVerification: async () => ({
        ...{ status: 'failed', outcome: null, tested: 0, errorCode: 'query_too_large' },
      }),
    },
    told: { what: 'The verification', code: 'query_too_large', advice: 'read less' },
  },
};

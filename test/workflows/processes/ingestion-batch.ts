import { after, dayMs, nothing, type TestedProcess, yearMs } from '../process.ts';

export const process: TestedProcess = {
  type: 'ingestionBatch',
  isQuick: true,
  life: async (clock) => {
    const expiresAtMs = (await clock()) + yearMs;
    const state = { pages: 0, records: 0, errorCode: null };
    return {
      input: { batchId: 'bat_1', tableId: 'tbl_1', mode: 'append', expiresAtMs, isReplay: false },
      activities: {
        advanceIngestionBatch: after(
          clock,
          yearMs - dayMs,
          () => ({ ...state, status: 'open' }),
          () => ({ ...state, status: 'expired' }),
        ),
        expireIngestionBatch: nothing,
        cleanUpIngestionBatch: nothing,
      },
      leastMs: yearMs - dayMs,
    };
  },
  failure: {
    input: { batchId: 'bat_1', tableId: 'tbl_1', mode: 'append', expiresAtMs: 0, isReplay: false },
    activities: {
      advanceIngestionBatch: async () => ({
        ...{ status: 'failed', pages: 1, records: 2, errorCode: 'storage_unavailable' },
      }),
      cleanUpIngestionBatch: nothing,
    },
    told: { what: 'The batch of the table tbl_1', code: 'storage_unavailable', advice: 'bring it back' },
  },
};

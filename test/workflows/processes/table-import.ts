import { hourMs, nothing, refused, type TestedProcess } from '../process.ts';

export const process: TestedProcess = {
  type: 'tableImport',
  isQuick: true,
  // A store that is unavailable for all of its attempts.
  life: () => {
    let tries = 0;
    const ended = { status: 'succeeded', rows: 1, quarantinedRows: 0, errorCode: null };
    return {
      input: { importId: 'imp_1' },
      activities: {
        beginTableImport: async () => true,
        stageTableImport: async () => {
          tries += 1;
          if (tries < 20) throw new Error('The store is away.');
          return { rows: 1, quarantinedRows: 0 };
        },
        commitTableImport: async () => ended,
      },
      // Retry delays are not exact.
      leastMs: hourMs / 2,
    };
  },
  failure: {
    input: { importId: 'imp_1' },
    activities: {
      beginTableImport: async () => true,
      stageTableImport: refused('verification_failed'),
      discardStagedImport: nothing,
      endTableImport: async () => ({
        ...{ status: 'failed', rows: 0, quarantinedRows: 0, errorCode: 'verification_failed' },
      }),
    },
    told: { what: 'The import', code: 'verification_failed', advice: 'correct the rows' },
  },
};

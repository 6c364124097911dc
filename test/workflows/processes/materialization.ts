import { after, hourMs, nothing, refused, type TestedProcess } from '../process.ts';

export const process: TestedProcess = {
  type: 'materialization',
  // Waits for its turn behind others for half a day, and then builds 300 tables.
  life: (clock) => {
    let left = 300;
    return {
      input: { runId: 'run_1' },
      activities: {
        claimBuilds: after(
          clock,
          12 * hourMs,
          () => ({ turn: 'waiting', ready: [], isAll: true }),
          () => ({ turn: 'begun', ready: ['tbl_300', 'tbl_299'], isAll: false }),
        ),
        nextBuilds: async () => (left > 0 ? [`tbl_${left}`, `tbl_${left - 1}`] : []),
        stageBuild: async () => ({ rows: 1 }),
        commitBuild: async () => {
          left -= 1;
          return true;
        },
        discardBuild: nothing,
        endBuild: nothing,
        endMaterialization: async () => ({
          ...{ status: 'succeeded', built: 300, failed: 0, skipped: 0, errorCode: null },
        }),
      },
      leastMs: 12 * hourMs,
    };
  },
  failure: {
    input: { runId: 'run_1' },
    activities: {
      claimBuilds: async () => ({ turn: 'begun', ready: ['tbl_1'], isAll: true }),
      stageBuild: refused('BuildFailed'),
      ...{ discardBuild: nothing, endBuild: nothing },
      endMaterialization: async () => ({
        ...{ status: 'failed', built: 0, failed: 1, skipped: 0, errorCode: 'query_too_large' },
      }),
    },
    told: { what: 'The materialization', code: 'query_too_large', advice: 'read less' },
  },
};

import { after, type Clock, dayMs, hourMs, nothing, refused, type TestedProcess } from '../process.ts';

function pages(clock: Clock) {
  let left = 60;
  return {
    beginSnapshot: after(
      clock,
      dayMs,
      () => 'waiting',
      () => 'begun',
    ),
    stageSnapshot: async () => {
      left -= 1;
      return { rows: 1, ...(left > 0 ? { goesOnAfterMs: 12 * hourMs } : {}) };
    },
    admitSnapshot: async (_: unknown, isOverdue: boolean) => (isOverdue ? 'ended' : 'held'),
    commitSnapshot: async () => ({ status: 'failed', rows: 0, errorCode: 'snapshot_not_confirmed' }),
    discardSnapshot: nothing,
    endSnapshot: async () => ({ status: 'failed', rows: 0, errorCode: 'snapshot_not_confirmed' }),
  };
}

const failedSnapshot = async () => ({ status: 'failed', rows: 0, errorCode: 'source_failed' });

export const process: TestedProcess = {
  type: 'snapshot',
  life: (clock) => ({
    input: { datasetId: 'dst_1', runId: 'snp_1' },
    activities: pages(clock),
    leastMs: 31 * dayMs,
  }),
  failure: {
    input: { datasetId: 'dst_1', runId: 'snp_1' },
    activities: {
      beginSnapshot: async () => 'begun',
      stageSnapshot: refused('source_failed'),
      discardSnapshot: nothing,
      endSnapshot: failedSnapshot,
    },
    told: { what: 'The snapshot', code: 'source_failed', advice: 'test its connection' },
  },
};

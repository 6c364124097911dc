import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import { after, type Clock, dayMs, nothing, refused, type TestedProcess, yearMs } from '../process.ts';

const step = async () => ({ figures: {}, failures: [], next: null });

function maintained(clock: Clock) {
  const over = () => {
    throw ApplicationFailure.nonRetryable('The year is over.');
  };
  return {
    planLakeMaintenance: after(clock, yearMs, () => ({ waitMs: 2 * dayMs }), over),
    beginLakeMaintenanceRun: async () => randomUUID(),
    ...{ flushLakeTables: step, compactLakeTables: step, expireLakeSnapshots: step },
    ...{ removeOldLakeFiles: step, removeLakeOrphans: step, endLakeMaintenanceRun: nothing },
  };
}

export const process: TestedProcess = {
  type: 'lakeMaintenance',
  isQuick: true,
  life: (clock) => ({ input: {}, activities: maintained(clock), leastMs: yearMs }),
  failure: {
    input: {},
    activities: {
      planLakeMaintenance: (() => {
        const waits = [0];
        return async () => ({ waitMs: waits.shift() ?? 30 * 86_400_000 });
      })(),
      beginLakeMaintenanceRun: async () => 'lmr_1',
      flushLakeTables: refused('storage_unavailable'),
      ...{ compactLakeTables: step, expireLakeSnapshots: step },
      ...{ removeOldLakeFiles: step, removeLakeOrphans: step },
      endLakeMaintenanceRun: nothing,
    },
    told: {
      what: 'The step flush of run lmr_1',
      code: 'storage_unavailable',
      advice: 'bring it back',
      address: '/v1/lake-maintenance/runs/lmr_1',
    },
    goesOn: true,
  },
};

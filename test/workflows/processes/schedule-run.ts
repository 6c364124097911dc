import { after, type TestedProcess, yearMs } from '../process.ts';

export const process: TestedProcess = {
  type: 'scheduleRun',
  life: (clock) => ({
    input: { scheduleRunId: 'srn_1' },
    activities: {
      beginFire: async () => ({ kind: 'running', runId: 'wfr_1' }),
      collectFire: after<unknown>(
        clock,
        yearMs,
        () => ({ kind: 'running', runId: 'wfr_1' }),
        () => ({ kind: 'ended', status: 'succeeded' }),
      ),
    },
    leastMs: yearMs,
  }),
  failure: {
    input: { scheduleRunId: 'srn_1' },
    activities: { beginFire: async () => ({ kind: 'ended', status: 'failed' }) },
    told: { what: 'The scheduled run', code: 'schedule_run_failed', advice: 'run the schedule again' },
  },
};

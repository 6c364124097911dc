import { after, dayMs, type TestedProcess, yearMs } from '../process.ts';

export const process: TestedProcess = {
  type: 'schedule',
  life: (clock) => {
    const isOver = after(
      clock,
      yearMs,
      () => false,
      () => true,
    );
    return {
      input: { scheduleId: 'sch_1' },
      activities: {
        advanceSchedule: async (_: unknown, nowMs: number) =>
          (await isOver())
            ? { kind: 'done' }
            : { kind: 'wait', atMs: nowMs + dayMs, localTime: '', zoneId: 'UTC' },
      },
      leastMs: yearMs,
    };
  },
  neverFails: 'It waits, and reports on what it waits for.',
};

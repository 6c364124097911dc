import { after, hourMs, type TestedProcess } from '../process.ts';

export const process: TestedProcess = {
  type: 'appHealth',
  // Checks its apps twice a minute for half a day, until the last one is removed.
  life: (clock) => ({
    input: {},
    activities: {
      checkDueApps: after<unknown>(
        clock,
        12 * hourMs,
        () => ({ apps: 3, live: 2, waitMs: 30_000 }),
        () => ({ apps: 0, live: 0, waitMs: null }),
      ),
    },
    leastMs: 12 * hourMs,
  }),
  neverFails: 'It waits, and reports on what it waits for.',
};

import { after, dayMs, nothing, organizationId, type TestedProcess, yearMs } from '../process.ts';

export const process: TestedProcess = {
  type: 'organizationDeletion',
  // Waits for a year, and then for backups for a day.
  life: async (clock) => {
    const dueMs = (await clock()) + yearMs;
    return {
      input: { organizationId },
      activities: {
        async beginDeletion() {
          const waitMs = dueMs - (await clock());
          if (waitMs <= 0) return { kind: 'begun', lake: 'lak_1' };
          return { kind: 'waits', dueAt: new Date(dueMs).toISOString(), waitMs };
        },
        endProcesses: async () => 0,
        ...{ endCredentials: nothing, endLakeSessions: nothing },
        removeLakeTables: async () => ({ tables: 0, left: null }),
        removeLakeRoles: async () => [],
        removeRows: async () => ({ rows: 0, next: null }),
        removeObjects: after(
          clock,
          dayMs,
          () => 'held',
          () => 'removed',
        ),
        finishDeletion: async () => 'gone',
      },
      leastMs: yearMs + dayMs,
    };
  },
  neverFails: 'It waits, and reports on what it waits for.',
};

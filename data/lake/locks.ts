import type pg from 'pg';
import { AppError } from '../errors.ts';

export interface TableLocks {
  /** Runs `work` while nobody else, in any process, writes the table. */
  hold<T>(tableId: string, work: () => Promise<T>): Promise<T>;
}

/** How long a writer waits for the writers before it. Longer than any commit; a staged import commits in seconds. */
export const lockTimeoutMs = 60_000;

/**
 * One writer a table: callers of this process queue in memory, so that each table takes at most one
 * connection, and processes meet in a PostgreSQL advisory lock, which ends with its holder's session.
 */
export function createTableLocks(pool: pg.Pool): TableLocks {
  const tails = new Map<string, Promise<unknown>>();
  return {
    async hold(tableId, work) {
      const before = tails.get(tableId) ?? Promise.resolve();
      const turn = before.catch(() => undefined).then(() => holdAdvisoryLock(pool, tableId, work));
      tails.set(tableId, turn);
      try {
        return await turn;
      } finally {
        if (tails.get(tableId) === turn) tails.delete(tableId);
      }
    },
  };
}

async function holdAdvisoryLock<T>(pool: pg.Pool, tableId: string, work: () => Promise<T>): Promise<T> {
  const client = await pool.connect().catch((cause: unknown) => {
    throw new AppError('storage_unavailable', 'The metadata store did not answer; try again shortly.', {
      cause,
    });
  });
  let failed = true;
  try {
    await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [`table:${tableId}`]);
    const result = await work();
    await client.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [`table:${tableId}`]);
    failed = false;
    return result;
  } finally {
    // A session that did not get to its unlock is closed: that releases the lock.
    client.release(failed);
  }
}

import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';
import { AppError } from '../errors.ts';

export interface TableLocks {
  /** Runs `work` while nobody else, in any process, writes the table. */
  hold<T>(tableId: string, work: () => Promise<T>): Promise<T>;
}

/**
 * How long a writer waits for the writers before it. Longer than any commit; a staged import commits in
 * seconds.
 */
export const lockTimeoutMs = 60_000;

/**
 * What a transaction locks that commits to a table, from when its changes are written until it ends
 * (ducklake/triggers.ts).
 */
const commitKeyPrefix = 'commit:';

/** The same key in a statement, of a table's id that the expression gives. */
export function commitKey(tableId: string): string {
  return `hashtextextended('${commitKeyPrefix}' || ${tableId}, 0)`;
}

/**
 * One writer a table: callers of this process queue in memory, so that each table takes at most one
 * connection, and processes meet in a PostgreSQL advisory lock, which ends with its holder's session.
 *
 * The session that commits is the engine's, and may outlive the lock's: an engine can end after it sent its
 * COMMIT and before PostgreSQL is done with it. So whoever takes the lock also waits for such a commit.
 */
export function createTableLocks(pool: pg.Pool): TableLocks {
  const tails = new Map<string, Promise<unknown>>();
  return {
    async hold(tableId, work) {
      const before = tails.get(tableId) ?? Promise.resolve();
      const turn = before.catch(() => undefined).then(() => withAdvisoryLock(pool, tableId, work));
      tails.set(tableId, turn);
      try {
        return await turn;
      } finally {
        if (tails.get(tableId) === turn) tails.delete(tableId);
      }
    },
  };
}

async function withAdvisoryLock<T>(pool: pg.Pool, tableId: string, work: () => Promise<T>): Promise<T> {
  const client = await pool.connect().catch((cause: unknown) => {
    throw new AppError('storage_unavailable', 'The metadata store did not answer; try again shortly.', {
      cause,
    });
  });
  const lock: HeldLock = { tableId, isLost: false };
  const lose = (): void => {
    lock.isLost = true;
  };
  client.on('error', lose);
  client.on('end', lose);
  let isFree = false;
  try {
    await client.query(`SELECT pg_advisory_lock(hashtextextended($1, 0)), ${passCommits('$2::text')}`, [
      `table:${tableId}`,
      tableId,
    ]);
    const result = await heldLocks.run([...(heldLocks.getStore() ?? []), lock], work);
    // What was done is done, also when the session is gone.
    isFree = await client
      .query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [`table:${tableId}`])
      .then(
        () => true,
        () => false,
      );
    return result;
  } finally {
    client.off('error', lose);
    client.off('end', lose);
    // A session that did not get to its unlock is closed: that releases the lock.
    client.release(!isFree);
  }
}

/**
 * Waits for whatever commits to the table at this moment, and holds nothing once its own statement is over.
 */
function passCommits(tableId: string): string {
  return `pg_advisory_xact_lock(${commitKey(tableId)})`;
}

/** Waits until no commit to these tables is under way: what the ledger says of one is final then. */
export async function waitForCommits(
  pool: Pick<pg.Pool, 'query'>,
  tableIds: readonly string[],
): Promise<void> {
  for (const tableId of tableIds) await pool.query(`SELECT ${passCommits('$1::text')}`, [tableId]);
}

interface HeldLock {
  tableId: string;
  isLost: boolean;
}

/** The locks that the work under way holds. */
const heldLocks = new AsyncLocalStorage<readonly HeldLock[]>();

/** The tables whose locks the caller holds. */
export function heldTables(): string[] {
  return (heldLocks.getStore() ?? []).map(({ tableId }) => tableId);
}

/** Throws when the session of a lock that the caller holds has ended: another writer may hold it by now. */
export function refuseLostLocks(): void {
  if (heldLocks.getStore()?.some(({ isLost }) => isLost) !== true) return;
  throw new AppError(
    'storage_unavailable',
    'The lock of the table was lost before the commit; nothing was changed. Try again shortly.',
    { retryAfterSeconds: 1 },
  );
}

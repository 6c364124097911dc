import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';
import { AppError } from '../errors.ts';

export interface TableLocks {
  /** Runs `work` while no other writer, in any process, writes the table. */
  hold<T>(tableId: string, work: () => Promise<T>): Promise<T>;
  /** The same for a statement of this session that takes the lock itself (ducklake/inlined-append.ts). */
  inTurn<T>(tableId: string, statement: (session: pg.ClientBase) => Promise<T>): Promise<T>;
  /** For a statement of several tables that waits for none of their locks (ducklake/appends-together.ts). */
  atOnce<T>(statement: (session: pg.ClientBase) => Promise<T>): Promise<T>;
}

/**
 * How long a writer waits for earlier writers. Longer than any commit; a staged import commits in seconds.
 */
export const lockTimeoutMs = 60_000;

/**
 * Prefix of the lock key that a committing transaction holds for a table, from when its changes are written
 * until it ends (ducklake/triggers.ts).
 */
const commitKeyPrefix = 'commit:';

/** The same key as an SQL expression, for the table id given as an expression. */
export function commitKey(tableId: string): string {
  return `hashtextextended('${commitKeyPrefix}' || ${tableId}, 0)`;
}

/**
 * One writer per table: callers of this process queue in memory, so that each table takes at most one
 * connection. Between processes a PostgreSQL advisory lock decides, which is released when its holder's
 * session ends.
 *
 * The commit runs in the engine's session, which may outlive the lock's session: an engine can end after
 * sending COMMIT and before PostgreSQL has processed it. So the next holder of the lock also waits for such a
 * commit.
 */
export function createTableLocks(pool: pg.Pool): TableLocks {
  const tails = new Map<string, Promise<unknown>>();
  async function queued<T>(tableId: string, work: () => Promise<T>): Promise<T> {
    const before = tails.get(tableId) ?? Promise.resolve();
    const turn = before.catch(() => undefined).then(work);
    tails.set(tableId, turn);
    try {
      return await turn;
    } finally {
      if (tails.get(tableId) === turn) tails.delete(tableId);
    }
  }
  return {
    hold: (tableId, work) => queued(tableId, () => withAdvisoryLock(pool, tableId, work)),
    inTurn: (tableId, statement) => queued(tableId, () => withSession(pool, statement)),
    atOnce: (statement) => withSession(pool, statement),
  };
}

async function withSession<T>(pool: pg.Pool, statement: (session: pg.ClientBase) => Promise<T>): Promise<T> {
  const client = await connect(pool);
  let isFit = false;
  try {
    const result = await statement(client);
    isFit = true;
    return result;
  } finally {
    // After a failure it may be that the statement is still running there.
    client.release(!isFit);
  }
}

function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  return pool.connect().catch((cause: unknown) => {
    throw new AppError('storage_unavailable', "The metadata store didn't answer. Try again shortly.", {
      cause,
    });
  });
}

async function withAdvisoryLock<T>(pool: pg.Pool, tableId: string, work: () => Promise<T>): Promise<T> {
  const client = await connect(pool);
  const lock: HeldLock = { tableId, session: client, isLost: false };
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
    // The work is already committed, even if the session is gone.
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
    // If the unlock failed, closing the session releases the lock.
    client.release(!isFree);
  }
}

/** Waits for commits in progress on the table; holds nothing after its own statement. */
function passCommits(tableId: string): string {
  return `pg_advisory_xact_lock(${commitKey(tableId)})`;
}

/** Waits until no commit to these tables is in progress; what the ledger says about them is final then. */
export async function waitForCommits(
  pool: Pick<pg.Pool, 'query'>,
  tableIds: readonly string[],
): Promise<void> {
  for (const tableId of tableIds) await pool.query(`SELECT ${passCommits('$1::text')}`, [tableId]);
}

interface HeldLock {
  tableId: string;
  session: pg.ClientBase;
  isLost: boolean;
}

/** Locks held by the current async context. */
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
    'The lock of the table was lost before the commit, so nothing was changed. Try again shortly.',
    { retryAfterSeconds: 1 },
  );
}

/**
 * Runs a statement that takes the table's lock by itself: where the caller holds it already, in that session,
 * so that what it commits has not lost the lock.
 */
export async function inLockSession<T>(
  locks: TableLocks,
  tableId: string,
  statement: (session: pg.ClientBase) => Promise<T>,
): Promise<T> {
  const held = heldLocks.getStore()?.find((lock) => lock.tableId === tableId);
  if (held === undefined) return locks.inTurn(tableId, statement);
  refuseLostLocks();
  return statement(held.session);
}

/**
 * Keeps appends of the lake that commit without an engine (ducklake/inlined-append.ts) from taking the next
 * snapshot number while an engine commits, which takes several times as long and would lose each time.
 */
export async function holdOffAppends<T>(schemaName: string, commit: () => Promise<T>): Promise<T> {
  const session = heldLocks.getStore()?.at(-1)?.session;
  if (session === undefined) return commit();
  const key = [`snapshot:${schemaName}`];
  const isHeld = await session.query('SELECT pg_advisory_lock_shared(hashtextextended($1, 0))', key).then(
    () => true,
    () => false,
  );
  refuseLostLocks();
  try {
    return await commit();
  } finally {
    // If the session has ended, so has the lock.
    if (isHeld)
      await session
        .query('SELECT pg_advisory_unlock_shared(hashtextextended($1, 0))', key)
        .catch(() => undefined);
  }
}

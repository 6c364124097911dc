import { AsyncLocalStorage } from 'node:async_hooks';
import { sql, type Transaction } from 'kysely';
import type { DB } from './schema.ts';

/** What every transaction of a piece of work knows about the work. */
export interface Acting {
  /**
   * The user or client that it works for: tables that are not granted to it do not exist. Undefined for the
   * service itself, and for administrators, who see all.
   */
  principalId: string | undefined;
  /**
   * Called in each transaction of the work before it commits, with what the transaction returns. What it
   * returns is called after the commit.
   */
  beforeCommit?: (db: Transaction<DB>, result: unknown) => Promise<(() => void) | undefined>;
  /** Called with the id of each process that a transaction of the work starts. */
  processStarted?: (workflowId: string) => void;
}

const store = new AsyncLocalStorage<Acting>();
const asService: Acting = { principalId: undefined };

export const acting = (): Acting => store.getStore() ?? asService;

/** Runs `work` as described. */
export function actingAs<T>(described: Acting, work: () => T): T {
  return store.run(described, work);
}

/** Runs `work` for the service itself: shared work, which a request only happened to begin. */
export function actingAsService<T>(work: () => T): T {
  return store.run(asService, work);
}

/** A principal to whom no table exists. */
export const nobody = 'nobody';

/**
 * Runs `work` of a transaction so that it sees every row of the organization, whomever the transaction works
 * for: for names that must be free and rows that must not be left behind. Not for what is shown.
 */
export async function unrestricted<T>(transaction: Transaction<DB>, work: () => Promise<T>): Promise<T> {
  const { rows } = await sql<{ before: string | null }>`
    SELECT current_setting('app.principal_id', true) AS before`.execute(transaction);
  const restore = () => restrictTo(transaction, rows[0]?.before ?? undefined);
  await restrictTo(transaction, undefined);
  const result = await work().catch(async (error: unknown) => {
    // Of a transaction that the database gave up nothing can be set, nor read.
    await restore().catch(() => undefined);
    throw error;
  });
  await restore();
  return result;
}

/** Makes the rest of one transaction work for a principal. */
export async function restrictTo(
  transaction: Transaction<DB>,
  principalId: string | undefined,
): Promise<void> {
  await sql`SELECT set_config('app.principal_id', ${principalId ?? ''}, true)`.execute(transaction);
}

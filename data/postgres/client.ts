import './types.ts';
import { AsyncLocalStorage } from 'node:async_hooks';
import { Kysely, sql, type Transaction } from 'kysely';
import pg from 'pg';
import { createFairSlots, type FairSlots } from '../process-pool/fair-slots.ts';
import { acting } from './acting.ts';
import type { DB } from './schema.ts';
import { beginWith, type Scope, ScopedPostgresDialect } from './scoped-dialect.ts';
import { becomeService, usualServiceRole } from './session.ts';

export type Database = Kysely<DB>;
export type OrganizationTransaction = Transaction<DB>;

/** Maximum wait for a connection: if the database hangs, the request fails instead of waiting. */
const longestWaitMs = 5_000;

export interface DatabaseOptions {
  url: string;
  maxConnections: number;
  applicationName: string;
}

const sessionSettings = { statement_timeout: '30s', idle_in_transaction_session_timeout: '60s' };

/**
 * A pool whose sessions all run as the service's role, or are not used: the role owns nothing, so
 * row-level security applies to everything that goes through it.
 */
export function createDatabase(options: DatabaseOptions): { db: Database; pool: pg.Pool } {
  let role = usualServiceRole;
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.maxConnections,
    application_name: options.applicationName,
    async onConnect(client) {
      role = await becomeService(client, sessionSettings);
    },
    connectionTimeoutMillis: longestWaitMs,
    keepAlive: true,
  });
  // A connection that dies while idle is replaced at the next use; without a listener the error would end the
  // process.
  pool.on('error', () => undefined);
  // The same for a connection in use: its query fails, and its caller gets the error.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const db = new Kysely<DB>({ dialect: new ScopedPostgresDialect(pool, () => role) });
  const shared = Math.max(1, options.maxConnections - unsharedConnections);
  slotsOf.set(db, createFairSlots(shared, { perOwner: Math.ceil(shared / 2) }));
  return { db, pool };
}

/** For queries outside of any organization: looking up a token's owner, or processes to start. */
const unsharedConnections = 2;
/**
 * Connections are handed out to organizations in rotation, at most half of them to one, so that a hundred
 * requests of one do not delay the first of another.
 */
const slotsOf = new WeakMap<Database, FairSlots>();
const holding = new AsyncLocalStorage<Database>();

function inTurn<T>(db: Database, organizationId: string, work: () => Promise<T>): Promise<T> {
  const slots = slotsOf.get(db);
  // A nested transaction must not wait for a turn that may come only after the outer one has ended.
  if (slots === undefined || holding.getStore() === db) return work();
  return new Promise<T>((resolve, reject) => {
    let isGivenUp = false;
    const timer = setTimeout(() => {
      isGivenUp = true;
      // The pool's own wording, which is reported as an unavailable store.
      reject(new Error('timeout exceeded when trying to connect'));
    }, longestWaitMs);
    slots(organizationId, async () => {
      clearTimeout(timer);
      if (!isGivenUp) await holding.run(db, work).then(resolve, reject);
    }).catch(reject);
  });
}

/**
 * Runs `work` in one transaction that sees this organization's rows and no others, and of its tables only
 * those granted to the current principal.
 *
 * @param settings PostgreSQL's own, of this transaction
 */
export function inOrganization<T>(
  db: Database,
  organizationId: string,
  work: (transaction: OrganizationTransaction) => Promise<T>,
  settings: Scope = {},
): Promise<T> {
  return inTurn(db, organizationId, async () => {
    let committed: (() => void) | undefined;
    const result = await beginWith({ ...settings, ...scopeOf(organizationId) }, (within) =>
      db.transaction().execute((transaction) =>
        within(async () => {
          const given = await work(transaction);
          committed = await acting().beforeCommit?.(transaction, given);
          return given;
        }),
      ),
    );
    committed?.();
    return result;
  });
}

/**
 * Runs a part of a transaction in another organization: for what belongs to a person rather than to an
 * organization, and must be one commit.
 */
export async function withinOrganization<T>(
  transaction: OrganizationTransaction,
  organizationId: string,
  work: () => Promise<T>,
): Promise<T> {
  const setTo = (id: string | null) =>
    sql<{ before: string | null }>`
      SELECT current_organization() AS before, set_config('app.organization_id', ${id ?? ''}, true)`.execute(
      transaction,
    );
  const { rows } = await setTo(organizationId);
  const result = await work();
  // Not after a failure, which ends the transaction.
  await setTo(rows[0]!.before);
  return result;
}

/** The same for reads that must be consistent with each other: all of them see one snapshot. */
export function inOneMoment<T>(
  db: Database,
  organizationId: string,
  work: (transaction: OrganizationTransaction) => Promise<T>,
): Promise<T> {
  return inTurn(db, organizationId, () =>
    beginWith(scopeOf(organizationId), (within) =>
      db
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute((transaction) => within(() => work(transaction))),
    ),
  );
}

const scopeOf = (organizationId: string): Scope => ({
  'app.organization_id': organizationId,
  'app.principal_id': acting().principalId ?? '',
});

/** True for the unique violation of the named index. */
export function isUniqueViolation(error: unknown, index?: string): boolean {
  return (
    error instanceof pg.DatabaseError &&
    error.code === '23505' &&
    (index === undefined || error.constraint === index)
  );
}

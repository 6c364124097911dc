import { AsyncLocalStorage } from 'node:async_hooks';
import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import pg from 'pg';
import { parseExactJson } from '../exact-json.ts';
import { createFairSlots, type FairSlots } from '../process-pool/fair-slots.ts';
import type { DB } from './schema.ts';

export type Database = Kysely<DB>;
export type OrganizationTransaction = Transaction<DB>;

const int8Oid = 20;
/** Every bigint this service keeps in Postgres is a count, a size or a snapshot number: far below 2^53. */
pg.types.setTypeParser(int8Oid, Number);
/** Semantics and the like come back with the numbers they went in with. */
for (const jsonOid of [114, 3802]) pg.types.setTypeParser(jsonOid, parseExactJson);

/** For a connection: a database that hangs is told of, and not waited for. */
const longestWaitMs = 5_000;

export interface DatabaseOptions {
  url: string;
  maxConnections: number;
  applicationName: string;
}

/**
 * A pool whose sessions run as `workspace_service` from their first byte: the role owns nothing, so
 * row-level security applies to everything that goes through it.
 */
export function createDatabase(options: DatabaseOptions): { db: Database; pool: pg.Pool } {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.maxConnections,
    application_name: options.applicationName,
    options:
      '-c role=workspace_service -c statement_timeout=30000 -c idle_in_transaction_session_timeout=60000',
    connectionTimeoutMillis: longestWaitMs,
    keepAlive: true,
  });
  // A connection that dies while idle is replaced at the next use; without a listener it would end the
  // process.
  pool.on('error', () => undefined);
  // The same for one that is in use: its query fails, which is heard where it was asked.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) });
  slotsOf.set(db, createFairSlots(Math.max(1, options.maxConnections - unsharedConnections)));
  return { db, pool };
}

/** For what is asked outside of any organization: whose a token is, what processes there are to start. */
const unsharedConnections = 2;
/**
 * Connections are handed out by organization in rotation: a hundred requests of one are not before the first
 * of another.
 */
const slotsOf = new WeakMap<Database, FairSlots>();
const holding = new AsyncLocalStorage<Database>();

function inTurn<T>(db: Database, organizationId: string, work: () => Promise<T>): Promise<T> {
  const slots = slotsOf.get(db);
  // A transaction within another one must not wait for a turn that may come only when it has ended.
  if (slots === undefined || holding.getStore() === db) return work();
  return new Promise<T>((resolve, reject) => {
    let isGivenUp = false;
    const timer = setTimeout(() => {
      isGivenUp = true;
      // As the pool says it, which is told as a store that is away.
      reject(new Error('timeout exceeded when trying to connect'));
    }, longestWaitMs);
    slots(organizationId, async () => {
      clearTimeout(timer);
      if (!isGivenUp) await holding.run(db, work).then(resolve, reject);
    }).catch(reject);
  });
}

/** Runs `work` in one transaction that sees this organization's rows and no others. */
export function inOrganization<T>(
  db: Database,
  organizationId: string,
  work: (transaction: OrganizationTransaction) => Promise<T>,
): Promise<T> {
  return inTurn(db, organizationId, () =>
    db.transaction().execute(async (transaction) => {
      await sql`SELECT set_config('app.organization_id', ${organizationId}, true)`.execute(transaction);
      return work(transaction);
    }),
  );
}

/** The same for reads that must agree with one another: all of them see one moment. */
export function inOneMoment<T>(
  db: Database,
  organizationId: string,
  work: (transaction: OrganizationTransaction) => Promise<T>,
): Promise<T> {
  return inTurn(db, organizationId, () =>
    db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (transaction) => {
        await sql`SELECT set_config('app.organization_id', ${organizationId}, true)`.execute(transaction);
        return work(transaction);
      }),
  );
}

/** True for the unique violation of the named index. */
export function isUniqueViolation(error: unknown, index?: string): boolean {
  return (
    error instanceof pg.DatabaseError &&
    error.code === '23505' &&
    (index === undefined || error.constraint === index)
  );
}

import type pg from 'pg';
import { scramVerifier } from '../postgres/scram.ts';
import { identifier, literal } from './sql.ts';

const mostConnections = 8;
/** Names of these roles: the ids of lake credentials. */
const namePattern = '^lcr_[0-9a-z]{26}$';
/**
 * What one session may spill when it sorts, joins or keeps a cursor; its holder cannot change it. PostgreSQL
 * counts by session, so all sessions of a role together spill at most 1 GB.
 */
const mostTemporary = '128MB';
/** PostgreSQL's word for a role that somebody else changed at that moment. */
const changedMeanwhile = 'XX000';
const notThere = '42704';
const notPermitted = '42501';

interface ReadingRole {
  name: string;
  password: string;
  /** Of the lake's catalog. */
  schema: string;
  /** The service's own reader of the lake, whose name is another one in a copy of the database. */
  reader: string;
  expiresAt: Date | null;
}

/** Makes a role that may read one lake's catalog, or gives it another password. May be repeated. */
export async function makeReadingRole(pool: pg.Pool, asked: ReadingRole): Promise<void> {
  await retried(() => inTransaction(pool, (client) => make(client, asked)));
}

async function make(
  client: pg.PoolClient,
  { name, password, schema, reader, expiresAt }: ReadingRole,
): Promise<void> {
  // Of two that make roles of the same lake, the second one finds what the first one made.
  await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`readers:${schema}`]);
  const readers = await makeReaders(client, schema, readersOf(reader));
  const role = identifier(name);
  if (!(await isThere(client, name))) await client.query(`CREATE ROLE ${role}`);
  // Whoever ends its sessions must be a member.
  await client.query(`GRANT ${role} TO CURRENT_USER`);
  await client.query(`GRANT ${readers} TO ${role} WITH INHERIT TRUE, SET FALSE`);
  await client.query(`ALTER ROLE ${role} SET default_transaction_read_only = on`);
  await client.query('SAVEPOINT limited');
  await client
    .query(`ALTER ROLE ${role} SET temp_file_limit = ${literal(mostTemporary)}`)
    .catch(async (error: unknown) => {
      // An owner that may not set it leaves it as it is for everybody.
      if (codeOf(error) !== notPermitted) throw error;
      await client.query('ROLLBACK TO limited');
    });
  const until = literal(expiresAt?.toISOString() ?? 'infinity');
  const verifier = literal(scramVerifier(password));
  await client.query(
    `ALTER ROLE ${role} LOGIN PASSWORD ${verifier} CONNECTION LIMIT ${mostConnections} VALID UNTIL ${until}`,
  );
}

/** The group of those who read a lake besides the service. */
export const readersOf = (reader: string): string => `${reader}s`;

/**
 * The group of a lake's roles, which may read its catalog but not the ledger. The service's own reader is not
 * one of them: members may end each other's sessions.
 */
async function makeReaders(client: pg.PoolClient, schemaName: string, name: string): Promise<string> {
  const readers = identifier(name);
  const schema = identifier(schemaName);
  if (await isThere(client, name)) return readers;
  await client.query(`CREATE ROLE ${readers} NOLOGIN`);
  // First those to come, so that no table is left out.
  await client.query(`ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT SELECT ON TABLES TO ${readers}`);
  await client.query(`GRANT USAGE ON SCHEMA ${schema} TO ${readers}`);
  await client.query(`GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${readers}`);
  await client.query(
    `REVOKE ALL ON ${schema}.workspace_operation, ${schema}.workspace_table FROM ${readers}`,
  );
  return readers;
}

async function isThere(client: pg.PoolClient, name: string): Promise<boolean> {
  return (await client.query('SELECT FROM pg_roles WHERE rolname = $1', [name])).rowCount === 1;
}

/** Ends the role's sessions and lets none begin, whatever its holder does. May be repeated. */
export async function endReadingRole(pool: pg.Pool, name: string): Promise<void> {
  const end = () =>
    pool.query('SELECT pg_terminate_backend(pid, 2000) FROM pg_stat_activity WHERE usename = $1', [name]);
  await end();
  const close = () => pool.query(`ALTER ROLE ${identifier(name)} NOLOGIN CONNECTION LIMIT 0`);
  await retried(close).catch((error: unknown) => {
    if (codeOf(error) !== notThere) throw error;
  });
  await end();
}

/**
 * Drops roles that have ended. One that cannot be dropped stays: without login and sessions it can do
 * nothing. What keeps it is mostly in another database, made by its holder.
 */
export async function dropEndedRoles(pool: pg.Pool, atMost: number): Promise<void> {
  const { rows } = await pool.query<{ rolname: string }>(
    'SELECT rolname FROM pg_roles WHERE rolname ~ $1 AND NOT rolcanlogin ORDER BY random() LIMIT $2',
    [namePattern, atMost],
  );
  for (const { rolname } of rows) {
    const role = identifier(rolname);
    const drop = inTransaction(pool, async (client) => {
      await client.query(`SET LOCAL lock_timeout = '2s'`);
      await client.query(`DROP OWNED BY ${role}`);
      await client.query(`DROP ROLE ${role}`);
    });
    await drop.catch(() => undefined);
  }
}

/** Gives roles that were made with another limit of what they spill the one of today. */
export async function limitOlderRoles(pool: pg.Pool, atMost: number): Promise<void> {
  const { rows } = await pool.query<{ rolname: string }>(
    `SELECT rolname FROM pg_roles WHERE rolname ~ $1 AND rolcanlogin
       AND EXISTS (SELECT FROM unnest(rolconfig) AS setting
         WHERE setting LIKE 'temp_file_limit=%' AND setting <> 'temp_file_limit=' || $2)
     LIMIT $3`,
    [namePattern, mostTemporary, atMost],
  );
  for (const { rolname } of rows)
    await retried(() =>
      pool.query(`ALTER ROLE ${identifier(rolname)} SET temp_file_limit = ${literal(mostTemporary)}`),
    );
}

/**
 * Ends sessions of holders that cost others too much: those in one transaction for an hour, which keeps
 * PostgreSQL from removing old rows of everybody; those that are idle for an hour, which may keep cursors
 * with what they spilled; those that others wait for; and all of them while the queue of notifications fills.
 * Returns how many.
 */
export async function endCostlyReadings(pool: pg.Pool, within = '1 hour'): Promise<number> {
  const { rowCount } = await pool.query(
    `SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a
     WHERE a.usename ~ $1 AND (
       a.xact_start < now() - $2::interval
       OR a.state = 'idle' AND a.state_change < now() - $2::interval
       OR pg_notification_queue_usage() > 0.02
       OR a.pid IN (
         SELECT unnest(pg_blocking_pids(w.pid)) FROM pg_stat_activity w
         WHERE w.wait_event_type = 'Lock' AND w.usename !~ $1))`,
    [namePattern, within],
  );
  return rowCount ?? 0;
}

async function inTransaction(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await work(client);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}

async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (codeOf(error) !== changedMeanwhile || attempt === 10) throw error;
    }
  }
}

const codeOf = (error: unknown) => (error as { code?: string }).code;

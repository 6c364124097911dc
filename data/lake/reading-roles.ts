import type pg from 'pg';
import { scramVerifier } from '../postgres/scram.ts';
import { identifier, literal } from './sql.ts';

/**
 * A session of such a role is ended after this time in one transaction: it would keep PostgreSQL from
 * removing old rows of everybody.
 */
const transactionWithin = '1 hour';
const mostConnections = 8;
/** Names of these roles: the ids of lake credentials. */
const namePattern = '^lcr_[0-9a-z]{26}$';

interface ReadingRole {
  name: string;
  password: string;
  /** The role whose rights it gets. */
  reader: string;
  expiresAt: Date | null;
}

/** Makes a role that may read one lake's catalog, or gives it another password. May be repeated. */
export async function makeReadingRole(
  pool: pg.Pool,
  { name, password, reader, expiresAt }: ReadingRole,
): Promise<void> {
  const role = identifier(name);
  const until = literal(expiresAt?.toISOString() ?? 'infinity');
  await pool.query(`CREATE ROLE ${role} NOLOGIN`).catch((error: unknown) => {
    if ((error as { code?: string }).code !== '42710') throw error;
  });
  // Whoever ends its sessions must be a member.
  await pool.query(`GRANT ${role} TO CURRENT_USER`);
  // It may not become the reader, who could change its own password.
  await pool.query(`GRANT ${identifier(reader)} TO ${role} WITH INHERIT TRUE, SET FALSE`);
  await pool.query(`ALTER ROLE ${role} SET default_transaction_read_only = on`);
  const verifier = literal(scramVerifier(password));
  const limits = `CONNECTION LIMIT ${mostConnections} VALID UNTIL ${until}`;
  await pool.query(`ALTER ROLE ${role} LOGIN PASSWORD ${verifier} ${limits}`);
}

/** Ends the role and its sessions. May be repeated. */
export async function removeReadingRole(pool: pg.Pool, name: string): Promise<void> {
  const role = identifier(name);
  const { rows } = await pool.query<{ oid: number }>('SELECT oid FROM pg_roles WHERE rolname = $1', [name]);
  const oid = rows[0]?.oid;
  if (oid === undefined) return;
  // First, so that no session begins any more.
  await pool.query(`ALTER ROLE ${role} NOLOGIN CONNECTION LIMIT 0`);
  await pool.query(`GRANT ${role} TO CURRENT_USER`);
  await endSessions(pool, oid);
  await pool.query(`DROP OWNED BY ${role}`);
  await pool.query(`DROP ROLE IF EXISTS ${role}`);
  // One that was just being begun.
  await endSessions(pool, oid);
}

async function endSessions(pool: pg.Pool, oid: number): Promise<void> {
  await pool.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usesysid = $1', [oid]);
}

/** Ends sessions that are in one transaction for too long. Returns how many. */
export async function endLongReadings(pool: pg.Pool, within = transactionWithin): Promise<number> {
  const { rowCount } = await pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE usename ~ $1 AND datname = current_database() AND xact_start < now() - $2::interval`,
    [namePattern, within],
  );
  return rowCount ?? 0;
}

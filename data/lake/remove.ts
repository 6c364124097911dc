import type pg from 'pg';
import { lakeLock } from './provision.ts';
import { readersOf } from './reading-roles.ts';
import { identifier } from './sql.ts';

/** Each table of a transaction keeps its locks, and those of its indexes, to the end. */
const tablesAtOnce = 50;
/** PostgreSQL's words for a role that is named elsewhere, and for what is not there. */
const stillNamed = '2BP01';
const notThere = '42704';

interface RemovedLake {
  organizationId: string;
  schema: string;
}

/**
 * Removes tables of a lake's catalog, at most fifty, or the schema without tables; `left` of null says that
 * the schema is gone.
 */
export async function removeSomeTables(
  pool: pg.Pool,
  { organizationId, schema }: RemovedLake,
): Promise<{ removed: number; left: number | null }> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(`SET LOCAL lock_timeout = '10s'`);
    await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [lakeLock(organizationId)]);
    const { rows } = await client.query<{ name: string; tables: number }>(
      `SELECT relname AS name, count(*) OVER () AS tables FROM pg_class
       WHERE relnamespace = to_regnamespace($1) AND relkind IN ('r', 'p') ORDER BY relname LIMIT $2`,
      [identifier(schema), tablesAtOnce],
    );
    const names = rows.map(({ name }) => `${identifier(schema)}.${identifier(name)}`);
    if (names.length > 0) await client.query(`DROP TABLE ${names.join(', ')} CASCADE`);
    else await client.query(`DROP SCHEMA IF EXISTS ${identifier(schema)} CASCADE`);
    await client.query('COMMIT');
    const removed = names.length;
    return { removed, left: removed === 0 ? null : rows[0]!.tables - removed };
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}

/**
 * The roles that were made to read a lake: the members of a group, by which they are found, and then the
 * group and the service's own.
 */
export async function rolesOfLake(pool: pg.Pool, schema: string): Promise<string[]> {
  const { rows: lakes } = await pool.query<{ reader: string }>(
    'SELECT reader_role AS reader FROM lakes WHERE schema_name = $1',
    [schema],
  );
  const [reader] = lakes.map((lake) => lake.reader);
  if (reader === undefined) return [];
  const { rows } = await pool.query<{ name: string }>(
    `SELECT member.rolname AS name FROM pg_auth_members m
     JOIN pg_roles member ON member.oid = m.member JOIN pg_roles grouped ON grouped.oid = m.roleid
     WHERE grouped.rolname = $1 AND member.rolname ~ '^lcr_'
     UNION ALL SELECT rolname FROM pg_roles WHERE rolname IN ($1, $2)`,
    [readersOf(reader), reader],
  );
  return rows.map(({ name }) => name);
}

/** Ends the sessions of roles in this database. May be repeated. */
export async function endSessions(pool: pg.Pool, roles: readonly string[]): Promise<void> {
  await pool.query(
    `SELECT pg_terminate_backend(pid, 2000) FROM pg_stat_activity
     WHERE usename = ANY ($1) AND datname = current_database()`,
    [roles],
  );
}

/**
 * Drops a role; true if it is gone. False if another database of the same server names it too, such as a
 * restored copy: there it may still be needed.
 */
export async function dropRole(pool: pg.Pool, name: string): Promise<boolean> {
  const role = identifier(name);
  try {
    // Only a member may drop what belongs to it.
    await pool.query(`GRANT ${role} TO CURRENT_USER`);
    await pool.query(`DROP OWNED BY ${role}`);
    await pool.query(`DROP ROLE ${role}`);
    return true;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === notThere) return true;
    if (code === stillNamed) return false;
    throw error;
  }
}

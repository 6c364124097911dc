import { sql } from 'kysely';
import pg from 'pg';
import type { Cipher } from '../../data/encryption.ts';
import { createDatabase, inOrganization } from '../../data/postgres/client.ts';
import { findServiceRole } from '../../data/postgres/session.ts';
import { oldestPostgres } from '../../migrations/migrate.ts';
import { schemaState } from '../../migrations/state.ts';
import { compareClock } from './clock.ts';
import { checked, Failed, type Finding, messageOf } from './finding.ts';

const sampledOrganizations = 100;

/** Everything that can be asked of PostgreSQL. Without a connection, the rest is left out. */
export async function examinePostgres(databaseUrl: string, cipher: Cipher): Promise<Finding[]> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 4_000 });
  client.on('error', () => undefined);
  const server = await checked('PostgreSQL', () => connected(client), explainConnection);
  if (server.state === 'failed') {
    await client.end().catch(() => undefined);
    return [server];
  }
  try {
    const migrated = await checked(
      'Schema',
      () => schema(client),
      asIs('Check the table schema_migrations.'),
    );
    const permitted = await checked(
      'Rights',
      () => rights(client),
      asIs('Connect as a role that can create roles and schemas.'),
    );
    // Before, the role of the service may not be there.
    if (migrated.state === 'failed') return [server, permitted, migrated];
    const findings = [
      server,
      permitted,
      migrated,
      await checked('Sessions', () => sessions(client, databaseUrl), asIs(sessionsTodo)),
      await checked(
        'Clock of PostgreSQL',
        () => compareClock('PostgreSQL', () => clock(client)),
        asIs('Check the clocks of both machines.'),
      ),
    ];
    const isUsable = findings.every(({ state }) => state !== 'failed');
    return isUsable
      ? [
          ...findings,
          await checked('Encryption keys', () => keys(databaseUrl, cipher), asIs('Look at ENCRYPTION_KEYS.')),
        ]
      : findings;
  } finally {
    await client.end().catch(() => undefined);
  }
}

const asIs = (todo: string) => () => ({ todo });

async function connected(client: pg.Client): Promise<string> {
  await client.connect();
  return serverVersion(client);
}

/** @throws Failed for a server that is too old: it would be migrated, and fail later */
export async function serverVersion(client: Pick<pg.Client, 'query'>): Promise<string> {
  const { rows } = await client.query<{ number: string; version: string; name: string }>(
    `SELECT current_setting('server_version_num') AS number, current_setting('server_version') AS version,
       current_database() AS name`,
  );
  const { number, version, name } = rows[0]!;
  if (Number(number) < oldestPostgres * 10_000)
    throw new Failed(
      `The server has version ${version}; this service needs ${oldestPostgres} or newer.`,
      'Upgrade PostgreSQL, or set DATABASE_URL to another server.',
      { isFatal: true },
    );
  return `version ${version}, database ${name}`;
}

function explainConnection(error: Error): { found?: string; todo: string } {
  const { code } = error as { code?: string };
  const found = messageOf(error);
  if (code === '28P01' || code === '28000')
    return { found, todo: 'Correct the user and password in DATABASE_URL.' };
  if (code === '3D000') return { found, todo: 'Create the database, or correct its name in DATABASE_URL.' };
  return {
    found,
    todo: 'Check the host and port in DATABASE_URL. Check that the server is running and that this machine can reach it.',
  };
}

async function schema(client: pg.Client): Promise<string | { found: string; todo: string }> {
  const { missing, changed, unknown } = await schemaState(client);
  if (changed.length > 0)
    throw new Failed(
      `The migration ${changed[0]} was applied with different content.`,
      'Run the release that this database belongs to.',
    );
  if (missing.length > 0)
    throw new Failed(
      `${missing.length} ${missing.length === 1 ? 'migration is' : 'migrations are'} missing, from ${missing[0]} on.`,
      'Run `npm run migrate` with this DATABASE_URL.',
    );
  if (unknown.length > 0)
    return {
      found: `The database is ${unknown.length} migrations ahead of this release (${unknown.at(-1)}).`,
      todo: 'This is normal during an upgrade. Afterwards, replace this process with the newer release.',
    };
  return 'migrated to this release';
}

async function rights(client: pg.Client): Promise<string> {
  const serviceRole = await findServiceRole(client);
  const { rows } = await client.query<{ name: string; roles: boolean; schemas: boolean; member: boolean }>(
    `SELECT rolname AS name, rolcreaterole OR rolsuper AS roles,
       has_database_privilege(current_database(), 'CREATE') AS schemas,
       coalesce((SELECT pg_has_role(current_user, oid, 'SET') OR pg_has_role(current_user, oid, 'MEMBER WITH ADMIN OPTION')
         FROM pg_roles WHERE rolname = $1), true) AS member
     FROM pg_roles WHERE rolname = current_user`,
    [serviceRole ?? null],
  );
  const { name, roles, schemas, member } = rows[0]!;
  const quoted = client.escapeIdentifier(name);
  if (!roles)
    throw new Failed(`The role ${name} can't create roles.`, `Run: ALTER ROLE ${quoted} CREATEROLE`);
  if (!schemas)
    throw new Failed(
      `The role ${name} can't create schemas in this database.`,
      `Run: GRANT CREATE ON DATABASE … TO ${quoted}`,
    );
  // Another role migrated this database.
  if (!member)
    throw new Failed(
      `The role ${name} can't switch to the role ${serviceRole}.`,
      `As the role that created it, or as a superuser, run: GRANT ${serviceRole} TO ${quoted} WITH ADMIN OPTION`,
    );
  return `${name} can create roles and schemas`;
}

const sessionsTodo =
  'Connect without a pooler, or use a pooler in session mode (pgbouncer: pool_mode = session).';

/**
 * The role that sessions have once they are prepared, and whether they stay one session: behind a pooler that
 * lends a connection for a transaction, the next statement may run as another role and see all rows.
 */
async function sessions(client: pg.Client, databaseUrl: string): Promise<string> {
  const { pool } = createDatabase({ url: databaseUrl, maxConnections: 1, applicationName: 'doctor' });
  try {
    const { rows } = await pool.query<{ name: string }>('SELECT current_user AS name');
    const serviceRole = await findServiceRole(client);
    if (rows[0]?.name !== serviceRole)
      throw new Failed(`Sessions run as ${rows[0]?.name}, not as ${serviceRole}.`, sessionsTodo, {
        isFatal: true,
      });
    const pidOf = async (of: Pick<pg.Client, 'query'>) =>
      (await of.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]!.pid;
    const own = await pidOf(client);
    const other = await pool.connect();
    try {
      await other.query('BEGIN');
      const lent = await pidOf(other);
      await other.query('ROLLBACK');
      if (lent === own)
        throw new Failed('A pooler shares one connection between several sessions.', sessionsTodo, {
          isFatal: true,
        });
    } finally {
      other.release();
    }
    return `they run as ${serviceRole}`;
  } finally {
    await pool.end();
  }
}

async function clock(client: pg.Client): Promise<Date> {
  const { rows } = await client.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  return rows[0]!.now;
}

/** Opens some of what is stored: a key under a known id may still be another key. */
async function keys(databaseUrl: string, cipher: Cipher): Promise<string> {
  const { db } = createDatabase({ url: databaseUrl, maxConnections: 1, applicationName: 'doctor' });
  const todo = 'Add the previous key to ENCRYPTION_KEYS. Without it, its secrets are lost.';
  let opened = 0;
  try {
    const { rows } = await sql<{ id: string }>`
      SELECT id FROM organizations_after('', ${sampledOrganizations}) AS id`.execute(db);
    for (const { id } of rows) {
      const found = await inOrganization(db, id, (transaction) =>
        transaction.selectFrom('lakes').select('reader_password').execute(),
      );
      for (const { reader_password: sealed } of found) {
        if (sealed === null) continue;
        try {
          cipher.open(sealed);
          opened += 1;
        } catch (error) {
          const { message } = error as Error;
          const isKnown = !message.startsWith('No encryption key');
          throw new Failed(
            isKnown ? "A stored secret can't be decrypted. Its key ID now names a different key." : message,
            todo,
            { isFatal: true },
          );
        }
      }
    }
  } finally {
    await db.destroy();
  }
  return `${cipher.keyIds.join(', ')}; ${opened} stored secrets decrypted`;
}

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, inOrganization } from '../../data/postgres/client.ts';
import { migrateToLatest } from '../../migrations/migrate.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase } from '../support/workspace.ts';

const closers: (() => Promise<unknown> | unknown)[] = [];
let databaseUrl: string;
let folder: string;
let client: pg.Client;

beforeAll(async () => {
  databaseUrl = await createTestDatabase(closers);
  folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await rm(folder, { recursive: true, force: true });
  for (const close of closers) await close();
});

const write = (name: string, text: string) => writeFile(join(folder, name), text);
const migrate = () => migrateToLatest(databaseUrl, pathToFileURL(`${folder}/`));

test('a migration that has to wait for a lock lets others through meanwhile, and comes again', async () => {
  await write('9001_waits.sql', 'ALTER TABLE organizations ADD COLUMN waited boolean;');
  await client.query('BEGIN');
  await client.query('SELECT FROM organizations');
  const migrating = migrate();
  const waiting = async () =>
    (await client.query(`SELECT FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND NOT granted`)).rowCount;
  await eventually(waiting, (sessions) => sessions === 1);
  // Its attempt ends before a request would time out, although the lock is still held.
  const other = new pg.Client({ connectionString: databaseUrl, statement_timeout: 30_000 });
  await other.connect();
  await other.query('SELECT FROM organizations');
  await other.end();
  await client.query('COMMIT');
  expect(await migrating).toEqual({ applied: ['9001_waits.sql'] });
  await client.query('SELECT waited FROM organizations');
});

test('an index that was cut off while it was built is built anew', async () => {
  const name = '9002_index.sql';
  const index = 'CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS numbers_n ON numbers (n);';
  await write(name, `-- outside a transaction\n${index}`);
  await client.query('CREATE TABLE numbers (n integer)');
  await client.query('INSERT INTO numbers VALUES (1), (1)');
  await expect(migrate()).rejects.toThrow(/9002_index.sql failed: could not create unique index/);
  await client.query('DELETE FROM numbers');
  expect(await migrate()).toEqual({ applied: [name] });
  const { rows } = await client.query(
    `SELECT indisvalid FROM pg_index WHERE indexrelid = 'numbers_n'::regclass`,
  );
  expect(rows).toEqual([{ indisvalid: true }]);
});

test('a file that changed after it was applied is refused', async () => {
  await write(
    '9002_index.sql',
    '-- outside a transaction\nCREATE INDEX CONCURRENTLY IF NOT EXISTS other ON numbers (n);',
  );
  await expect(migrate()).rejects.toThrow(/9002_index.sql changed after it was applied/);
});

test('a second deployment of a cluster has a role of its own, and neither can become the other', async () => {
  const [first, second] = [await createDeployment(), await createDeployment()];
  // The usual name is taken by whoever came first, here the one that serves these tests.
  for (const { url, login } of [first, second]) {
    await migrateToLatest(url);
    const { db, pool } = createDatabase({ url, maxConnections: 1, applicationName: 'test' });
    const { rows } = await pool.query('SELECT current_user AS name');
    expect(rows).toEqual([{ name: `${login}_service` }]);
    const id = `org_${login}`;
    await inOrganization(db, id, (transaction) =>
      sql`INSERT INTO organizations (id, name, slug) VALUES (${id}, 'Mine', ${login})`.execute(transaction),
    );
    await pool.end();
    expect(await migrateToLatest(url)).toEqual({ applied: [] });
  }
  const foreign = new URL(second.url);
  foreign.username = first.login;
  const { pool } = createDatabase({ url: String(foreign), maxConnections: 1, applicationName: 'test' });
  await expect(pool.query('SELECT id FROM organizations')).rejects.toThrow(/^permission denied/);
  await pool.end();
});

/** A login role with an empty database of its own. */
async function createDeployment(): Promise<{ url: string; login: string }> {
  const login = `two_${randomBytes(6).toString('hex')}`;
  await client.query(`CREATE ROLE ${login} LOGIN CREATEROLE PASSWORD 'other'`);
  await client.query(`CREATE DATABASE ${login} OWNER ${login} TEMPLATE template0`);
  closers.unshift(async () => {
    const end = new pg.Client({ connectionString: databaseUrl });
    await end.connect();
    await end.query(`DROP DATABASE ${login} WITH (FORCE)`);
    await end.query(`DROP ROLE IF EXISTS ${login}_service`);
    await end.query(`DROP ROLE ${login}`);
    await end.end();
  });
  const url = new URL(databaseUrl);
  url.pathname = login;
  url.username = login;
  url.password = 'other';
  return { url: String(url), login };
}

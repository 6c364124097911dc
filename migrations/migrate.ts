import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { chooseServiceRole } from './service-role.ts';

const folder = new URL('.', import.meta.url);
/** Concurrent migrators of one database take turns on this advisory lock. */
const lockKey = 7_105_443_001;

/**
 * A migration that waits for a lock blocks everyone queued behind it, so it times out quickly and is retried.
 */
const lockTimeoutMs = 2_000;
const lockTries = 30;
const lockPauseMs = 1_000;

/** The first line of a file with a single statement that PostgreSQL accepts only outside a transaction. */
const outsideTransaction = '-- outside a transaction';

/** Runs `work` while nobody migrates the database. */
export async function withoutMigrations<T>(databaseUrl: string, work: () => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock_shared($1)', [lockKey]);
    return await work();
  } finally {
    await client.end();
  }
}

/**
 * Migrates the database to the newest schema: every `NNNN_name.sql` of the folder, in order, each in its own
 * transaction. An applied file must never change; a changed one is refused.
 *
 * @param last the last one to apply, for a restore of what an older release backed up
 */
export async function migrateToLatest(
  databaseUrl: string,
  from: URL = folder,
  last?: string,
): Promise<{ applied: string[] }> {
  const client = new pg.Client({ connectionString: databaseUrl });
  // What a migration warns of is told to whoever runs it.
  const keptRights = new Set<string>();
  client.on('notice', ({ severity, message = '', code = '' }) => {
    if (unchangedRights.includes(code)) keptRights.add(/"(.*)"/.exec(message)?.[1] ?? message);
    else if (severity === 'WARNING') process.stderr.write(`Warning: ${message}\n`);
  });
  await client.connect();
  try {
    await refuseOldServer(client);
    await client.query('SELECT pg_advisory_lock($1)', [lockKey]);
    await client.query(
      'CREATE TABLE IF NOT EXISTS schema_migrations (name text PRIMARY KEY, sha256 text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())',
    );
    const known = await client.query<{ name: string; sha256: string }>(
      'SELECT name, sha256 FROM schema_migrations',
    );
    const hashes = new Map(known.rows.map((row) => [row.name, row.sha256]));
    const applied: string[] = [];
    const role = await chooseServiceRole(client);
    for (const migration of await readMigrations(from)) {
      const { name, sha256 } = migration;
      if (last !== undefined && name > last) break;
      const earlier = hashes.get(name);
      if (earlier === sha256) continue;
      if (earlier !== undefined) {
        throw new Error(`The migration ${name} changed after it was applied. Add a new migration instead.`);
      }
      await apply(client, { ...migration, text: role.inside(migration.text) });
      applied.push(name);
    }
    if (keptRights.size > 0)
      process.stderr.write(
        `Warning: this role can't change who may call ${keptRights.size} of PostgreSQL's own functions, such as ${[...keptRights][0]}. See "For operators" in docs/lake.md.\n`,
      );
    return { applied };
  } finally {
    await client.end();
  }
}

/** Major version. */
export const oldestPostgres = 16;

/** @throws Error for a server that is too old: it would be migrated, and fail later */
export async function refuseOldServer(client: Pick<pg.Client, 'query'>): Promise<void> {
  const { rows } = await client.query<{ number: string; version: string }>(
    `SELECT current_setting('server_version_num') AS number, current_setting('server_version') AS version`,
  );
  const { number, version } = rows[0]!;
  if (Number(number) < oldestPostgres * 10_000)
    throw new Error(
      `The server has version ${version}; this service needs PostgreSQL ${oldestPostgres} or newer. Nothing was migrated.`,
    );
}

/** PostgreSQL reports each function that only a superuser may open or close: no privileges granted, revoked. */
const unchangedRights = ['01007', '01006'];

interface Migration {
  name: string;
  text: string;
  sha256: string;
}

export async function readMigrations(from: URL = folder): Promise<Migration[]> {
  const names = (await readdir(from)).filter((name) => /^\d{4}_.+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, from), 'utf8');
      return { name, text, sha256: createHash('sha256').update(text).digest('hex') };
    }),
  );
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  const applyOnce = migration.text.startsWith(outsideTransaction) ? applyAlone : applyWhole;
  for (let tries = 1; ; tries += 1) {
    try {
      return await applyOnce(client, migration);
    } catch (cause) {
      if (tries < lockTries && (cause as { code?: string }).code === lockNotAvailable)
        await wait(lockPauseMs);
      else throw new Error(`Migration ${migration.name} failed: ${(cause as Error).message}`, { cause });
    }
  }
}

const lockNotAvailable = '55P03';

async function applyWhole(client: pg.Client, migration: Migration): Promise<void> {
  try {
    await client.query('BEGIN');
    await client.query(`SET LOCAL lock_timeout = '${lockTimeoutMs}ms'`);
    await client.query(migration.text);
    await record(client, migration);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/**
 * Builds an index while others write. It waits for all earlier transactions and blocks no one. An interrupted
 * build leaves an invalid index, which is dropped first.
 */
async function applyAlone(client: pg.Client, migration: Migration): Promise<void> {
  const [, index] = /CREATE (?:UNIQUE )?INDEX CONCURRENTLY IF NOT EXISTS (\w+)/.exec(migration.text) ?? [];
  if (index === undefined) throw new Error("It doesn't build an index with CONCURRENTLY IF NOT EXISTS.");
  const { rowCount } = await client.query(
    'SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid',
    [index],
  );
  if (rowCount !== 0) await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${index}`);
  await client.query(migration.text);
  await record(client, migration);
}

async function record(client: pg.Client, { name, sha256 }: Migration): Promise<void> {
  await client.query('INSERT INTO schema_migrations (name, sha256) VALUES ($1, $2)', [name, sha256]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const databaseUrl = process.env['DATABASE_URL'];
  if (databaseUrl === undefined) throw new Error('Set DATABASE_URL to the database to migrate.');
  const { applied } = await migrateToLatest(databaseUrl).catch((error: unknown) => {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(1);
  });
  process.stdout.write(
    applied.length === 0 ? 'The database is up to date.\n' : `Applied ${applied.join(', ')}.\n`,
  );
}

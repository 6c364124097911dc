import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

const folder = new URL('.', import.meta.url);
/** Any two migrators of one database take turns on this advisory lock. */
const lockKey = 7_105_443_001;

/**
 * Brings the database to the newest schema: every `NNNN_name.sql` of this folder, in order, each in a
 * transaction of its own. An applied file must never change; one that did is refused.
 */
export async function migrateToLatest(databaseUrl: string): Promise<{ applied: string[] }> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [lockKey]);
    await client.query(
      'CREATE TABLE IF NOT EXISTS schema_migrations (name text PRIMARY KEY, sha256 text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())',
    );
    const known = await client.query<{ name: string; sha256: string }>(
      'SELECT name, sha256 FROM schema_migrations',
    );
    const hashes = new Map(known.rows.map((row) => [row.name, row.sha256]));
    const applied: string[] = [];
    for (const { name, text, sha256 } of await readMigrations()) {
      const earlier = hashes.get(name);
      if (earlier === sha256) continue;
      if (earlier !== undefined) {
        throw new Error(`Migration ${name} changed after it was applied; add a new migration instead.`);
      }
      await applyOne(client, name, text, sha256);
      applied.push(name);
    }
    return { applied };
  } finally {
    await client.end();
  }
}

async function readMigrations(): Promise<{ name: string; text: string; sha256: string }[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_.+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, folder), 'utf8');
      return { name, text, sha256: createHash('sha256').update(text).digest('hex') };
    }),
  );
}

async function applyOne(client: pg.Client, name: string, text: string, sha256: string): Promise<void> {
  try {
    await client.query('BEGIN');
    await client.query(text);
    await client.query('INSERT INTO schema_migrations (name, sha256) VALUES ($1, $2)', [name, sha256]);
    await client.query('COMMIT');
  } catch (cause) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw new Error(`Migration ${name} failed: ${(cause as Error).message}`, { cause });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const databaseUrl = process.env['DATABASE_URL'];
  if (databaseUrl === undefined) throw new Error('Set DATABASE_URL to the database to migrate.');
  const { applied } = await migrateToLatest(databaseUrl);
  process.stdout.write(
    applied.length === 0 ? 'The database is up to date.\n' : `Applied ${applied.join(', ')}.\n`,
  );
}

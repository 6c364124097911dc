import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { withoutMigrations } from '../../migrations/migrate.ts';
import { copySchema, publicSchema } from './copy-schema.ts';
import type { Backup } from './description.ts';
import { schemaFile } from './description.ts';
import { withOwner } from './owner.ts';

type DatabaseCopy = Pick<Backup, 'postgres' | 'migrations' | 'schemas'>;

/** A table of a lake may be dropped after the snapshot that still has it. */
const gone = '42P01';
const attempts = 3;

/**
 * Copies the public schema and the catalog of every lake, as one snapshot shows them, while others write.
 *
 * @param databaseUrl of the role that owns the tables: its policies show it every organization's rows
 */
export async function copyDatabase(databaseUrl: string, folder: string): Promise<DatabaseCopy> {
  const place = join(folder, 'database');
  for (let attempt = 1; ; attempt += 1) {
    await mkdir(place, { recursive: true, mode: 0o700 });
    try {
      return await withoutMigrations(databaseUrl, () =>
        withOwner(databaseUrl, (keeper) => copyAll(databaseUrl, keeper, folder)),
      );
    } catch (error) {
      if ((error as { code?: string }).code !== gone || attempt === attempts) throw error;
      await rm(place, { recursive: true });
    }
  }
}

async function copyAll(databaseUrl: string, keeper: pg.Client, folder: string): Promise<DatabaseCopy> {
  await keeper.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const rowsOf = async <T extends object>(query: string) => (await keeper.query<T>(query)).rows;
  const [snapshot] = await rowsOf<{ id: string }>('SELECT pg_export_snapshot() AS id');
  const [server] = await rowsOf<{ version: string }>(`SELECT current_setting('server_version') AS version`);
  const migrations = await rowsOf<{ name: string; sha256: string }>(
    'SELECT name, sha256 FROM schema_migrations ORDER BY name',
  );
  const lakes = await rowsOf<{ name: string }>(
    'SELECT schema_name AS name FROM lakes WHERE to_regnamespace(schema_name) IS NOT NULL ORDER BY schema_name',
  );
  const schemas: DatabaseCopy['schemas'] = [];
  await withOwner(databaseUrl, async (client) => {
    for (const { name } of [{ name: publicSchema }, ...lakes]) {
      // A transaction for each lake, since each table that is read is locked until its end.
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      await client.query(`SET TRANSACTION SNAPSHOT '${snapshot!.id}'`);
      schemas.push({ name, ...(await copySchema(client, name, schemaFile(folder, name))) });
      await client.query('COMMIT');
    }
  });
  await keeper.query('COMMIT');
  return { postgres: server!.version, migrations, schemas };
}

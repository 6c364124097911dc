import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { moveLake } from '../../data/lake/ducklake/move.ts';
import { identifier } from '../../data/lake/sql.ts';
import { migrateToLatest } from '../../migrations/migrate.ts';
import { ofThePlace, publicSchema } from './copy-schema.ts';
import { type Backup, schemaFile } from './description.ts';
import { loadSchema } from './load-schema.ts';
import { inTransaction, withOwner } from './owner.ts';

/**
 * Loads a backup into an empty database: the lakes first, then all public tables in one transaction. Until
 * that has committed, the service finds no organization.
 *
 * @param bucket where the lakes' files are now
 */
export async function loadDatabase(
  databaseUrl: string,
  { folder, backup, bucket }: { folder: string; backup: Backup; bucket: string },
): Promise<void> {
  // What was backed up has the shape that the migrations of then made.
  await migrateToLatest(databaseUrl, undefined, backup.migrations.at(-1)?.name);
  await withOwner(databaseUrl, async (client) => {
    for (const { name, sha256 } of backup.schemas) {
      if (name === publicSchema) continue;
      await inTransaction(client, async () => {
        await client.query(`CREATE SCHEMA ${identifier(name)}`);
        await loadSchema(client, schemaFile(folder, name), sha256);
        await moveLake(client, name, { from: backup.bucket, to: bucket });
      });
    }
    await inTransaction(client, async () => {
      await loadPublic(client, folder, backup);
      await adaptToPlace(client, { from: backup.bucket, to: bucket });
    });
  });
  await migrateToLatest(databaseUrl);
}

async function loadPublic(client: pg.Client, folder: string, backup: Backup): Promise<void> {
  const schema = backup.schemas.find(({ name }) => name === publicSchema);
  if (schema === undefined) throw new Error('The backup has no public tables.');
  const restore = await unbind(client);
  await loadSchema(client, schemaFile(folder, publicSchema), schema.sha256);
  for (const statement of restore) await client.query(statement);
}

/**
 * Empties all public tables, and drops what would refuse or change rows that arrive table by table.
 *
 * @returns the statements that bring it back, and check the foreign keys
 */
async function unbind(client: pg.Client): Promise<string[]> {
  const { rows: tables } = await client.query<{ name: string; forced: boolean }>(
    `SELECT format('%I.%I', $1::text, relname) AS name, relforcerowsecurity AS forced FROM pg_class
     WHERE relnamespace = $1::regnamespace AND relkind = 'r' AND relname <> ALL($2)`,
    [publicSchema, ofThePlace],
  );
  const { rows: keys } = await client.query<{ drop: string; add: string }>(
    `SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop,
       format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS add
     FROM pg_constraint WHERE connamespace = $1::regnamespace AND contype = 'f'`,
    [publicSchema],
  );
  for (const { drop } of keys) await client.query(drop);
  const names = tables.map(({ name }) => name);
  await client.query(`TRUNCATE ${names.join(', ')}`);
  for (const { name, forced } of tables) {
    await client.query(`ALTER TABLE ${name} DISABLE TRIGGER USER`);
    if (forced) await client.query(`ALTER TABLE ${name} NO FORCE ROW LEVEL SECURITY`);
  }
  return [
    ...tables.flatMap(({ name, forced }) => [
      `ALTER TABLE ${name} ENABLE TRIGGER USER`,
      ...(forced ? [`ALTER TABLE ${name} FORCE ROW LEVEL SECURITY`] : []),
    ]),
    ...keys.map(({ add }) => add),
  ];
}

/**
 * Roles and keys of lake credentials are of the place that was backed up. The lakes' own readers are made
 * again when each lake is first used.
 */
async function adaptToPlace(client: pg.Client, move: { from: string; to: string }): Promise<void> {
  await client.query('DELETE FROM lake_credentials');
  // In the cluster of the original, its roles are there already: theirs are not the copy's.
  const ending = randomBytes(3).toString('hex');
  await client.query(
    `UPDATE lakes SET reader_role = regexp_replace(reader_role, '_reader.*$', '_reader_' || $1)
     WHERE reader_role IN (SELECT rolname FROM pg_roles)`,
    [ending],
  );
  await client.query(
    `UPDATE lakes SET catalog_version = 0, data_path = 's3://' || $2 || substr(data_path, length('s3://' || $1) + 1)
     WHERE starts_with(data_path, 's3://' || $1 || '/')`,
    [move.from, move.to],
  );
}

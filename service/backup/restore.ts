import { createCipher } from '../../data/encryption.ts';
import { createObjectStore, type ObjectStore } from '../../data/objects/store.ts';
import { createDatabase } from '../../data/postgres/client.ts';
import type { storesConfig } from '../../data/stores-config.ts';
import { pauseAutomation } from '../../domain/workspace/pause/pause.ts';
import { readMigrations } from '../../migrations/migrate.ts';
import { uploadObjects } from './copy-objects.ts';
import { type Backup, readDescription } from './description.ts';
import { loadDatabase } from './load-database.ts';
import { withOwner } from './owner.ts';

/**
 * Restores a backup into an empty database and an empty bucket. Schedules, triggers and deliveries are paused
 * afterwards, until an operator resumes them.
 *
 * @throws Error if either is not empty, if the keys don't open its secrets, or if a newer release made it
 */
export async function restoreBackup(
  config: Pick<ReturnType<typeof storesConfig>, 'databaseUrl' | 'objectStore' | 'encryptionKeys'>,
  folder: string,
  onProgress: (text: string) => void,
): Promise<Backup> {
  const backup = await readDescription(folder);
  await refuseUnknownMigrations(backup);
  refuseMissingKeys(backup, config.encryptionKeys);
  const objects = createObjectStore(config.objectStore);
  try {
    await refuseUsedDatabase(config.databaseUrl);
    await objects.ensureBucket();
    await refuseUsedBucket(objects);
    const count = await uploadObjects(objects, folder);
    onProgress(`Copied ${count} objects to the bucket ${config.objectStore.bucket}.`);
  } finally {
    objects.close();
  }
  await loadDatabase(config.databaseUrl, { folder, backup, bucket: config.objectStore.bucket });
  const { db } = createDatabase({ url: config.databaseUrl, maxConnections: 1, applicationName: 'restore' });
  try {
    await pauseAutomation(db);
  } finally {
    await db.destroy();
  }
  return backup;
}

async function refuseUnknownMigrations({ release, migrations }: Backup): Promise<void> {
  const own = new Map((await readMigrations()).map(({ name, sha256 }) => [name, sha256]));
  const unknown = migrations.find(({ name, sha256 }) => own.get(name) !== sha256);
  if (unknown !== undefined)
    throw new Error(
      `Release ${release} made this backup. It needs the migration ${unknown.name}, which this release doesn't have. Restore it with that release or a newer one.`,
    );
}

function refuseMissingKeys({ keyIds }: Backup, encryptionKeys: string): void {
  const known = createCipher(encryptionKeys).keyIds;
  const missing = keyIds.filter((id) => !known.includes(id));
  if (missing.length > 0)
    throw new Error(
      `ENCRYPTION_KEYS doesn't contain ${missing.join(', ')}. Secrets in this backup need these keys. Add them.`,
    );
}

async function refuseUsedDatabase(databaseUrl: string): Promise<void> {
  const { rows } = await withOwner(databaseUrl, (client) =>
    client.query<{ name: string }>(
      `SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE c.relkind = 'r' AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%' LIMIT 1`,
    ),
  );
  if (rows[0] !== undefined)
    throw new Error(
      `The database isn't empty. It has the table ${rows[0].name}. Restore into a new database. If an earlier restore was interrupted, drop this database first.`,
    );
}

async function refuseUsedBucket(objects: ObjectStore): Promise<void> {
  const [first] = await objects.list('', 1);
  if (first !== undefined)
    throw new Error(
      `The bucket ${objects.settings.bucket} isn't empty. It has the object ${first.key}. Restore into a new bucket.`,
    );
}

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createCipher } from '../../data/encryption.ts';
import { createObjectStore } from '../../data/objects/store.ts';
import { createDatabase } from '../../data/postgres/client.ts';
import { release } from '../../data/release.ts';
import type { storesConfig } from '../../data/stores-config.ts';
import { endHold, holdRemovals } from '../../domain/workspace/backups/hold.ts';
import { countSlice } from '../../domain/workspace/keys/count.ts';
import { copyDatabase } from './copy-database.ts';
import { copyObjects } from './copy-objects.ts';
import { type Backup, writeDescription } from './description.ts';

/** The hold lasts ten minutes. */
const renewEveryMs = 60_000;

/**
 * Makes a backup in a new folder of the destination, while the service runs: first a copy of the database,
 * then the objects. Until its end, nothing that the copy names is removed.
 *
 * @param destination a folder that holds several backups, which share their objects
 */
export async function makeBackup(
  config: Pick<ReturnType<typeof storesConfig>, 'databaseUrl' | 'objectStore' | 'encryptionKeys'>,
  destination: string,
  onProgress: (text: string) => void,
): Promise<{ folder: string; backup: Backup }> {
  const begun = new Date();
  const folder = join(destination, begun.toISOString().replaceAll(':', '-').replace(/\.\d+/, ''));
  await mkdir(destination, { recursive: true, mode: 0o700 });
  await mkdir(folder, { mode: 0o700 });
  const objects = createObjectStore(config.objectStore);
  const { db } = createDatabase({ url: config.databaseUrl, maxConnections: 2, applicationName: 'backup' });
  const renew = () => holdRemovals(db, folder);
  await renew();
  let failedToHold: unknown;
  const timer = setInterval(
    () => void renew().catch((error: unknown) => (failedToHold = error)),
    renewEveryMs,
  );
  try {
    const database = await copyDatabase(config.databaseUrl, folder);
    onProgress(`Copied the database: ${database.schemas.length - 1} lakes.`);
    const { counts } = await countSlice(
      { db, cipher: createCipher(config.encryptionKeys) },
      null,
      () => false,
    );
    let shownMs = Date.now();
    const copied = await copyObjects(objects, { destination, folder }, (count, sizeBytes) => {
      if (Date.now() - shownMs < 5_000) return;
      shownMs = Date.now();
      onProgress(`Copied ${count} objects, ${sizeBytes} bytes.`);
    });
    if (failedToHold !== undefined)
      throw new Error("Deletions couldn't be held back while objects were copied. Make the backup again.", {
        cause: failedToHold,
      });
    const backup: Backup = {
      format: 1,
      release,
      madeAt: begun.toISOString(),
      bucket: config.objectStore.bucket,
      ...database,
      keyIds: [...new Set(counts.map(({ keyId }) => keyId))].sort(),
      objects: copied,
    };
    await writeDescription(folder, backup);
    return { folder, backup };
  } finally {
    clearInterval(timer);
    await endHold(db, folder).catch(() => undefined);
    await db.destroy();
    objects.close();
  }
}

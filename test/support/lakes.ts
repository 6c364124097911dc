import { createCipher } from '../../data/encryption.ts';
import { activityStaging, type Lakes, openLakes } from '../../service/engine-process/open.ts';
import { readWorkerConfig } from '../../worker/config.ts';

/**
 * Lakes as another process than the API opens them, with an engine of its own, at this address of the
 * database.
 */
export function openOtherLakes(databaseUrl: string, applicationName: string): Lakes {
  const config = readWorkerConfig({ ...process.env, DATABASE_URL: databaseUrl });
  return openLakes({
    ...config,
    cipher: createCipher(config.encryptionKeys),
    memoryLimitBytes: 500_000_000,
    threads: 2,
    processes: 1,
    staging: activityStaging(1),
    applicationName,
  });
}

import { createCipher } from '../../data/encryption.ts';
import { activityStaging, type Lakes, openLakes } from '../../service/engine-process/open.ts';
import { readWorkerConfig } from '../../worker/config.ts';

/** Lakes as a process other than the API opens them, with its own engine, at this database address. */
export function openOtherLakes(databaseUrl: string, applicationName: string, keys?: string): Lakes {
  const config = readWorkerConfig({ ...process.env, DATABASE_URL: databaseUrl });
  return openLakes({
    ...config,
    cipher: createCipher(keys ?? config.encryptionKeys),
    memoryLimitBytes: 500_000_000,
    threads: 2,
    processes: 1,
    staging: activityStaging(1),
    applicationName,
  });
}

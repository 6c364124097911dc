import { join } from 'node:path';
import { createCipher } from '../../data/encryption.ts';
import type { storesConfig } from '../../data/stores-config.ts';
import type { Finding } from './finding.ts';
import { examineLakes } from './lakes.ts';
import { examineEngine, examineWorkDir } from './machine.ts';
import { examinePostgres } from './postgres.ts';
import { examineIam, examineObjectStore, examineTemporal } from './stores.ts';

type Config = ReturnType<typeof storesConfig>;

/** What a process that starts looks at: everything but the engine, which its own engine processes show. */
export async function examineStores(config: Config): Promise<Finding[]> {
  const found = await Promise.all([
    examinePostgres(config.databaseUrl, createCipher(config.encryptionKeys)),
    examineObjectStore(config.objectStore),
    config.databasePublicUrl === undefined ? undefined : examineIam(config.objectStore, config.iamEndpoint),
    examineTemporal(config.temporal),
    examineWorkDir(config.workDir),
    examineLakes(config),
  ]);
  return found.flat().filter((finding) => finding !== undefined);
}

/** Everything that the service needs of its environment. */
export async function examine(config: Config): Promise<Finding[]> {
  const engine = {
    extensionDir: config.extensionDir,
    installDir: join(config.workDir, 'extensions'),
    objectStore: config.objectStore,
    workDir: join(config.workDir, 'doctor'),
  };
  return [...(await examineStores(config)), await examineEngine(engine)];
}

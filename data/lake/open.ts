import pg from 'pg';
import type { Cipher } from '../encryption.ts';
import type { ObjectStoreSettings } from '../objects/settings.ts';
import type { LakeDeps } from './commit.ts';
import { createLakeEngine } from './engine.ts';
import { createTableLocks, lockTimeoutMs } from './locks.ts';
import { createLakeCatalog } from './provision.ts';

export interface LakeOptions {
  databaseUrl: string;
  cipher: Cipher;
  objectStore: ObjectStoreSettings;
  extensionDir: string | undefined;
  workDir: string;
  memoryLimitBytes: number;
  threads: number;
  applicationName: string;
  /** As of the engine: the process has to end. */
  onBroken?: (error: unknown) => void;
}

/** Everything a process needs to write and read lakes, and how to let go of it. */
export async function openLakes(options: LakeOptions): Promise<{ lake: LakeDeps; close(): Promise<void> }> {
  const pools = [poolOf(options, 'catalog', 12), poolOf(options, 'locks', 8)] as const;
  const [catalogPool, lockPool] = pools;
  const engine = await createLakeEngine({ ...options, maxAttached: 64 });
  const catalog = createLakeCatalog({
    catalogPool,
    databaseUrl: options.databaseUrl,
    bucket: options.objectStore.bucket,
    cipher: options.cipher,
    engine,
  });
  return {
    lake: { catalogPool, catalog, engine, locks: createTableLocks(lockPool) },
    async close() {
      engine.close();
      await Promise.all(pools.map((pool) => pool.end()));
    },
  };
}

/** Connections of the owner. Locks have a pool of their own: whoever waits for a lock must not keep its holder from working. */
function poolOf(options: LakeOptions, purpose: string, max: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.databaseUrl,
    max,
    application_name: `${options.applicationName} ${purpose}`,
    statement_timeout: lockTimeoutMs,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  });
  pool.on('error', () => undefined);
  // The same for one that is in use: its query fails, which is heard where it was asked.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

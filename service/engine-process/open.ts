import pg from 'pg';
import type { Cipher } from '../../data/encryption.ts';
import { AppError } from '../../data/errors.ts';
import type { LakeDeps } from '../../data/lake/commit.ts';
import type { LakeEngine } from '../../data/lake/engine/contract.ts';
import { createLakeEngine, type EngineOptions } from '../../data/lake/engine/pool.ts';
import { createTableLocks, lockTimeoutMs } from '../../data/lake/locks.ts';
import { createLakeCatalog } from '../../data/lake/provision.ts';
import type { ObjectStoreSettings } from '../../data/objects/settings.ts';

/** The program of an engine process. */
export const engineModule = new URL('./main.ts', import.meta.url);

export interface LakeOptions {
  databaseUrl: string;
  cipher: Cipher;
  objectStore: ObjectStoreSettings;
  extensionDir: string | undefined;
  workDir: string;
  /** Of one engine process. */
  memoryLimitBytes: number;
  threads: number;
  /** Engine processes for commits and reads. */
  processes: number;
  /** Those for what is long and holds no lock. */
  staging: Pick<EngineOptions, 'processes' | 'waiting' | 'waitMs' | 'refusal'>;
  applicationName: string;
  logger?: EngineOptions['logger'];
}

export interface Lakes {
  lake: LakeDeps;
  /**
   * Engine processes for long work: files, pages of a batch. Whoever works there may wait for a table's lock;
   * the holder of one never waits for these.
   */
  staging: LakeEngine;
  close(): Promise<void>;
}

/** Everything a process needs to write and read lakes, and how to let go of it. */
export function openLakes(options: LakeOptions): Lakes {
  const pools = [poolOf(options, 'catalog', 12), poolOf(options, 'locks', 24)] as const;
  const [catalogPool, lockPool] = pools;
  const engine = createLakeEngine({
    ...options,
    module: engineModule,
    waitMs: engineWaitMs,
    waiting: { perOrganization: 64, inAll: 512, shareWaitMs: engineWaitMs },
    sessionTimeoutMs: 600_000,
    niceness: 5,
    refusal: overloaded,
  });
  const staging = createLakeEngine({
    ...options,
    module: engineModule,
    ...options.staging,
    sessionTimeoutMs: 2 * 3_600_000,
    niceness: 15,
  });
  const catalog = createLakeCatalog({
    catalogPool,
    databaseUrl: options.databaseUrl,
    bucket: options.objectStore.bucket,
    cipher: options.cipher,
    engine,
  });
  return {
    lake: { catalogPool, catalog, engine, locks: createTableLocks(lockPool) },
    staging,
    async close() {
      await Promise.all([engine.close(), staging.close()]);
      await Promise.all(pools.map((pool) => pool.end()));
    },
  };
}

type StagingOptions = LakeOptions['staging'];

/** Previews: a few may wait for a moment, since whoever asked for one waits too. */
export function previewStaging(processes: number): StagingOptions {
  return {
    processes,
    waiting: { perOrganization: 8, inAll: 64, shareWaitMs: 5_000 },
    waitMs: engineWaitMs,
    refusal: () =>
      new AppError(
        'queries_saturated',
        'Too many previews of this organization are running. Try again shortly.',
        {
          retryAfterSeconds: 2,
        },
      ),
  };
}

/** Activities wait for their organization's share for as long as they may take. */
export function activityStaging(processes: number): StagingOptions {
  const hoursMs = 2 * 3_600_000;
  return {
    processes,
    waiting: { perOrganization: 1_000, inAll: 10_000, shareWaitMs: hoursMs },
    waitMs: hoursMs,
    refusal: overloaded,
  };
}

/** How long somebody waits for an engine process before it is told that there are too many before it. */
const engineWaitMs = 20_000;

function overloaded(): AppError {
  return new AppError('overloaded', 'Too much is being written at this moment; try again shortly.', {
    retryAfterSeconds: 2,
  });
}

/**
 * Connections of the owner. Locks have a pool of their own: whoever waits for a lock must not keep its holder
 * from working.
 */
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

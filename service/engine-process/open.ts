import pg from 'pg';
import type { Cipher } from '../../data/encryption.ts';
import { AppError } from '../../data/errors.ts';
import type { LakeDeps } from '../../data/lake/commit.ts';
import type { LakeEngine } from '../../data/lake/engine/contract.ts';
import { createLakeEngine, type EngineOptions } from '../../data/lake/engine/pool.ts';
import { createTableLayouts } from '../../data/lake/layouts.ts';
import { createTableLocks, lockTimeoutMs } from '../../data/lake/locks.ts';
import { createLakeCatalog } from '../../data/lake/provision.ts';
import type { ObjectStoreSettings } from '../../data/objects/settings.ts';
import { prepare } from '../../data/postgres/session.ts';

/** The program of an engine process. */
export const engineModule = new URL('./main.ts', import.meta.url);

export interface LakeOptions {
  databaseUrl: string;
  cipher: Cipher;
  objectStore: ObjectStoreSettings;
  extensionDir: string | undefined;
  workDir: string;
  /** Memory limit of one engine process. */
  memoryLimitBytes: number;
  threads: number;
  /** Most characters of one answer with rows. */
  maxTextsCharacters?: number;
  /** Whether a process of each pool starts before any work comes; true if left out. */
  startsEarly?: boolean | undefined;
  /** Number of engine processes for commits and reads. */
  processes: number;
  /** Engine processes for long work that holds no lock. */
  staging: Pick<EngineOptions, 'processes' | 'waiting' | 'waitMs' | 'niceness' | 'refusal'>;
  applicationName: string;
  /** Whether queries read plain tables by their files; true if left out. */
  readsPlain?: boolean | undefined;
  logger?: EngineOptions['logger'];
}

export interface Lakes {
  lake: LakeDeps;
  /**
   * Engine processes for long work: files, pages of a batch. Work there may wait for a table's lock; the
   * holder of a lock never waits for these.
   */
  staging: LakeEngine;
  /** Connections of the owner role, by purpose. */
  pools: Readonly<Record<'catalog' | 'locks', pg.Pool>>;
  close(): Promise<void>;
}

/** Opens what a process needs to write and read lakes. */
export function openLakes(options: LakeOptions): Lakes {
  const pools = [poolOf(options, 'catalog', 8), poolOf(options, 'locks', 10)] as const;
  const [catalogPool, lockPool] = pools;
  const engine = createLakeEngine({
    ...options,
    name: 'engine',
    module: engineModule,
    waitMs: engineWaitMs,
    waiting: { perOrganization: 64, inAll: 512, shareWaitMs: engineWaitMs },
    sessionTimeoutMs: 600_000,
    niceness: 5,
    refusal: overloaded,
  });
  const staging = createLakeEngine({
    ...options,
    name: 'staging',
    module: engineModule,
    ...options.staging,
    sessionTimeoutMs: 2 * 3_600_000,
  });
  const catalog = createLakeCatalog({
    catalogPool,
    databaseUrl: options.databaseUrl,
    bucket: options.objectStore.bucket,
    cipher: options.cipher,
    engine,
  });
  return {
    lake: {
      ...{ catalogPool, catalog, engine, locks: createTableLocks(lockPool) },
      layouts: options.readsPlain === false ? undefined : createTableLayouts(catalogPool),
    },
    staging,
    pools: { catalog: catalogPool, locks: lockPool },
    async close() {
      await Promise.all([engine.close(), staging.close()]);
      await Promise.all(pools.map((pool) => pool.end()));
    },
  };
}

type StagingOptions = LakeOptions['staging'];

/** For previews: few may wait, and only briefly, because their callers wait too. */
export function previewStaging(processes: number): StagingOptions {
  return {
    processes,
    waiting: { perOrganization: 8, inAll: 64, shareWaitMs: 5_000 },
    waitMs: engineWaitMs,
    // As of a query, whose caller waits too.
    niceness: 10,
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

/** For activities: they wait for their organization's share as long as the activity may take. */
export function activityStaging(processes: number): StagingOptions {
  const hoursMs = 2 * 3_600_000;
  return {
    processes,
    waiting: { perOrganization: 1_000, inAll: 10_000, shareWaitMs: hoursMs },
    waitMs: hoursMs,
    niceness: 15,
    refusal: overloaded,
  };
}

/** How long a caller waits for an engine process before it is refused. */
const engineWaitMs = 20_000;

function overloaded(): AppError {
  return new AppError('overloaded', 'Too many writes are in progress. Try again shortly.', {
    retryAfterSeconds: 2,
  });
}

/**
 * Connections of the owner role. Locks have a separate pool, so that waiting for a lock cannot block its
 * holder.
 */
function poolOf(options: LakeOptions, purpose: string, max: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.databaseUrl,
    max,
    application_name: `${options.applicationName} ${purpose}`,
    onConnect: (client) => prepare(client, { statement_timeout: String(lockTimeoutMs) }),
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  });
  pool.on('error', () => undefined);
  // Also for connections in use: their query fails, and that error is reported to its caller.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

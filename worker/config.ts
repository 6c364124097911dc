import { z } from 'zod';

const environment = z.object({
  DATABASE_URL: z.string().min(1),
  S3_ENDPOINT: z.string().optional(),
  S3_REGION: z.string().default('us-east-1'),
  S3_BUCKET: z.string().min(3),
  S3_ACCESS_KEY_ID: z.string(),
  S3_SECRET_ACCESS_KEY: z.string(),
  TEMPORAL_ADDRESS: z.string().min(1),
  TEMPORAL_NAMESPACE: z.string().default('default'),
  ENCRYPTION_KEYS: z.string().min(1),
  DUCKDB_EXTENSION_DIR: z.string().optional(),
  WORK_DIR: z.string().default('/tmp/analytics-workspace'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  LAKE_MEMORY_MIB: z.coerce.number().int().min(128).default(1_024),
  LAKE_THREADS: z.coerce.number().int().min(1).max(256).default(2),
  LAKE_ACTIVITIES: z.coerce.number().int().min(1).max(64).default(2),
});

export type WorkerConfig = ReturnType<typeof readWorkerConfig>;

/** The worker's settings, from the environment, checked once. */
export function readWorkerConfig(env: NodeJS.ProcessEnv) {
  const parsed = environment.safeParse(
    Object.fromEntries(Object.entries(env).filter(([, value]) => value !== '')),
  );
  if (!parsed.success) throw new Error(`The environment is not usable:\n${z.prettifyError(parsed.error)}`);
  const e = parsed.data;
  return {
    databaseUrl: e.DATABASE_URL,
    objectStore: {
      endpoint: e.S3_ENDPOINT,
      region: e.S3_REGION,
      bucket: e.S3_BUCKET,
      accessKeyId: e.S3_ACCESS_KEY_ID,
      secretAccessKey: e.S3_SECRET_ACCESS_KEY,
    },
    temporal: { address: e.TEMPORAL_ADDRESS, namespace: e.TEMPORAL_NAMESPACE },
    encryptionKeys: e.ENCRYPTION_KEYS,
    extensionDir: e.DUCKDB_EXTENSION_DIR,
    workDir: e.WORK_DIR,
    logLevel: e.LOG_LEVEL,
    lakeMemoryBytes: e.LAKE_MEMORY_MIB * 1_048_576,
    lakeThreads: e.LAKE_THREADS,
    lakeActivities: e.LAKE_ACTIVITIES,
  };
}

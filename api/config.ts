import { z } from 'zod';

const port = z.coerce.number().int().min(0).max(65_535);

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
  HOST: z.string().default('0.0.0.0'),
  PORT: port.default(8080),
  PUBLIC_URL: z.string().optional(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  RATE_LIMIT_PER_MINUTE: z.coerce.number().int().min(1).default(1_200),
  QUERY_PROCESSES: z.coerce.number().int().min(2).max(64).default(4),
  QUERY_THREADS: z.coerce.number().int().min(1).max(256).default(2),
  QUERY_MEMORY_MIB: z.coerce.number().int().min(128).default(2_048),
  QUERY_TEMP_MIB: z.coerce.number().int().min(0).default(8_192),
  QUERY_ANSWER_MIB: z.coerce.number().int().min(1).max(512).default(64),
  LAKE_MEMORY_MIB: z.coerce.number().int().min(128).default(1_024),
});

export type ApiConfig = ReturnType<typeof readApiConfig>;

/** The API's settings, from the environment, checked once; a wrong one ends the start with its name. */
export function readApiConfig(env: NodeJS.ProcessEnv) {
  const parsed = environment.safeParse(
    Object.fromEntries(Object.entries(env).filter(([, value]) => value !== '')),
  );
  if (!parsed.success) throw new Error(`The environment is not usable:\n${z.prettifyError(parsed.error)}`);
  const e = parsed.data;
  const mebibyte = 1_048_576;
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
    host: e.HOST,
    port: e.PORT,
    publicUrl: e.PUBLIC_URL,
    logLevel: e.LOG_LEVEL,
    rateLimitPerMinute: e.RATE_LIMIT_PER_MINUTE,
    queries: {
      processes: e.QUERY_PROCESSES,
      threadsPerProcess: e.QUERY_THREADS,
      memoryLimitBytes: e.QUERY_MEMORY_MIB * mebibyte,
      tempLimitBytes: e.QUERY_TEMP_MIB * mebibyte,
      maxAnswerBytes: e.QUERY_ANSWER_MIB * mebibyte,
    },
    lakeMemoryBytes: e.LAKE_MEMORY_MIB * mebibyte,
  };
}

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { parseMailbox, parseSmtpUrl } from './mail/smtp-url.ts';
import { parseAllowedNetworks } from './outgoing/allowed-addresses.ts';

const mebibyte = 1_048_576;
/** Where `npm run extensions` puts them. */
export const extensionsFolder = fileURLToPath(new URL('../extensions', import.meta.url));

const carriedExtensions = (): string | undefined =>
  existsSync(extensionsFolder) ? extensionsFolder : undefined;

/** Variables that api and worker both need to reach the stores, validated the same way. */
export const storesEnvironment = z.object({
  DATABASE_URL: z.string().transform(readBy(checkDatabaseUrl)),
  S3_ENDPOINT: z
    .url({ protocol: /^https?$/, error: 'It must be a URL such as https://s3.example.com.' })
    .optional(),
  S3_REGION: z.string().default('us-east-1'),
  S3_BUCKET: z.string().min(3),
  S3_ACCESS_KEY_ID: z.string(),
  S3_SECRET_ACCESS_KEY: z.string(),
  S3_IAM_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  DATABASE_PUBLIC_URL: z.string().transform(readBy(checkDatabaseUrl)).optional(),
  LAKE_CREDENTIALS: z.stringbool().default(true),
  TEMPORAL_ADDRESS: z.string().regex(/^[^/\s]+$/, 'It must be host:port, without a scheme.'),
  TEMPORAL_NAMESPACE: z.string().default('default'),
  TEMPORAL_API_KEY: z.string().optional(),
  TEMPORAL_TLS: z.stringbool().optional(),
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: z.string().optional(),
  TEMPORAL_TLS_SERVER_NAME: z.string().optional(),
  TEMPORAL_TLS_CLIENT_CERT_PATH: z.string().optional(),
  TEMPORAL_TLS_CLIENT_KEY_PATH: z.string().optional(),
  ENCRYPTION_KEYS: z.string().min(1),
  START_PAUSED: z.stringbool().default(false),
  DUCKDB_EXTENSION_DIR: z.string().optional(),
  WORK_DIR: z.string().default('/tmp/analytics-workspace'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  LAKE_PROCESSES: z.coerce.number().int().min(2).max(64).default(3),
  LAKE_MEMORY_MIB: z.coerce.number().int().min(128).default(1_024),
  PLAIN_READS: z.stringbool().default(true),
  QUERY_PROCESSES: z.coerce.number().int().min(2).max(64).default(4),
  QUERY_THREADS: z.coerce.number().int().min(1).max(256).default(2),
  QUERY_MEMORY_MIB: z.coerce.number().int().min(128).default(2_048),
  QUERY_TEMP_MIB: z.coerce.number().int().min(0).default(8_192),
  QUERY_ANSWER_MIB: z.coerce.number().int().min(1).max(512).default(64),
  BUILD_PROCESSES: z.coerce.number().int().min(2).max(64).default(2),
  BUILD_MINUTES: z.coerce.number().int().min(1).max(1_440).default(60),
  BUILD_MAX_GIB: z.coerce.number().positive().max(100_000).default(100),
  SNAPSHOT_MAX_GIB: z.coerce.number().positive().max(100_000).default(100),
  ALLOWED_PRIVATE_ADDRESSES: z.string().default('').transform(readBy(parseAllowedNetworks)),
  ALLOW_UNVALIDATED_ADDRESSES: z.stringbool().default(false),
  SMTP_URL: z.string().transform(readBy(parseSmtpUrl)).optional(),
  SMTP_FROM: z.string().transform(readBy(parseMailbox)).optional(),
  MAILS_PER_DAY: z.coerce.number().int().min(0).default(1_000),
});

/** @throws Error if it does not name a server and a database */
function checkDatabaseUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol) || url.pathname.length < 2)
    throw new Error('It must be postgresql://user:password@host:port/database.');
  return text;
}

/** Reports the reader's error message as the fault of the variable. */
function readBy<T>(read: (text: string) => T) {
  return (text: string, context: z.RefinementCtx): T => {
    try {
      return read(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
      return z.NEVER;
    }
  };
}

/**
 * Refuses incomplete settings: an API key that would not be sent, or a certificate that would not be
 * presented.
 */
function refuseHalf(e: z.infer<typeof storesEnvironment>): void {
  const { TEMPORAL_API_KEY: key, TEMPORAL_TLS: tls } = e;
  if (tls === false && key !== undefined)
    throw new Error('TEMPORAL_API_KEY is never sent unencrypted. Remove TEMPORAL_TLS=false or the key.');
  if ((e.TEMPORAL_TLS_CLIENT_CERT_PATH === undefined) !== (e.TEMPORAL_TLS_CLIENT_KEY_PATH === undefined))
    throw new Error('Set both TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH, or neither.');
  if (e.SMTP_URL !== undefined && e.SMTP_FROM === undefined)
    throw new Error('If you set SMTP_URL, also set SMTP_FROM, the sender address of emails.');
}

/**
 * Reads an environment. Empty counts as unset; an invalid value aborts the start and is reported by its
 * variable's name.
 */
export function readEnvironment<T extends z.ZodType>(schema: T, env: NodeJS.ProcessEnv): z.infer<T> {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = schema.safeParse(given);
  if (!parsed.success) throw new Error(`The environment isn't valid:\n${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

export function storesConfig(e: z.infer<typeof storesEnvironment>) {
  refuseHalf(e);
  return {
    databaseUrl: e.DATABASE_URL,
    objectStore: {
      endpoint: e.S3_ENDPOINT,
      region: e.S3_REGION,
      bucket: e.S3_BUCKET,
      accessKeyId: e.S3_ACCESS_KEY_ID,
      secretAccessKey: e.S3_SECRET_ACCESS_KEY,
    },
    iamEndpoint: e.S3_IAM_ENDPOINT,
    /** Where holders of lake credentials reach PostgreSQL; undefined if none are issued. */
    databasePublicUrl: e.LAKE_CREDENTIALS ? (e.DATABASE_PUBLIC_URL ?? e.DATABASE_URL) : undefined,
    temporal: {
      address: e.TEMPORAL_ADDRESS,
      namespace: e.TEMPORAL_NAMESPACE,
      apiKey: e.TEMPORAL_API_KEY,
      // A key or a certificate implies TLS: it is not meant to be sent in the clear.
      tls: e.TEMPORAL_TLS ?? (e.TEMPORAL_API_KEY ?? e.TEMPORAL_TLS_CLIENT_CERT_PATH) !== undefined,
      serverCaPath: e.TEMPORAL_TLS_SERVER_CA_CERT_PATH,
      serverName: e.TEMPORAL_TLS_SERVER_NAME,
      clientCertPath: e.TEMPORAL_TLS_CLIENT_CERT_PATH,
      clientKeyPath: e.TEMPORAL_TLS_CLIENT_KEY_PATH,
    },
    encryptionKeys: e.ENCRYPTION_KEYS,
    startPaused: e.START_PAUSED,
    extensionDir: e.DUCKDB_EXTENSION_DIR ?? carriedExtensions(),
    workDir: e.WORK_DIR,
    logLevel: e.LOG_LEVEL,
    readsPlain: e.PLAIN_READS,
    lakeProcesses: e.LAKE_PROCESSES,
    lakeMemoryBytes: e.LAKE_MEMORY_MIB * mebibyte,
    queries: {
      processes: e.QUERY_PROCESSES,
      threadsPerProcess: e.QUERY_THREADS,
      memoryLimitBytes: e.QUERY_MEMORY_MIB * mebibyte,
      tempLimitBytes: e.QUERY_TEMP_MIB * mebibyte,
      maxAnswerBytes: e.QUERY_ANSWER_MIB * mebibyte,
    },
    builds: {
      processes: e.BUILD_PROCESSES,
      timeoutMs: e.BUILD_MINUTES * 60_000,
      maxBytes: Math.ceil(e.BUILD_MAX_GIB * 1_024 * mebibyte),
    },
    outgoing: {
      allowedPrivate: e.ALLOWED_PRIVATE_ADDRESSES,
      allowUnvalidated: e.ALLOW_UNVALIDATED_ADDRESSES,
    },
    snapshotMaxBytes: Math.ceil(e.SNAPSHOT_MAX_GIB * 1_024 * mebibyte),
    mailsPerDay: e.MAILS_PER_DAY,
    mail:
      e.SMTP_URL === undefined || e.SMTP_FROM === undefined
        ? undefined
        : { server: e.SMTP_URL, from: e.SMTP_FROM },
  };
}

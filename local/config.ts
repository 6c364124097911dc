import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** Settings of `npm start`, from its environment. */
export type LocalConfig = {
  dataDir: string;
  /**
   * An explicitly requested port is used or the start fails; the default may be replaced by the next free
   * one.
   */
  apiPort: { wanted: number; isExplicit: boolean };
  rateLimitPerMinute: string;
  logLevel: string;
  /** Of PostgreSQL's clients; 0 for any free one. */
  postgresPort: string;
  databaseUrl: string | undefined;
  objectStore: ObjectStoreConfig | undefined;
  temporalAddress: string | undefined;
  temporalNamespace: string;
  temporalUiUrl: string | undefined;
  /** Undefined if mails are caught instead of sent. */
  mail: { smtpUrl: string; smtpFrom: string } | undefined;
};

export type ObjectStoreConfig = {
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Empty if it has no IAM API. */
  iamEndpoint: string;
};

export const repositoryDir: string = fileURLToPath(new URL('..', import.meta.url));

const defaultPort = 8080;
const text = z.string().min(1).optional();

const variables = z.object({
  WORKSPACE_DATA_DIR: text,
  PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  RATE_LIMIT_PER_MINUTE: text,
  LOG_LEVEL: text,
  PG_PORT: text,
  DATABASE_URL: text,
  S3_ENDPOINT: text,
  S3_BUCKET: text,
  S3_REGION: text,
  S3_ACCESS_KEY_ID: text,
  S3_SECRET_ACCESS_KEY: text,
  S3_IAM_ENDPOINT: text,
  TEMPORAL_ADDRESS: text,
  TEMPORAL_NAMESPACE: text,
  TEMPORAL_UI_URL: text,
  SMTP_URL: text,
  SMTP_FROM: text,
});

/** Reads the settings; an empty variable counts as absent. Throws an error that lists every problem. */
export function readLocalConfig(environment: NodeJS.ProcessEnv): LocalConfig {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = variables.safeParse(given);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new Error(`Some environment variables are not valid. ${problems.join('; ')}`);
  }
  const values = parsed.data;
  return {
    dataDir: dataDirOf(environment),
    apiPort: { wanted: values.PORT ?? defaultPort, isExplicit: values.PORT !== undefined },
    // Scripts on the local machine are trusted.
    rateLimitPerMinute: values.RATE_LIMIT_PER_MINUTE ?? '1000000',
    logLevel: values.LOG_LEVEL ?? 'info',
    postgresPort: values.PG_PORT ?? '0',
    databaseUrl: values.DATABASE_URL,
    objectStore: objectStoreOf(values),
    temporalAddress: values.TEMPORAL_ADDRESS,
    temporalNamespace: values.TEMPORAL_NAMESPACE ?? 'default',
    temporalUiUrl: values.TEMPORAL_UI_URL,
    mail: mailOf(values),
  };
}

/** Data directory of the stack: `.data` of the repository unless WORKSPACE_DATA_DIR names another. */
export function dataDirOf(environment: NodeJS.ProcessEnv): string {
  const named = environment['WORKSPACE_DATA_DIR'];
  return named === undefined || named === '' ? resolve(repositoryDir, '.data') : resolve(named);
}

function mailOf({ SMTP_URL, SMTP_FROM }: z.infer<typeof variables>): LocalConfig['mail'] {
  if (SMTP_URL === undefined) return undefined;
  if (SMTP_FROM === undefined) throw new Error('With SMTP_URL, set SMTP_FROM too.');
  return { smtpUrl: SMTP_URL, smtpFrom: SMTP_FROM };
}

function objectStoreOf(values: z.infer<typeof variables>): ObjectStoreConfig | undefined {
  if (values.S3_ENDPOINT === undefined) return undefined;
  const names = ['S3_BUCKET', 'S3_REGION', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;
  const missing = names.filter((name) => values[name] === undefined);
  if (missing.length > 0) throw new Error(`With S3_ENDPOINT, set ${missing.join(', ')} too.`);
  return {
    endpoint: values.S3_ENDPOINT,
    bucket: values.S3_BUCKET ?? '',
    region: values.S3_REGION ?? '',
    accessKeyId: values.S3_ACCESS_KEY_ID ?? '',
    secretAccessKey: values.S3_SECRET_ACCESS_KEY ?? '',
    iamEndpoint: values.S3_IAM_ENDPOINT ?? '',
  };
}

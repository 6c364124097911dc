import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { LocalConfig, ObjectStoreConfig } from './config.ts';
import { keptSecret } from './private-file.ts';

/** The environment of API, worker, migrations and provisioning. Production sets the same variables. */
export type StackEnvironment = {
  DATABASE_URL: string;
  S3_ENDPOINT: string;
  S3_REGION: string;
  S3_BUCKET: string;
  S3_ACCESS_KEY_ID: string;
  S3_SECRET_ACCESS_KEY: string;
  S3_IAM_ENDPOINT: string;
  TEMPORAL_ADDRESS: string;
  TEMPORAL_NAMESPACE: string;
  /** Empty if it is not known. */
  TEMPORAL_UI_URL: string;
  ENCRYPTION_KEYS: string;
  DUCKDB_EXTENSION_DIR: string;
  WORK_DIR: string;
  HOST: string;
  PORT: string;
  HEALTH_PORT: string;
  METRICS_PORT: string;
  PG_PORT: string;
  DRAIN_SECONDS: string;
  PUBLIC_URL: string;
  RATE_LIMIT_PER_MINUTE: string;
  LOG_LEVEL: string;
  SMTP_URL: string;
  SMTP_FROM: string;
};

export type Addresses = {
  databaseUrl: string;
  objectStore: ObjectStoreConfig;
  temporalAddress: string;
  temporalUiUrl: string;
  duckdbExtensionDir: string;
  apiPort: number;
  mail: { smtpUrl: string; smtpFrom: string };
};

/** Scratch space of engines and imports; its content is not needed after a stop. */
export function workDirOf(dataDir: string): string {
  return join(dataDir, 'tmp');
}

export function stackEnvironment(config: LocalConfig, addresses: Addresses): StackEnvironment {
  const { objectStore } = addresses;
  return {
    DATABASE_URL: addresses.databaseUrl,
    S3_ENDPOINT: objectStore.endpoint,
    S3_REGION: objectStore.region,
    S3_BUCKET: objectStore.bucket,
    S3_ACCESS_KEY_ID: objectStore.accessKeyId,
    S3_SECRET_ACCESS_KEY: objectStore.secretAccessKey,
    S3_IAM_ENDPOINT: objectStore.iamEndpoint,
    TEMPORAL_ADDRESS: addresses.temporalAddress,
    TEMPORAL_NAMESPACE: config.temporalNamespace,
    TEMPORAL_UI_URL: addresses.temporalUiUrl,
    ENCRYPTION_KEYS: encryptionKeys(config.dataDir),
    DUCKDB_EXTENSION_DIR: addresses.duckdbExtensionDir,
    WORK_DIR: workDirOf(config.dataDir),
    HOST: '127.0.0.1',
    PORT: String(addresses.apiPort),
    // Any free ones; the start prints those of the metrics and of PostgreSQL's clients.
    HEALTH_PORT: '0',
    METRICS_PORT: '0',
    PG_PORT: config.postgresPort,
    // There is no proxy that would have to hear of a stop.
    DRAIN_SECONDS: '0',
    PUBLIC_URL: `http://127.0.0.1:${addresses.apiPort}`,
    RATE_LIMIT_PER_MINUTE: config.rateLimitPerMinute,
    LOG_LEVEL: config.logLevel,
    SMTP_URL: addresses.mail.smtpUrl,
    SMTP_FROM: addresses.mail.smtpFrom,
  };
}

/** The encryption key of stored secrets: if this file is lost, they cannot be decrypted. */
function encryptionKeys(dataDir: string): string {
  return keptSecret(join(dataDir, 'encryption.key'), () => `k1:${randomBytes(32).toString('base64')}`);
}

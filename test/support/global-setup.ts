import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createObjectStore } from '../../data/objects/store.ts';
import { type ObjectStoreHandle, startObjectStore } from '../../local/object-store.ts';
import { type PostgresHandle, startPostgres } from '../../local/postgres.ts';
import { startTemporal, type TemporalHandle } from '../../local/temporal.ts';
import { ensureTools } from '../../local/tools.ts';
import { migrateToLatest } from '../../migrations/migrate.ts';
import { testStores } from './stores.ts';
import { bundleWorkflows } from './workflow-bundle.ts';

/** A database that is migrated once; every test file gets a copy of it. */
const templateDatabase = 'workspace_template';

/**
 * The real stack for the whole run: PostgreSQL, S3 and a Temporal server on free ports, in a folder that is
 * removed when the tests end. Test files find it through the environment, as the service does.
 */
export async function setup(): Promise<() => Promise<void>> {
  const tools = await ensureTools();
  const folder = await mkdtemp(join(tmpdir(), 'workspace-test-'));
  const at = (name: string) => ({ dataDir: join(folder, name), logFile: join(folder, `${name}.log`) });
  const starts = [
    startPostgres({ ...at('postgres'), sharedBuffersMib: 128, isDurable: false }),
    startObjectStore({ ...at('s3'), weed: tools.weed }),
    startTemporal({ ...at('temporal'), temporal: tools.temporal }),
  ] as const;
  const stop = async () => {
    const started = await Promise.allSettled(starts);
    await Promise.allSettled(started.map((part) => part.status === 'fulfilled' && part.value.stop()));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const bundle = join(folder, 'workflows.js');
    const [parts] = await Promise.all([Promise.all(starts), bundleWorkflows(bundle)]);
    process.env['WORKFLOW_BUNDLE'] = bundle;
    await prepare(tools, folder, parts);
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}

type Tools = Awaited<ReturnType<typeof ensureTools>>;
type Parts = readonly [PostgresHandle, ObjectStoreHandle, TemporalHandle];

/** The bucket, the migrated template, and the environment for the test files. */
async function prepare(tools: Tools, folder: string, [postgres, objects, temporal]: Parts): Promise<void> {
  const workDir = join(folder, 'work');
  await mkdir(workDir, { recursive: true });
  await createTemplate(postgres.databaseUrl, postgres.urlOf(templateDatabase));
  Object.assign(process.env, {
    DATABASE_URL: postgres.databaseUrl,
    TEMPLATE_DATABASE: templateDatabase,
    S3_ENDPOINT: objects.endpoint,
    S3_REGION: objects.region,
    S3_BUCKET: 'workspace',
    S3_ACCESS_KEY_ID: objects.accessKeyId,
    S3_SECRET_ACCESS_KEY: objects.secretAccessKey,
    S3_IAM_ENDPOINT: objects.endpoint,
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: temporal.namespace,
    TEMPORAL_TEST_SERVER_BIN: tools.temporalTestServer,
    ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    DUCKDB_EXTENSION_DIR: tools.duckdbExtensionDir,
    WORK_DIR: workDir,
    LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'error',
  });
  const store = createObjectStore(testStores().objectStore);
  await store.ensureBucket();
  store.close();
}

async function createTemplate(adminUrl: string, templateUrl: string): Promise<void> {
  const { default: pg } = await import('pg');
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${templateDatabase}`);
  await admin.end();
  await migrateToLatest(templateUrl);
}

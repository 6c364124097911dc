import { mkdir } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { Client, Connection } from '@temporalio/client';
import { pino } from 'pino';
import { createCipher } from '../data/encryption.ts';
import { errorForLog } from '../data/error-log.ts';
import { createObjectStore } from '../data/objects/store.ts';
import { createDatabase } from '../data/postgres/client.ts';
import { traceInterceptor } from '../data/processes/start.ts';
import { createProcessStarter } from '../data/processes/starter.ts';
import { openLakes, previewStaging } from '../domain/engine-processes/open.ts';
import { createFileReader } from '../domain/file-imports/reader.ts';
import { createPageWriter } from '../domain/ingestion/page-writer.ts';
import { createQueryPool } from '../domain/query/pool.ts';
import { createBodyReader } from '../domain/records/reading/reader.ts';
import { createAppender } from '../domain/rows/append-queue.ts';
import { createRowsBodies } from '../domain/rows/body.ts';
import { traceHeader } from '../workflows/trace-header.ts';
import { buildApp } from './app.ts';
import { readApiConfig } from './config.ts';

// Bodies of megabytes are memory outside of the heap: without this, V8 marks the whole heap for every 64 MB of them.
setFlagsFromString('--external-memory-accounted-in-global-limit');

let stopping = false;

const config = readApiConfig(process.env);
const logger = pino({
  level: config.logLevel,
  base: { service: 'api' },
  serializers: { err: errorForLog },
  redact: ['req.headers.authorization', 'req.headers.cookie'],
});
await mkdir(config.workDir, { recursive: true });

const cipher = createCipher(config.encryptionKeys);
const { db, pool } = createDatabase({ url: config.databaseUrl, maxConnections: 20, applicationName: 'api' });
const objects = createObjectStore(config.objectStore);
const {
  lake,
  staging,
  close: closeLakes,
} = openLakes({
  ...config,
  cipher,
  memoryLimitBytes: config.lakeMemoryBytes,
  threads: 2,
  processes: config.lakeProcesses,
  staging: previewStaging(config.previewProcesses),
  applicationName: 'api',
  logger,
});
const queries = createQueryPool({
  ...config.queries,
  extensionDir: config.extensionDir,
  objectStore: config.objectStore,
  workDir: config.workDir,
  logger,
});
// Without the object store the API still serves what needs none; the worker makes the bucket too.
void objects
  .ensureBucket()
  .catch((error: unknown) => logger.warn({ err: error }, 'the bucket could not be looked for'));
const connection = Connection.lazy({
  address: config.temporal.address,
  // After an outage the next request should find the service again, not wait out a long back-off.
  channelArgs: { 'grpc.max_reconnect_backoff_ms': 1_000, 'grpc.initial_reconnect_backoff_ms': 200 },
});
const client = new Client({
  connection,
  namespace: config.temporal.namespace,
  interceptors: { workflow: [traceInterceptor(traceHeader)] },
});
const reader = createBodyReader();
const pages = await createPageWriter({ engine: lake.engine, reader, objects, workDir: config.workDir });

const app = await buildApp({
  db,
  cipher,
  objects,
  lake,
  queries,
  logger,
  append: createAppender(lake),
  reader,
  rows: await createRowsBodies(reader, config.workDir),
  pages,
  files: createFileReader(staging),
  processes: createProcessStarter(db, client),
  rateLimitPerMinute: config.rateLimitPerMinute,
  publicUrl: config.publicUrl,
  trustedProxies: config.trustedProxies,
  validateResponses: false,
  probes: {
    postgres: () => pool.query('SELECT 1'),
    objectStore: () => objects.ping(),
    temporal: () =>
      client.withDeadline(Date.now() + 1_500, () => connection.workflowService.getSystemInfo({})),
  },
});

/** Answers what is under way, then lets go of everything; a second signal does not wait. */
async function stop(): Promise<void> {
  if (stopping) process.exit(1);
  stopping = true;
  await app.close();
  await Promise.all([queries.close(), reader.close()]);
  await connection.close().catch(() => undefined);
  await closeLakes();
  await db.destroy();
  objects.close();
  process.exit(0);
}

process.once('SIGTERM', () => void stop());
process.once('SIGINT', () => void stop());
// Under a supervisor the channel ends with it: nobody would stop this process otherwise.
process.once('disconnect', () => void stop());

await app.listen({ host: config.host, port: config.port });
const address = app.server.address();
process.send?.({ ready: true, port: typeof address === 'object' ? address?.port : undefined });

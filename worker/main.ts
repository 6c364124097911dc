import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import pg from 'pg';
import { pino } from 'pino';
import { ingestionBatchControlActivities } from '../activities/ingestion-batch/control.ts';
import { ingestionBatchLakeActivities } from '../activities/ingestion-batch/lake.ts';
import { lakeMaintenanceControlActivities } from '../activities/lake-maintenance/control.ts';
import { lakeMaintenanceLakeActivities } from '../activities/lake-maintenance/lake.ts';
import { tableImportControlActivities } from '../activities/table-import/control.ts';
import { tableImportLakeActivities } from '../activities/table-import/lake.ts';
import { createCipher } from '../data/encryption.ts';
import { errorForLog } from '../data/error-log.ts';
import { createObjectStore } from '../data/objects/store.ts';
import { createDatabase } from '../data/postgres/client.ts';
import { traceInterceptor } from '../data/processes/start.ts';
import { activityStaging, openLakes } from '../domain/engine-processes/open.ts';
import { createFileReader } from '../domain/file-imports/reader.ts';
import { createPageWriter } from '../domain/ingestion/page-writer.ts';
import { createBodyReader } from '../domain/records/reading/reader.ts';
import { taskQueues } from '../workflows/task-queues.ts';
import { traceHeader } from '../workflows/trace-header.ts';
import { readWorkerConfig } from './config.ts';
import { activityErrors } from './interceptors.ts';
import { startReconciler } from './reconcile.ts';
import { ensureSearchAttributes } from './search-attributes.ts';

const config = readWorkerConfig(process.env);
const logger = pino({
  level: config.logLevel,
  base: { service: 'worker' },
  serializers: { err: errorForLog, error: errorForLog },
});
await mkdir(config.workDir, { recursive: true });

const levels = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;
Runtime.install({
  shutdownSignals: [],
  logger: new DefaultLogger('INFO', ({ level, message, meta }) => logger[levels[level]](meta ?? {}, message)),
});

const { db } = createDatabase({ url: config.databaseUrl, maxConnections: 10, applicationName: 'worker' });
const objects = createObjectStore(config.objectStore);
await objects.ensureBucket();
const {
  lake,
  staging,
  close: closeLakes,
} = openLakes({
  ...config,
  cipher: createCipher(config.encryptionKeys),
  memoryLimitBytes: config.lakeMemoryBytes,
  threads: config.lakeThreads,
  processes: config.lakeProcesses,
  staging: activityStaging(config.lakeActivities),
  applicationName: 'worker',
  logger,
});
const reader = createBodyReader();
const deps = {
  db,
  objects,
  lake,
  logger,
  pages: await createPageWriter({ engine: lake.engine, reader, objects, workDir: config.workDir }),
  staging,
  files: createFileReader(staging),
};

const { address, namespace } = config.temporal;
const clientConnection = await Connection.connect({ address });
await ensureSearchAttributes(clientConnection, namespace);
const connection = await NativeConnection.connect({ address });
const workflowsPath = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));
const traceModule = fileURLToPath(new URL('../workflows/trace-context.ts', import.meta.url));
const shared = {
  connection,
  namespace,
  interceptors: { activity: [activityErrors(logger)] },
};
const workers = await Promise.all([
  Worker.create({
    ...shared,
    taskQueue: taskQueues.control,
    workflowsPath,
    interceptors: { ...shared.interceptors, workflowModules: [traceModule] },
    activities: {
      ...ingestionBatchControlActivities(deps),
      ...tableImportControlActivities(deps),
      ...lakeMaintenanceControlActivities(deps, config.lakeMaintenance),
    },
    shutdownGraceTime: '3 seconds',
  }),
  Worker.create({
    ...shared,
    taskQueue: taskQueues.lake,
    activities: {
      ...ingestionBatchLakeActivities(deps),
      ...tableImportLakeActivities(deps),
      ...lakeMaintenanceLakeActivities(deps, config.lakeMaintenance),
    },
    // A slot costs little: what an activity needs is an engine process, of which each organization has its share.
    maxConcurrentActivityTaskExecutions: config.lakeActivities * 16,
    shutdownGraceTime: '3 seconds',
  }),
]);

const lockPool = new pg.Pool({
  connectionString: config.databaseUrl,
  max: 1,
  application_name: 'worker reconciler',
});
lockPool.on('error', () => undefined);
// The same for the one in use: the round fails, and is taken again.
lockPool.on('connect', (client) => client.on('error', () => undefined));
const reconciler = startReconciler({
  ...deps,
  client: new Client({
    connection: clientConnection,
    namespace,
    interceptors: { workflow: [traceInterceptor(traceHeader)] },
  }),
  lockPool,
  lakeMaintenanceIntervalSeconds: config.lakeMaintenance.intervalSeconds,
});

/** Stops polling, gives activities a moment to notice, and lets their retries go elsewhere. */
function stop(): void {
  for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
}
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
process.once('disconnect', stop);

const running = Promise.all(workers.map((worker) => worker.run()));
process.send?.({ ready: true });
try {
  await running;
} finally {
  await reconciler.stop();
  await lockPool.end();
  await reader.close();
  await connection.close();
  await clientConnection.close();
  await closeLakes();
  await db.destroy();
  objects.close();
}
process.exit(0);

import '../data/zone-rules/use.ts';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import type { Connection } from '@temporalio/client';
import { DefaultLogger, MetricsBuffer, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { pino } from 'pino';
import { errorForLog } from '../data/error-log.ts';
import { temporalConnection } from '../data/processes/connect.ts';
import { configOrExit, examineAtStart, pauseAtStart } from '../service/doctor/at-start.ts';
import { activityStaging } from '../service/engine-process/open.ts';
import { openService } from '../service/open.ts';
import { serviceProbes } from '../service/probes.ts';
import { observe, observeDeployment } from '../service/telemetry/observe.ts';
import { startTelemetry } from '../service/telemetry/start.ts';
import { taskQueues } from '../workflows/task-queues.ts';
import { activitiesOf } from './activities.ts';
import { activityTraces } from './activity-traces.ts';
import { readWorkerConfig } from './config.ts';
import { bufferOptions, takeCoreMetrics } from './core-metrics.ts';
import { startDataEvents } from './data-events.ts';
import { serveHealth } from './health.ts';
import { activityErrors } from './interceptors.ts';
import { startReconciler } from './reconciler.ts';
import { ensureSearchAttributes } from './search-attributes.ts';
import { reconcileSteps } from './steps.ts';
import { becomeCurrentWhereNoneIs, versioningOf } from './versioning.ts';
import { bundleCacheDir, keptWorkflowBundle } from './workflow-bundle.ts';

// On a machine that it shares with the API, requests of people go first.
try {
  setPriority(5);
} catch {
  // The system does not allow it.
}

const config = configOrExit(() => readWorkerConfig(process.env));
const logger = pino({
  level: config.logLevel,
  base: { service: 'worker' },
  serializers: { err: errorForLog, error: errorForLog },
});
const levels = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;
const sdkLogger = new DefaultLogger('INFO', ({ level, message, meta }) =>
  logger[levels[level]](meta ?? {}, message),
);
const telemetry = await startTelemetry(config.telemetry, { service: 'worker', isScraped: true, logger });
const buffer = new MetricsBuffer(bufferOptions);
Runtime.install({
  shutdownSignals: [],
  // The SDK's core writes the same form as everything else.
  telemetryOptions: {
    logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} },
    metrics: { buffer },
  },
  logger: sdkLogger,
});

const opened = await openService(config, {
  // Whoever sees that work has ended sees what it ran.
  recordsAtOnce: true,
  applicationName: 'worker',
  maxConnections: 10,
  lakeThreads: config.lakeThreads,
  staging: activityStaging(config.lakeActivities),
  logger,
});
const { service: deps, temporal, close } = opened;
await examineAtStart(config, logger);
await pauseAtStart(config, deps.db, logger);
await deps.objects.ensureBucket();
await ensureSearchAttributes(temporal.connection as Connection, config.temporal.namespace, logger);
const connection = await NativeConnection.connect(temporalConnection(config.temporal));
const codePath = await keptWorkflowBundle(
  [bundleCacheDir, join(config.workDir, 'workflow-bundles')],
  sdkLogger,
);
const shared = {
  connection,
  namespace: config.temporal.namespace,
  interceptors: { activity: [activityTraces, activityErrors(logger)] },
  ...versioningOf(config.buildId),
};
const activities = activitiesOf(deps, config.lakeMaintenance, config.agent);
const workers = await Promise.all([
  Worker.create({
    ...shared,
    taskQueue: taskQueues.control,
    workflowBundle: { codePath },
    activities: activities.control,
    shutdownGraceTime: '3 seconds',
  }),
  Worker.create({
    ...shared,
    taskQueue: taskQueues.lake,
    activities: activities.lake,
    // A slot costs little: the real limit is engine processes, of which each organization has a share.
    maxConcurrentActivityTaskExecutions: config.lakeActivities * 16,
    // A heartbeat throttled for longer than the shortest heartbeat timeouts would be taken for a lost worker.
    maxHeartbeatThrottleInterval: '2 seconds',
    shutdownGraceTime: '3 seconds',
  }),
  Worker.create({
    ...shared,
    taskQueue: taskQueues.agent,
    activities: activities.agent,
    // Model calls and query processes; a stream costs a connection and little memory.
    maxConcurrentActivityTaskExecutions: config.agentActivities,
    // So that a worker that is slow for some seconds is not considered lost.
    maxHeartbeatThrottleInterval: '2 seconds',
    shutdownGraceTime: '3 seconds',
  }),
]);

const reconciler = startReconciler(deps, reconcileSteps(deps, config.lakeMaintenance));
const dataEvents = startDataEvents(deps);

/** Stops polling, and gives activities a moment to end; their retries run on other workers. */
function stop(): void {
  for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
}
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
process.once('disconnect', stop);

const running = Promise.all(workers.map((worker) => worker.run()));
if (config.buildId !== undefined)
  becomeCurrentWhereNoneIs(temporal, config.buildId, logger).catch((err: unknown) =>
    logger.warn({ err }, 'the release could not be announced'),
  );
const probes = {
  ...serviceProbes(opened),
  workers() {
    if (workers.some((worker) => worker.getState() !== 'RUNNING')) throw new Error("A worker isn't polling.");
  },
};
const observers = [observe(opened, probes), observeDeployment(opened)];
const coreMetrics = takeCoreMetrics(buffer);
const health = await serveHealth(config.healthPort, config.host, { probes, metrics: telemetry.text });
process.send?.({ ready: true, healthPort: health.port });
try {
  await running;
} finally {
  coreMetrics.stop();
  await Promise.all(observers.map((observer) => observer.stop()));
  await Promise.all([reconciler.stop(), dataEvents.stop(), telemetry.stop()]);
  await health.close();
  await connection.close();
  await close();
}
process.exit(0);

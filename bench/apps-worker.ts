/**
 * A worker that checks apps and does nothing else. Started by bench/apps.ts; reports the delay of its event
 * loop, its CPU time and its memory when it is asked.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import type { Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { pino } from 'pino';
import { appHealthAgentActivities } from '../activities/workspace/agent.ts';
import { parseAllowedNetworks } from '../data/outgoing/allowed-addresses.ts';
import { createOutgoing } from '../data/outgoing/outgoing.ts';
import { createDatabase } from '../data/postgres/client.ts';
import { createTemporalClient } from '../data/processes/connect.ts';
import { createProcesses } from '../data/processes/processes.ts';
import { appHealthSteps } from '../domain/workspace/apps/reconcile.ts';
import { startReconciler } from '../worker/reconciler.ts';
import { ensureSearchAttributes } from '../worker/search-attributes.ts';
import { taskQueues } from '../workflows/task-queues.ts';

export interface WorkerFigures {
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  cpuSeconds: number;
  rssBytes: number;
}

const { DATABASE_URL: url = '', TEMPORAL_ADDRESS: address = '' } = process.env;
const logger = pino({ level: 'error' });
const { db } = createDatabase({ url, maxConnections: 10, applicationName: 'bench-worker' });
const outgoing = createOutgoing({ allowedPrivate: parseAllowedNetworks('127.0.0.0/8') });
const temporal = createTemporalClient({ address, namespace: 'default', tls: false } as never, {});
const deps = { db, logger, processes: createProcesses(db, temporal) };
await ensureSearchAttributes(temporal.connection as Connection, 'default');
const connection = await NativeConnection.connect({ address });
const workers = await Promise.all([
  Worker.create({
    connection,
    taskQueue: taskQueues.control,
    workflowsPath: fileURLToPath(new URL('../workflows/index.ts', import.meta.url)),
  }),
  Worker.create({
    connection,
    taskQueue: taskQueues.agent,
    activities: appHealthAgentActivities({ db, outgoing }),
    maxConcurrentActivityTaskExecutions: 128,
    maxHeartbeatThrottleInterval: '2 seconds',
  }),
]);
startReconciler({ db, logger }, appHealthSteps(deps));

/** The delay is measured by a timer of this length, which it includes. */
const resolutionMs = 5;
const lateMs = (measuredNs: number) => Math.max(0, measuredNs / 1e6 - resolutionMs);
const delay = monitorEventLoopDelay({ resolution: resolutionMs });
let used = process.cpuUsage();
process.on('message', (asked: 'begin' | 'end') => {
  if (asked === 'begin') {
    delay.enable();
    delay.reset();
    used = process.cpuUsage();
    return;
  }
  const { user, system } = process.cpuUsage(used);
  const figures: WorkerFigures = {
    p50Ms: lateMs(delay.percentile(50)),
    p99Ms: lateMs(delay.percentile(99)),
    maxMs: lateMs(delay.max),
    cpuSeconds: (user + system) / 1e6,
    rssBytes: process.memoryUsage.rss(),
  };
  process.send?.({ figures });
});
process.send?.({ ready: true });
await Promise.all(workers.map((worker) => worker.run()));

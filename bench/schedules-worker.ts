/**
 * A worker for schedules whose target does nothing: firing is the service's own code, and what is fired ends
 * at once. Started by bench/schedules.ts; reports its memory every second.
 */
import { fileURLToPath } from 'node:url';
import type { Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { pino } from 'pino';
import { scheduleControlActivities, scheduleRunControlActivities } from '../activities/automation/control.ts';
import type { ActivityDeps } from '../activities/deps.ts';
import { createDatabase, inOrganization } from '../data/postgres/client.ts';
import { createTemporalClient } from '../data/processes/connect.ts';
import { createProcesses } from '../data/processes/processes.ts';
import { processSteps } from '../data/processes/reconcile.ts';
import { endRun } from '../domain/automation/schedules/fires.ts';
import { scheduleSteps } from '../domain/automation/schedules/reconcile.ts';
import { findScheduleRun } from '../domain/automation/schedules/schedule-runs.ts';
import { startReconciler } from '../worker/reconciler.ts';
import { ensureSearchAttributes } from '../worker/search-attributes.ts';
import { taskQueues } from '../workflows/task-queues.ts';

const { DATABASE_URL: url = '', TEMPORAL_ADDRESS: address = '' } = process.env;
const logger = pino({ level: 'error' });
const { db } = createDatabase({ url, maxConnections: 10, applicationName: 'bench-worker' });
const settings = {
  address,
  namespace: 'default',
  apiKey: undefined,
  tls: false,
  serverCaPath: undefined,
  clientCertPath: undefined,
  clientKeyPath: undefined,
  serverName: undefined,
};
const temporal = createTemporalClient(settings, {});
const deps = { db, logger, processes: createProcesses(db, temporal) } as unknown as ActivityDeps;
await ensureSearchAttributes(temporal.connection as Connection, 'default');
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  taskQueue: taskQueues.control,
  workflowsPath: fileURLToPath(new URL('../workflows/index.ts', import.meta.url)),
  activities: {
    ...scheduleControlActivities(deps),
    ...scheduleRunControlActivities(deps),
    beginFire: ({ organizationId, scheduleRunId }: { organizationId: string; scheduleRunId: string }) =>
      inOrganization(db, organizationId, async (transaction) => {
        const fire = await findScheduleRun(transaction, organizationId, scheduleRunId);
        const status = fire === undefined ? 'cancelled' : await endRun(transaction, fire, 'succeeded', null);
        return { kind: 'ended', status };
      }),
  },
});
startReconciler({ db, logger }, [...processSteps(deps), ...scheduleSteps(deps)]);
setInterval(() => process.send?.({ rssBytes: process.memoryUsage.rss() }), 1_000);
process.send?.({ ready: true });
await worker.run();

import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll } from 'vitest';
import { ingestionBatchControlActivities } from '../../activities/ingestion-batch/control.ts';
import { ingestionBatchLakeActivities } from '../../activities/ingestion-batch/lake.ts';
import { lakeMaintenanceControlActivities } from '../../activities/lake-maintenance/control.ts';
import { lakeMaintenanceLakeActivities } from '../../activities/lake-maintenance/lake.ts';
import { tableImportControlActivities } from '../../activities/table-import/control.ts';
import { tableImportLakeActivities } from '../../activities/table-import/lake.ts';
import { taskQueues } from '../../workflows/task-queues.ts';
import { quietRuntime } from './temporal.ts';
import type { Workspace } from './workspace.ts';

/** As in production; no test waits for the interval. */
const lakeMaintenance = { intervalSeconds: 3_600, retentionDays: 7 };

/** A worker with the real activities for the file's workspace, in its namespace. Call it after `useWorkspace`. */
export function useWorker(workspace: Workspace): void {
  let stop: () => Promise<void> = async () => undefined;
  beforeAll(async () => {
    quietRuntime();
    const connection = await NativeConnection.connect({ address: process.env['TEMPORAL_ADDRESS']! });
    const workflowBundle = await bundleWorkflowCode({
      workflowsPath: fileURLToPath(new URL('../../workflows/index.ts', import.meta.url)),
      workflowInterceptorModules: [
        fileURLToPath(new URL('../../workflows/trace-context.ts', import.meta.url)),
      ],
    });
    const { namespace } = workspace.temporal.options;
    const workers = await Promise.all([
      Worker.create({
        connection,
        namespace,
        workflowBundle,
        taskQueue: taskQueues.control,
        activities: {
          ...ingestionBatchControlActivities(workspace.activityDeps),
          ...tableImportControlActivities(workspace.activityDeps),
          ...lakeMaintenanceControlActivities(workspace.activityDeps, lakeMaintenance),
        },
      }),
      Worker.create({
        connection,
        namespace,
        taskQueue: taskQueues.lake,
        activities: {
          ...ingestionBatchLakeActivities(workspace.activityDeps),
          ...tableImportLakeActivities(workspace.activityDeps),
          ...lakeMaintenanceLakeActivities(workspace.activityDeps, lakeMaintenance),
        },
        maxConcurrentActivityTaskExecutions: 2,
      }),
    ]);
    const running = workers.map((worker) => worker.run());
    stop = async () => {
      for (const worker of workers) worker.shutdown();
      await Promise.all(running);
      await connection.close();
    };
  });
  afterAll(() => stop());
}

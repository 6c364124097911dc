import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll } from 'vitest';
import { tableImportControlActivities } from '../../activities/table-import/control.ts';
import { tableImportLakeActivities } from '../../activities/table-import/lake.ts';
import { taskQueues } from '../../workflows/task-queues.ts';
import { quietRuntime } from './temporal.ts';
import type { Workspace } from './workspace.ts';

/**
 * A worker with the real activities for the file's workspace. Call it after `useWorkspace`. Files that use it
 * must not run side by side on one Temporal server: they would take each other's tasks.
 */
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
        activities: tableImportControlActivities(workspace.activityDeps),
      }),
      Worker.create({
        connection,
        namespace,
        taskQueue: taskQueues.lake,
        activities: tableImportLakeActivities(workspace.activityDeps),
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

import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll } from 'vitest';
import { activitiesOf } from '../../worker/activities.ts';
import { taskQueues } from '../../workflows/task-queues.ts';
import { quietRuntime } from './temporal.ts';
import { workflowBundle } from './workflow-bundle.ts';
import type { Workspace } from './workspace.ts';

/** As in production; no test waits for the interval. */
const lakeMaintenance = { intervalSeconds: 3_600, retentionDays: 7 };

const usual = { turnsPerOrganization: 32 };

/** A worker with the real activities for the file's workspace. Call it after `useWorkspace`. */
export function useWorker(workspace: Workspace, agent = usual): void {
  if (workspace.shared !== undefined) {
    if (agent !== usual) throw new Error('A worker with limits of its own needs its own workspace.');
    workspace.shared.hasWorker = true;
    return;
  }
  let stop: () => Promise<void> = async () => undefined;
  beforeAll(async () => {
    stop = await startWorker(workspace, agent);
  });
  afterAll(() => stop());
}

/** Polls in the namespace of the workspace; returns what ends it. */
export async function startWorker(workspace: Workspace, agent = usual): Promise<() => Promise<void>> {
  quietRuntime();
  const connection = await NativeConnection.connect({ address: process.env['TEMPORAL_ADDRESS']! });
  const { namespace } = workspace.temporal.options;
  const activities = activitiesOf(workspace.activityDeps, lakeMaintenance, agent);
  const workers = await Promise.all([
    Worker.create({
      connection,
      namespace,
      workflowBundle: workflowBundle(),
      taskQueue: taskQueues.control,
      activities: activities.control,
    }),
    Worker.create({
      connection,
      namespace,
      taskQueue: taskQueues.lake,
      activities: activities.lake,
      maxConcurrentActivityTaskExecutions: 8,
    }),
    Worker.create({
      connection,
      namespace,
      taskQueue: taskQueues.agent,
      activities: activities.agent,
    }),
  ]);
  const running = workers.map((worker) => worker.run());
  return async () => {
    for (const worker of workers) worker.shutdown();
    await Promise.all(running);
    await connection.close();
  };
}

import { randomUUID } from 'node:crypto';
import { WorkflowFailedError } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { expect } from 'vitest';
import { taskQueues } from '../../workflows/task-queues.ts';
import { keepHistory } from './histories.ts';
import { workflowBundle } from './workflow-bundle.ts';

// biome-ignore lint/suspicious/noExplicitAny: activities of all processes.
type Activities = Record<string, (...given: any[]) => Promise<unknown>>;

interface LivedProcess {
  /** Its workflow type, and the first part of its id. */
  type: string;
  input: object;
  control: Activities;
  lake: Activities;
  during: ((workflowId: string) => Promise<void>) | undefined;
  /** The name of its saved history; none if undefined. */
  history: string | undefined;
}

/** Runs a process of the queues `control` and `lake` to its end; the status that Temporal has of it. */
export async function runToEnd(
  env: TestWorkflowEnvironment,
  { type, input, control, lake, during, history }: LivedProcess,
): Promise<string> {
  const workflowId = `${type}/${randomUUID()}`;
  const connection = env.nativeConnection;
  const [first, second] = await Promise.all([
    Worker.create({
      connection,
      workflowBundle: workflowBundle(),
      taskQueue: taskQueues.control,
      activities: control,
    }),
    Worker.create({ connection, taskQueue: taskQueues.lake, activities: lake }),
  ]);
  return first.runUntil(
    second.runUntil(async () => {
      const handle = await env.client.workflow.start(type, {
        workflowId,
        taskQueue: taskQueues.control,
        args: [input],
      });
      await during?.(workflowId);
      const result = await handle.result().catch((error: unknown) => error);
      const { status } = await handle.describe();
      expect(result instanceof WorkflowFailedError).toBe(status.name !== 'COMPLETED');
      if (history !== undefined) await keepHistory(handle, `${type}-${history}`);
      return status.name;
    }),
  );
}

import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { taskQueues } from '../../workflows/task-queues.ts';
import type { AppHealthAgentActivities } from '../../workflows/workspace/app-health/contract.ts';
import { appHealthWorkflowType, wakeAppHealthSignal } from '../../workflows/workspace/app-health/names.ts';
import { keepHistory } from '../support/histories.ts';
import { quietRuntime, timeSkipping, untilEvent } from '../support/temporal.ts';
import { workflowBundle } from '../support/workflow-bundle.ts';

let env: TestWorkflowEnvironment;

beforeAll(async () => {
  quietRuntime();
  env = await timeSkipping();
});
afterAll(() => env?.teardown());

const dueAfter = (waitMs: number) => ({ waitMs, apps: 2, live: 1 });
const noApps = { waitMs: null, apps: 0, live: 0 };

interface Lived {
  /** Of its last execution. */
  status: string;
  first: WorkflowHandle;
}

/** Runs a process to its end. */
async function run(
  checkDueApps: AppHealthAgentActivities['checkDueApps'],
  during: (handle: WorkflowHandle) => Promise<unknown> = async () => undefined,
): Promise<Lived> {
  const connection = env.nativeConnection;
  const [control, agent] = await Promise.all([
    Worker.create({ connection, workflowBundle: workflowBundle(), taskQueue: taskQueues.control }),
    Worker.create({ connection, taskQueue: taskQueues.agent, activities: { checkDueApps } }),
  ]);
  return control.runUntil(
    agent.runUntil(async () => {
      const workflowId = `app-health/${randomUUID()}`;
      const started = await env.client.workflow.start(appHealthWorkflowType, {
        workflowId,
        taskQueue: taskQueues.control,
        args: [{ organizationId: 'org_test' }],
      });
      const handle = env.client.workflow.getHandle(workflowId);
      await during(handle);
      await handle.result().catch(() => undefined);
      const first = env.client.workflow.getHandle(workflowId, started.firstExecutionRunId);
      return { status: (await handle.describe()).status.name, first };
    }),
  );
}

test('it checks whenever something is due, and ends when the organization has no apps', async () => {
  const atMs: number[] = [];
  const waits = [30_000, 600_000, 0];
  const { status, first } = await run(async () => {
    atMs.push(await env.currentTimeMs());
    const waitMs = waits[atMs.length - 1];
    return waitMs === undefined ? noApps : dueAfter(waitMs);
  });
  expect(status).toBe('COMPLETED');
  expect(atMs).toHaveLength(4);
  expect(atMs[1]! - atMs[0]!).toBeGreaterThanOrEqual(30_000);
  expect(atMs[2]! - atMs[1]!).toBeGreaterThanOrEqual(600_000);
  await keepHistory(first, 'app-health-ended');
});

test('the signal makes it read its apps before anything is due', async () => {
  const dayMs = 86_400_000;
  const atMs: number[] = [];
  const { status, first } = await run(
    async () => {
      atMs.push(await env.currentTimeMs());
      return atMs.length === 1 ? dueAfter(dayMs) : noApps;
    },
    async (handle) => {
      await untilEvent(handle, 'timerStartedEventAttributes');
      await handle.signal(wakeAppHealthSignal);
    },
  );
  expect(status).toBe('COMPLETED');
  expect(atMs[1]! - atMs[0]!).toBeLessThan(dayMs);
  await keepHistory(first, 'app-health-woken');
});

test('an app that is registered while the last round finds none is not forgotten', async () => {
  let rounds = 0;
  const reading = Promise.withResolvers<void>();
  const signalled = Promise.withResolvers<void>();
  const { status } = await run(
    async () => {
      rounds += 1;
      reading.resolve();
      if (rounds === 1) await signalled.promise;
      return rounds === 2 ? dueAfter(30_000) : noApps;
    },
    async (handle) => {
      // A signal before the round would only be read with the rows it is about.
      await reading.promise;
      await handle.signal(wakeAppHealthSignal);
      await untilEvent(handle, 'workflowExecutionSignaledEventAttributes');
      signalled.resolve();
    },
  );
  expect([status, rounds]).toEqual(['COMPLETED', 3]);
});

test('a round that fails is tried again until it works', async () => {
  let tries = 0;
  const { status, first } = await run(async () => {
    tries += 1;
    if (tries < 6) throw new Error('The database is away.');
    return noApps;
  });
  expect([status, tries]).toEqual(['COMPLETED', 6]);
  await keepHistory(first, 'app-health-retried');
});

test('it continues as a new execution before its history grows long', async () => {
  let rounds = 0;
  const { status, first } = await run(async () => {
    rounds += 1;
    return rounds < 400 ? dueAfter(0) : noApps;
  });
  const { status: before, historyLength } = await first.describe();
  expect([before.name, status]).toEqual(['CONTINUED_AS_NEW', 'COMPLETED']);
  expect(historyLength).toBeLessThan(2_100);
  await keepHistory(first, 'app-health-continued');
});

test('an operator may cancel it while it waits', async () => {
  const { status, first } = await run(
    async () => dueAfter(600_000),
    async (handle) => {
      await untilEvent(handle, 'timerStartedEventAttributes');
      await handle.cancel();
    },
  );
  expect(status).toBe('CANCELLED');
  await keepHistory(first, 'app-health-cancelled');
});

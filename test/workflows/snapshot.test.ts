import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { snapshotProcess } from '../../domain/intake/datasets/process.ts';
import type {
  SnapshotControlActivities,
  SnapshotLakeActivities,
  SnapshotOutcome,
} from '../../workflows/intake/snapshot/contract.ts';
import { confirmationHours, wakeSnapshotSignal } from '../../workflows/intake/snapshot/names.ts';
import { taskQueues } from '../../workflows/task-queues.ts';
import { keepHistory } from '../support/histories.ts';
import { cancelActivityOf, quietRuntime, timeSkipping, untilEvent } from '../support/temporal.ts';
import { workflowBundle } from '../support/workflow-bundle.ts';

type Activities = SnapshotControlActivities & SnapshotLakeActivities;

let env: TestWorkflowEnvironment;

beforeAll(async () => {
  quietRuntime();
  env = await timeSkipping();
});

afterAll(() => env?.teardown());

const outcome = (status: SnapshotOutcome['status']): SnapshotOutcome => ({
  status,
  rows: status === 'succeeded' ? 3 : 0,
  errorCode: status === 'failed' ? 'source_failed' : null,
});

/** Activities that succeed, except for a test's changes; every call is recorded in order. */
function recording(change: Partial<Activities> = {}): { activities: Activities; calls: string[] } {
  const calls: string[] = [];
  const activities: Activities = {
    beginSnapshot: async () => 'begun',
    stageSnapshot: async () => ({ rows: 3 }),
    admitSnapshot: async () => 'admitted',
    commitSnapshot: async () => outcome('succeeded'),
    discardSnapshot: async () => undefined,
    endSnapshot: async (_input, status) => outcome(status),
    ...change,
  };
  const named = Object.fromEntries(
    Object.entries(activities).map(([name, activity]) => [
      name,
      (...args: never[]) => {
        calls.push(name === 'endSnapshot' ? `${name} ${args[1]}` : name);
        return (activity as (...given: never[]) => unknown)(...args);
      },
    ]),
  );
  return { activities: named as unknown as Activities, calls };
}

async function run(
  activities: Activities,
  during: (handle: WorkflowHandle) => Promise<unknown> = async () => undefined,
  name?: string,
) {
  const input = { organizationId: 'org_test', datasetId: 'dst_test', runId: randomUUID() };
  const { stageSnapshot, commitSnapshot, discardSnapshot, ...control } = activities;
  const controlWorker = await Worker.create({
    connection: env.nativeConnection,
    workflowBundle: workflowBundle(),
    taskQueue: taskQueues.control,
    activities: control,
  });
  const lakeWorker = await Worker.create({
    connection: env.nativeConnection,
    taskQueue: taskQueues.lake,
    activities: { stageSnapshot, commitSnapshot, discardSnapshot },
  });
  return controlWorker.runUntil(
    lakeWorker.runUntil(async () => {
      const handle = await env.client.workflow.start('snapshot', {
        workflowId: snapshotProcess.workflowId(snapshotProcess.resourceId(input)),
        taskQueue: taskQueues.control,
        args: [input],
      });
      await during(handle);
      const result = await handle.result().catch((error: unknown) => error);
      const { status } = await handle.describe();
      expect(result instanceof WorkflowFailedError).toBe(status.name !== 'COMPLETED');
      if (name !== undefined) await keepHistory(handle, `snapshot-${name}`);
      return status.name;
    }),
  );
}

test('what is staged is committed, and nothing is discarded', async () => {
  const { activities, calls } = recording();
  expect(await run(activities, undefined, 'succeeded')).toBe('COMPLETED');
  expect(calls).toEqual(['beginSnapshot', 'stageSnapshot', 'admitSnapshot', 'commitSnapshot']);
});

test('a source that is read page after page is staged by many activities, with pauses, and a history that is begun anew', async () => {
  let left = 300;
  const { activities, calls } = recording({
    stageSnapshot: async () => {
      left -= 1;
      return left === 0
        ? { rows: 300 }
        : { rows: 300 - left, goesOnAfterMs: left % 100 === 0 ? 7_200_000 : 0 };
    },
  });
  const histories: number[] = [];
  expect(
    await run(activities, async (handle) => {
      await handle.result();
      histories.push((await handle.describe()).historyLength);
    }),
  ).toBe('COMPLETED');
  expect(calls.filter((name) => name === 'stageSnapshot')).toHaveLength(300);
  // Each history begins by checking whether the snapshot is still wanted.
  expect(calls.filter((name) => name === 'beginSnapshot').length).toBeGreaterThan(1);
  expect(histories[0]).toBeLessThan(2_000);
});

test('a pause is as long as the limits of the source ask for', async () => {
  let left = 3;
  const { activities, calls } = recording({
    stageSnapshot: async () => {
      left -= 1;
      return left === 0 ? { rows: 9 } : { rows: 9 - left, goesOnAfterMs: left === 1 ? 3_600_000 : 0 };
    },
  });
  expect(await run(activities, undefined, 'pages')).toBe('COMPLETED');
  expect(calls).toEqual([
    'beginSnapshot',
    ...Array.from({ length: 3 }, () => 'stageSnapshot'),
    'admitSnapshot',
    'commitSnapshot',
  ]);
});

test('a cancel during a pause ends it', async () => {
  const { activities, calls } = recording({
    stageSnapshot: async () => ({ rows: 1, goesOnAfterMs: 86_400_000 }),
  });
  const status = await run(activities, async (handle) => {
    // While its activity ends, the test server may hang when that is cancelled.
    await untilEvent(handle, 'timerStartedEventAttributes');
    await handle.cancel();
  });
  expect(status).toBe('CANCELLED');
  expect(calls.slice(-2)).toEqual(['discardSnapshot', 'endSnapshot cancelled']);
});

test('a source that is away for a while is copied when it is back', async () => {
  let tries = 0;
  const { activities, calls } = recording({
    stageSnapshot: async () => {
      tries += 1;
      if (tries < 6)
        throw ApplicationFailure.create({ type: 'source_failed:connect', message: 'source_failed' });
      return { rows: 3 };
    },
  });
  expect(await run(activities)).toBe('COMPLETED');
  expect(calls.filter((name) => name === 'stageSnapshot')).toHaveLength(6);
});

test('a source that stays away, or refuses, fails the snapshot, and what was staged is discarded', async () => {
  const away = recording({
    stageSnapshot: async () => {
      throw new Error('never');
    },
  });
  expect(await run(away.activities)).toBe('FAILED');
  expect(away.calls.filter((name) => name === 'stageSnapshot')).toHaveLength(6);
  const refused = recording({
    stageSnapshot: async () => {
      throw ApplicationFailure.create({
        type: 'source_failed:permission',
        message: 'source_failed',
        nonRetryable: true,
      });
    },
  });
  expect(await run(refused.activities, undefined, 'failed')).toBe('FAILED');
  expect(refused.calls).toEqual(['beginSnapshot', 'stageSnapshot', 'discardSnapshot', 'endSnapshot failed']);
});

test('a commit is retried for as long as it takes: it may have happened', async () => {
  let tries = 0;
  const { activities, calls } = recording({
    commitSnapshot: async () => {
      tries += 1;
      if (tries < 30) throw new Error('away');
      return outcome('succeeded');
    },
  });
  expect(await run(activities)).toBe('COMPLETED');
  expect(calls.filter((name) => name === 'commitSnapshot')).toHaveLength(30);
});

test('one that is held goes on when somebody confirms, whatever else wakes it', async () => {
  let isConfirmed = false;
  const looked = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let looks = 0;
  const { activities, calls } = recording({
    admitSnapshot: async () => {
      looked[looks]?.resolve();
      looks += 1;
      return isConfirmed ? 'admitted' : 'held';
    },
  });
  const during = async (handle: WorkflowHandle) => {
    await looked[0]!.promise;
    await handle.signal(wakeSnapshotSignal);
    await looked[1]!.promise;
    isConfirmed = true;
    await handle.signal(wakeSnapshotSignal);
  };
  expect(await run(activities, during, 'confirmed')).toBe('COMPLETED');
  expect(calls.at(-1)).toBe('commitSnapshot');
});

test('one that nobody confirms fails after its hours', async () => {
  const { activities, calls } = recording({
    admitSnapshot: async (_input, isOverdue) => (isOverdue ? 'ended' : 'held'),
    commitSnapshot: async () => outcome('failed'),
  });
  const beganMs = await env.currentTimeMs();
  expect(await run(activities)).toBe('FAILED');
  expect(calls.slice(-3)).toEqual(['admitSnapshot', 'commitSnapshot', 'discardSnapshot']);
  const hours = ((await env.currentTimeMs()) - beganMs) / 3_600_000;
  expect(hours).toBeGreaterThanOrEqual(confirmationHours);
});

test('a cancel ends the copy, and what was staged is discarded', async () => {
  const begun = Promise.withResolvers<void>();
  const { activities, calls } = recording({
    stageSnapshot: async () => {
      begun.resolve();
      for (;;) {
        Context.current().heartbeat();
        await Context.current().sleep(50);
      }
    },
  });
  const during = async (handle: WorkflowHandle) => {
    await begun.promise;
    await handle.cancel();
  };
  expect(await run(activities, during, 'cancelled')).toBe('CANCELLED');
  expect(calls.slice(-2)).toEqual(['discardSnapshot', 'endSnapshot cancelled']);
});

test('a cancel that finds the copy just made still comes before the commit', async () => {
  const begun = Promise.withResolvers<void>();
  const cancelled = Promise.withResolvers<void>();
  const { activities, calls } = recording({
    stageSnapshot: async () => {
      begun.resolve();
      await cancelled.promise;
      return { rows: 3 };
    },
  });
  const during = async (handle: WorkflowHandle) => {
    await begun.promise;
    await cancelActivityOf(handle);
    cancelled.resolve();
  };
  expect(await run(activities, during)).toBe('CANCELLED');
  expect(calls.slice(1)).toEqual(['stageSnapshot', 'discardSnapshot', 'endSnapshot cancelled']);
});

test('one whose organization copies enough asks again until it is its turn', async () => {
  let asked = 0;
  const { activities, calls } = recording({
    beginSnapshot: async () => {
      asked += 1;
      return asked < 220 ? 'waiting' : 'begun';
    },
  });
  const beganMs = await env.currentTimeMs();
  // The server would terminate a history that grows while waiting: this one continues as new.
  expect(await run(activities)).toBe('COMPLETED');
  expect(calls.slice(-5)).toEqual([
    ...['beginSnapshot', 'beginSnapshot', 'stageSnapshot', 'admitSnapshot', 'commitSnapshot'],
  ]);
  const minutes = ((await env.currentTimeMs()) - beganMs) / 60_000;
  expect(minutes).toBeGreaterThan(210);
});

test('a cancel while it waits for its turn ends it', async () => {
  const asked = Promise.withResolvers<void>();
  const { activities, calls } = recording({
    beginSnapshot: async () => {
      asked.resolve();
      return 'waiting';
    },
  });
  const during = async (handle: WorkflowHandle) => {
    await asked.promise;
    await handle.cancel();
  };
  expect(await run(activities, during)).toBe('CANCELLED');
  expect(calls.at(-1)).toBe('endSnapshot cancelled');
  expect(calls).not.toContain('discardSnapshot');
});

test('a confirmation at the last moment counts, although its signal never came', async () => {
  let looks = 0;
  const { activities, calls } = recording({
    admitSnapshot: async () => {
      looks += 1;
      return looks === 1 ? 'held' : 'admitted';
    },
  });
  expect(await run(activities)).toBe('COMPLETED');
  expect(calls.slice(-3)).toEqual(['admitSnapshot', 'admitSnapshot', 'commitSnapshot']);
});

test('one that was cancelled before it began copies nothing', async () => {
  const { activities, calls } = recording({ beginSnapshot: async () => 'ended' });
  expect(await run(activities, (handle) => handle.cancel())).toBe('CANCELLED');
  expect(calls).toEqual(['beginSnapshot', 'endSnapshot cancelled']);
});

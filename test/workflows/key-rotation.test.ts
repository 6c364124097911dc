import { randomUUID } from 'node:crypto';
import type { WorkflowFailedError, WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { taskQueues } from '../../workflows/task-queues.ts';
import type {
  KeyRotationControlActivities,
  KeyRotationProgress,
  ResealedSlice,
  SealedPosition,
  UnopenedValues,
} from '../../workflows/workspace/key-rotation/contract.ts';
import {
  keyRotationProgressQuery,
  keyRotationWorkflowType,
} from '../../workflows/workspace/key-rotation/names.ts';
import { expectEventually } from '../support/eventually.ts';
import { keepHistory } from '../support/histories.ts';
import { quietRuntime, timeSkipping } from '../support/temporal.ts';
import { workflowBundle } from '../support/workflow-bundle.ts';

let env: TestWorkflowEnvironment;

beforeAll(async () => {
  quietRuntime();
  env = await timeSkipping();
});
afterAll(() => env?.teardown());

const column = 'lakes.reader_password';
const at = (place: number): SealedPosition => ({
  organizationId: `org_${String(place).padStart(5, '0')}`,
  column,
  after: null,
});

interface Values {
  /** How many values of the column are under each key. */
  byKey: Record<string, number>;
  /** How many of them are re-sealed by a slice. */
  slice: number;
  unopened: UnopenedValues[];
  calls: string[];
  /** Called before each re-sealing; what it writes comes behind the walk. */
  onReseal?(pass: number): Promise<void> | void;
}

/** A database of one column, whose values are under k1 until they are re-sealed. */
function activitiesOf(values: Values): KeyRotationControlActivities {
  let passes = 0;
  return {
    async countSealedValues() {
      values.calls.push('count');
      const counts = Object.entries(values.byKey).map(([keyId, count]) => ({ column, keyId, count }));
      return { counts: counts.filter(({ count }) => count > 0), next: null };
    },
    async resealValues(keyId, from): Promise<ResealedSlice> {
      values.calls.push('reseal');
      if (from === null) passes += 1;
      const before = values.byKey['k1']!;
      const count = Math.min(values.slice, before);
      values.byKey['k1'] = before - count;
      values.byKey[keyId] = (values.byKey[keyId] ?? 0) + count;
      const isEnd = values.byKey['k1'] === 0;
      await values.onReseal?.(passes);
      return {
        resealed: count === 0 ? [] : [{ column, keyId: 'k1', count }],
        changed: [],
        unopened: isEnd ? values.unopened : [],
        next: isEnd ? null : at(before),
      };
    },
  };
}

async function run(
  values: Values,
  { name, during }: { name?: string; during?: (handle: WorkflowHandle) => Promise<void> } = {},
) {
  const worker = await Worker.create({
    connection: env.nativeConnection,
    workflowBundle: workflowBundle(),
    taskQueue: taskQueues.control,
    activities: activitiesOf(values),
  });
  return worker.runUntil(async () => {
    const workflowId = randomUUID();
    const started = await env.client.workflow.start(keyRotationWorkflowType, {
      workflowId,
      taskQueue: taskQueues.control,
      args: [{ keyId: 'k2' }],
    });
    const handle = env.client.workflow.getHandle(workflowId);
    await during?.(handle);
    const result = (await handle.result().catch((error: unknown) => error)) as KeyRotationProgress;
    const first = env.client.workflow.getHandle(workflowId, started.firstExecutionRunId);
    if (name !== undefined) await keepHistory(first, `key-rotation-${name}`);
    return { result, status: (await first.describe()).status.name };
  });
}

test('values are counted, re-sealed slice by slice, and counted again', async () => {
  const values: Values = { byKey: { k1: 5, k2: 4 }, slice: 2, unopened: [], calls: [] };
  const { result } = await run(values, { name: 'succeeded' });
  expect(values.calls).toEqual(['count', 'reseal', 'reseal', 'reseal', 'count']);
  const byColumn = { [column]: { done: 5, left: 0 } };
  expect(result).toEqual({ keyId: 'k2', done: 5, left: 0, byColumn, unopened: [] });
});

test('its progress is told while it runs', async () => {
  const isAsked = Promise.withResolvers<void>();
  const values: Values = { byKey: { k1: 5 }, slice: 2, unopened: [], calls: [] };
  values.onReseal = () => (values.byKey['k1'] === 3 ? undefined : isAsked.promise);
  await run(values, {
    async during(handle) {
      const progress = () => handle.query<KeyRotationProgress>(keyRotationProgressQuery);
      await expectEventually(progress).toMatchObject({
        done: 2,
        left: 3,
        byColumn: { [column]: { done: 2, left: 3 } },
      });
      isAsked.resolve();
    },
  });
});

test('what is written under the old key meanwhile is found by another pass', async () => {
  const values: Values = { byKey: { k1: 2 }, slice: 2, unopened: [], calls: [] };
  let late = 3;
  values.onReseal = () => {
    if (late > 0) values.byKey['k1'] = 1;
    late -= 1;
  };
  // The walk ends at the first slice that leaves nothing behind; what comes then is behind it.
  const { result } = await run(values, { name: 'written-meanwhile' });
  expect(result).toMatchObject({ done: 5, left: 0 });
  expect(values.byKey).toEqual({ k1: 0, k2: 5 });
  expect(values.calls.filter((call) => call === 'count').length).toBe(5);
});

test('values that no key opens end it as failed, when all others are re-sealed', async () => {
  const unopened: UnopenedValues[] = [
    { column, keyId: 'k0', count: 2, reason: 'missing' },
    { column, keyId: 'k1', count: 1, reason: 'unreadable' },
  ];
  const values: Values = { byKey: { k1: 4, k0: 2, broken: 1 }, slice: 3, unopened, calls: [] };
  const { result, status } = await run(values, { name: 'failed' });
  expect(status).toBe('FAILED');
  expect((result as unknown as WorkflowFailedError).cause?.message).toMatch(
    new RegExp(
      `key k2\\. ENCRYPTION_KEYS lacks the key k0: 2 of ${column} under k0\\..* 1 of ${column} under k1\\.`,
    ),
  );
  expect(values.byKey).toMatchObject({ k1: 0, k2: 4 });
});

test('after many slices it continues as a new execution, with what it has counted', async () => {
  const values: Values = { byKey: { k1: 400 }, slice: 1, unopened: [], calls: [] };
  const { result, status } = await run(values, { name: 'continued' });
  expect(status).toBe('CONTINUED_AS_NEW');
  expect(result).toMatchObject({ done: 400, left: 0 });
  expect(values.calls.length).toBe(402);
});

test('one that is cancelled ends at once, and says what it did', async () => {
  const isReached = Promise.withResolvers<void>();
  const isCancelled = Promise.withResolvers<void>();
  const values: Values = { byKey: { k1: 5 }, slice: 2, unopened: [], calls: [] };
  values.onReseal = () => {
    isReached.resolve();
    return isCancelled.promise;
  };
  const { status } = await run(values, {
    name: 'cancelled',
    async during(handle) {
      await isReached.promise;
      await handle.cancel();
      await handle.result().catch(() => undefined);
      isCancelled.resolve();
    },
  });
  expect(status).toBe('CANCELLED');
});

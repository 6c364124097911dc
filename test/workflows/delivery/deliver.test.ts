import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { bundleWorkflowCode, Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type {
  DeliveryAttempt,
  DeliveryControlActivities,
  DeliveryEnd,
} from '../../../workflows/publishing/delivery/contract.ts';
import { deliveriesAtOnce } from '../../../workflows/publishing/delivery/names.ts';
import { taskQueues } from '../../../workflows/task-queues.ts';
import { quietRuntime, timeSkipping } from '../../support/temporal.ts';

let env: TestWorkflowEnvironment;
let workflowBundle: WorkflowBundleWithSourceMap;
beforeAll(async () => {
  quietRuntime();
  [env, workflowBundle] = await Promise.all([
    timeSkipping(),
    bundleWorkflowCode({ workflowsPath: fileURLToPath(new URL('./workflow.ts', import.meta.url)) }),
  ]);
});
afterAll(() => env?.teardown());

type Attempt = (deliveryId: string) => Promise<DeliveryAttempt>;

/** How each delivery ended, and how long it took by the skipping clock. */
async function delivered(
  ids: string[],
  attempt: Attempt,
  giveUp: DeliveryControlActivities['giveUpDelivery'] = () => Promise.reject(new Error('not expected')),
  during: (handle: WorkflowHandle) => Promise<unknown> = async () => undefined,
): Promise<{ ends: DeliveryEnd[]; tookMs: number }> {
  const connection = env.nativeConnection;
  const control = await Worker.create({
    connection,
    workflowBundle,
    taskQueue: taskQueues.control,
    activities: { giveUpDelivery: giveUp },
  });
  const agent = await Worker.create({
    connection,
    taskQueue: taskQueues.agent,
    activities: { attemptDelivery: ({ deliveryId }: { deliveryId: string }) => attempt(deliveryId) },
  });
  return control.runUntil(
    agent.runUntil(async () => {
      const handle = await env.client.workflow.start('deliverThese', {
        workflowId: `deliver/${randomUUID()}`,
        taskQueue: taskQueues.control,
        args: [ids.map((deliveryId) => ({ organizationId: 'org_test', deliveryId }))],
      });
      await during(handle);
      return (await handle.result()) as { ends: DeliveryEnd[]; tookMs: number };
    }),
  );
}

test('each is attempted until it has ended, and told in the order given', async () => {
  const left = new Map([
    ['a', 0],
    ['b', 3],
    ['c', 1],
  ]);
  const ends: Record<string, DeliveryEnd> = { a: 'failed', b: 'delivered', c: 'uncertain' };
  const calls: string[] = [];
  const { ends: outcomes, tookMs } = await delivered(['a', 'b', 'c'], async (id) => {
    calls.push(id);
    const still = left.get(id)!;
    left.set(id, still - 1);
    return still > 0 ? { status: 'pending', retryAfterMs: 900_000 } : { status: ends[id]! };
  });
  expect(outcomes).toEqual(['failed', 'delivered', 'uncertain']);
  expect(calls.sort()).toEqual(['a', 'b', 'b', 'b', 'b', 'c', 'c']);
  expect(Math.round(tookMs / 900_000)).toBe(3);
});

test('nothing to deliver is done at once', async () => {
  expect((await delivered([], () => Promise.reject(new Error('not expected')))).ends).toEqual([]);
});

test('four at once at most, and the next begins when one has ended', async () => {
  const ids = Array.from({ length: 11 }, (_, index) => String(index));
  let [now, most] = [0, 0];
  const { ends } = await delivered(ids, async () => {
    now += 1;
    most = Math.max(most, now);
    await new Promise((resolve) => setTimeout(resolve, 100));
    now -= 1;
    return { status: 'delivered' };
  });
  expect(ends).toEqual(ids.map(() => 'delivered'));
  expect(most).toBe(deliveriesAtOnce);
});

test('a cancel does not stop it, between attempts neither', async () => {
  const begun = Promise.withResolvers<void>();
  const seen = Promise.withResolvers<void>();
  let attempts = 0;
  const { ends } = await delivered(
    ['a', 'b'],
    async () => {
      attempts += 1;
      if (attempts > 2) return { status: 'delivered' };
      begun.resolve();
      await seen.promise;
      return { status: 'pending', retryAfterMs: 60_000 };
    },
    undefined,
    async (handle) => {
      await begun.promise;
      await handle.cancel();
      seen.resolve();
    },
  );
  expect([ends, attempts]).toEqual([['delivered', 'delivered'], 4]);
});

test('a store that is away for an hour only delays, and what can never be attempted is given up', async () => {
  const tries = { away: 0, broken: 0 };
  const given: string[] = [];
  const { ends, tookMs } = await delivered(
    ['away', 'broken', 'fine'],
    async (id) => {
      if (id === 'fine') return { status: 'delivered' };
      tries[id as 'away'] += 1;
      if (id === 'away' && tries.away > 60) return { status: 'delivered' };
      throw ApplicationFailure.create({ type: 'storage_unavailable', message: 'The store is away.' });
    },
    async ({ deliveryId }) => {
      given.push(deliveryId);
      return { status: 'failed' };
    },
  );
  expect(ends).toEqual(['delivered', 'failed', 'delivered']);
  expect([given, tries.broken]).toEqual([['broken'], 120]);
  expect(tookMs / 3_600_000).toBeGreaterThan(1.5);
  expect(tookMs / 3_600_000).toBeLessThan(2.5);
});

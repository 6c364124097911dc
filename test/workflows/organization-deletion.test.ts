import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { taskQueues } from '../../workflows/task-queues.ts';
import type {
  BegunDeletion,
  OrganizationDeletionControlActivities,
  OrganizationDeletionLakeActivities,
} from '../../workflows/workspace/organization-deletion/contract.ts';
import {
  deletionChangedSignal,
  organizationDeletionWorkflowType,
} from '../../workflows/workspace/organization-deletion/names.ts';
import { keepHistory } from '../support/histories.ts';
import { quietRuntime, timeSkipping, untilEvent } from '../support/temporal.ts';
import { workflowBundle } from '../support/workflow-bundle.ts';

let env: TestWorkflowEnvironment;

beforeAll(async () => {
  quietRuntime();
  env = await timeSkipping();
});
afterAll(() => env?.teardown());

const organizationId = 'org_test';
const lake = 'lak_test';
const dayMs = 86_400_000;
const minuteMs = 60_000;

/** An organization, and what the process does with it. */
interface Deletion {
  calls: string[];
  /** Null: it is kept. */
  dueMs: number | null;
  /** Looks that find all automation paused. */
  paused: number;
  /** Answers of the activities one after the other; the last one stays. */
  processes: number[];
  objects: ('removed' | 'held')[];
  finished: ('gone' | 'again')[];
  rolesLeft: string[];
}

const deletion = (change: Partial<Deletion>): Deletion => ({
  ...{
    calls: [],
    dueMs: 0,
    paused: 0,
    processes: [0],
    objects: ['removed'],
    finished: ['gone'],
    rolesLeft: [],
  },
  ...change,
});

const nextOf = <T>(answers: T[]): T => (answers.length > 1 ? answers.shift()! : answers[0]!);

function activitiesOf(
  on: Deletion,
): OrganizationDeletionControlActivities & OrganizationDeletionLakeActivities {
  const called = <T>(name: string, answer: T): T => {
    on.calls.push(name);
    return answer;
  };
  let slices = 0;
  return {
    async beginDeletion(): Promise<BegunDeletion> {
      if (on.dueMs === null) return called('begin: kept', { kind: 'kept' });
      const waitMs = on.dueMs - (await env.currentTimeMs());
      if (waitMs <= 0) {
        on.paused -= 1;
        return on.paused >= 0
          ? called('begin: paused', { kind: 'paused' })
          : called('begin', { kind: 'begun', lake });
      }
      return called('begin: waits', { kind: 'waits', dueAt: new Date(on.dueMs).toISOString(), waitMs });
    },
    endProcesses: async () => called('processes', nextOf(on.processes)),
    endCredentials: async () => called('credentials', undefined),
    endLakeSessions: async () => called('sessions', undefined),
    async removeLakeTables() {
      slices += 1;
      return called('tables', { tables: 50, left: slices === 1 ? 7 : null });
    },
    removeLakeRoles: async () => called('roles', on.rolesLeft),
    async removeRows() {
      return called('rows', { rows: 100, next: null });
    },
    removeObjects: async () => called('objects', nextOf(on.objects)),
    finishDeletion: async () => called('finish', nextOf(on.finished)),
  };
}

async function run(
  on: Deletion,
  { name, during }: { name: string; during?: (handle: WorkflowHandle) => Promise<void> },
) {
  const shared = { connection: env.nativeConnection, activities: activitiesOf(on) };
  const worker = await Worker.create({
    ...shared,
    workflowBundle: workflowBundle(),
    taskQueue: taskQueues.control,
  });
  const other = await Worker.create({ ...shared, taskQueue: taskQueues.lake });
  return other.runUntil(() =>
    worker.runUntil(async () => {
      const workflowId = randomUUID();
      const handle = await env.client.workflow.start(organizationDeletionWorkflowType, {
        workflowId,
        taskQueue: taskQueues.control,
        args: [{ organizationId }],
      });
      await during?.(handle);
      await handle.result().catch(() => undefined);
      await keepHistory(handle, `organization-deletion-${name}`);
      const { status, startTime, closeTime } = await handle.describe();
      return { status: status.name, tookMs: closeTime!.getTime() - startTime.getTime() };
    }),
  );
}

const once = ['processes', 'processes', 'credentials', 'sessions', 'tables', 'roles', 'rows', 'objects'];
const first = once.flatMap((call) => (call === 'tables' ? ['tables', 'tables'] : [call]));

test('it waits until it is due, removes everything in order, and looks once more when nothing can be under way', async () => {
  const on = deletion({ dueMs: (await env.currentTimeMs()) + 7 * dayMs });
  const { status, tookMs } = await run(on, { name: 'done' });
  expect(status).toBe('COMPLETED');
  expect(on.calls).toEqual(['begin: waits', 'begin', ...first, 'finish', ...once]);
  expect(tookMs).toBeGreaterThanOrEqual(7 * dayMs + 75 * minuteMs);
});

test('one that is called off while it waits ends, and removes nothing', async () => {
  const on = deletion({ dueMs: (await env.currentTimeMs()) + 7 * dayMs });
  const { status } = await run(on, {
    name: 'kept',
    async during(handle) {
      await untilEvent(handle, 'timerStartedEventAttributes');
      on.dueMs = null;
      await handle.signal(deletionChangedSignal);
    },
  });
  expect(status).toBe('COMPLETED');
  expect(on.calls).toEqual(['begin: waits', 'begin: kept']);
});

test('another time counts at once', async () => {
  const on = deletion({ dueMs: (await env.currentTimeMs()) + 300 * dayMs });
  const { tookMs } = await run(on, {
    name: 'sooner',
    async during(handle) {
      await untilEvent(handle, 'timerStartedEventAttributes');
      on.dueMs = 0;
      await handle.signal(deletionChangedSignal);
    },
  });
  expect(on.calls.slice(0, 3)).toEqual(['begin: waits', 'begin', 'processes']);
  expect(tookMs).toBeLessThan(dayMs);
});

test('it goes on when no process is found twice, after backups, and begins again where something was added', async () => {
  const on = deletion({
    processes: [3, 0, 1, 0],
    objects: ['held', 'held', 'removed'],
    finished: ['again', 'gone'],
    rolesLeft: ['lak_test_reader'],
  });
  const { status } = await run(on, { name: 'held' });
  expect(status).toBe('COMPLETED');
  const counted = (name: string) => on.calls.filter((call) => call === name).length;
  // Three, none, one, none, none; and twice in each of the two rounds that follow.
  expect([counted('processes'), counted('objects'), counted('finish')]).toEqual([9, 5, 2]);
  expect(on.calls.indexOf('credentials')).toBe(6);
});

test('one that is due while all automation is paused waits for the end of that', async () => {
  const on = deletion({ paused: 2 });
  const { status } = await run(on, { name: 'paused' });
  expect(status).toBe('COMPLETED');
  expect(on.calls.slice(0, 4)).toEqual(['begin: paused', 'begin: paused', 'begin', 'processes']);
});

test('one that is cancelled ends at once', async () => {
  const on = deletion({ dueMs: (await env.currentTimeMs()) + 7 * dayMs });
  const { status } = await run(on, {
    name: 'cancelled',
    async during(handle) {
      await untilEvent(handle, 'timerStartedEventAttributes');
      await handle.cancel();
    },
  });
  expect(status).toBe('CANCELLED');
  expect(on.calls).toEqual(['begin: waits']);
});

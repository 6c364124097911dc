import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { expect } from 'vitest';
import type {
  ScheduleControlActivities,
  ScheduleNext,
} from '../../workflows/automation/schedule/contract.ts';
import { pauseScheduleSignal, scheduleWorkflowType } from '../../workflows/automation/schedule/names.ts';
import type { BackfillControlActivities } from '../../workflows/automation/schedule-backfill/contract.ts';
import { backfillWorkflowType } from '../../workflows/automation/schedule-backfill/names.ts';
import type {
  FireProgress,
  ScheduleRunControlActivities,
} from '../../workflows/automation/schedule-run/contract.ts';
import { runEndedSignal, scheduleRunWorkflowType } from '../../workflows/automation/schedule-run/names.ts';
import type { DeliveryAgentActivities } from '../../workflows/publishing/delivery/contract.ts';
import { taskQueues } from '../../workflows/task-queues.ts';
import { skippingTest, useTimeSkipping } from '../support/conversation-process.ts';
import { keepHistory } from '../support/histories.ts';

/** The processes of schedules over activities that only record their calls. */
const skipping = useTimeSkipping();

type Control = ScheduleControlActivities & ScheduleRunControlActivities & BackfillControlActivities;

interface Ran {
  calls: string[];
  status: string;
  /** By the skipping clock. */
  tookMs: number;
}

/** Runs one process over those activities, to its end. */
async function run(
  [type, input]: readonly [type: string, input: object],
  control: Partial<Control>,
  {
    during = async () => undefined,
    agent = { attemptDelivery: async () => ({ status: 'delivered' }) },
    name,
  }: {
    during?: (handle: WorkflowHandle) => Promise<unknown>;
    agent?: Partial<DeliveryAgentActivities>;
    name?: string;
  } = {},
): Promise<Ran> {
  const { env, workflowBundle } = skipping;
  const calls: string[] = [];
  const noted = <T extends object>(steps: T) =>
    Object.fromEntries(
      Object.entries(steps).map(([step, work]) => [
        step,
        (...given: never[]) => {
          calls.push(step);
          return (work as (...given: never[]) => unknown)(...given);
        },
      ]),
    );
  const connection = env.nativeConnection;
  const workers = await Promise.all([
    Worker.create({
      connection,
      workflowBundle,
      taskQueue: taskQueues.control,
      activities: noted(control),
    }),
    Worker.create({ connection, taskQueue: taskQueues.agent, activities: noted(agent) }),
  ]);
  const { status, startTime, closeTime } = await workers[0]!.runUntil(
    workers[1]!.runUntil(async () => {
      const handle = await env.client.workflow.start(type, {
        workflowId: `${type}/${randomUUID()}`,
        taskQueue: taskQueues.control,
        args: [{ organizationId: 'org_test', ...input }],
      });
      await during(handle);
      await handle.result().catch(() => undefined);
      if (name !== undefined) await keepHistory(handle, name);
      return handle.describe();
    }),
  );
  return { calls, status: status.name, tookMs: closeTime!.getTime() - startTime.getTime() };
}

const minuteMs = 60_000;

function nexts(...given: ScheduleNext[]) {
  return async () => given.shift() ?? { kind: 'gone' as const };
}

const waits = (atMs: number): ScheduleNext => ({
  kind: 'wait',
  atMs,
  localTime: '2027-01-01T08:00:00',
  zoneId: 'UTC',
});

const aSchedule = [scheduleWorkflowType, { scheduleId: 'sch_1' }] as const;
const aFire = [scheduleRunWorkflowType, { scheduleRunId: 'srn_1' }] as const;
const aBackfill = [backfillWorkflowType, { backfillId: 'bkf_1' }] as const;
const waitsForRun: FireProgress = { kind: 'running', runId: 'run_1' };

skippingTest('a schedule waits for its next fire, and ends when its cadence says nothing more', async () => {
  const nowMs = await skipping.env.currentTimeMs();
  const seen: number[] = [];
  const dueMs = nowMs + 90 * 24 * 60 * minuteMs;
  const { calls, status } = await run(
    aSchedule,
    {
      advanceSchedule: async (_input, atMs) => {
        seen.push(atMs);
        return atMs < dueMs ? waits(dueMs) : { kind: 'done' };
      },
    },
    { name: 'schedule-done' },
  );
  expect(status).toBe('COMPLETED');
  // The next time is computed again every week: the time zone database may have changed.
  expect(calls).toEqual(Array.from({ length: 14 }, () => 'advanceSchedule'));
  expect(seen.at(-1)!).toBeGreaterThanOrEqual(dueMs);
});

skippingTest(
  'more that was missed than one step records is recorded by the next, without a wait',
  async () => {
    const { calls } = await run(aSchedule, {
      advanceSchedule: nexts({ kind: 'behind' }, { kind: 'behind' }),
    });
    expect(calls).toHaveLength(3);
  },
);

skippingTest("an operator's signal pauses the schedule before it looks again", async () => {
  const farMs = (await skipping.env.currentTimeMs()) + 10 * 24 * 60 * minuteMs;
  const { calls } = await run(
    aSchedule,
    { advanceSchedule: nexts(waits(farMs), { kind: 'paused' }), pauseSchedule: async () => undefined },
    { during: (handle) => handle.signal(pauseScheduleSignal), name: 'schedule-paused' },
  );
  expect(calls.slice(0, 3)).toContain('pauseSchedule');
});

skippingTest('a schedule whose process an operator cancels is paused', async () => {
  const { calls, status } = await run(
    aSchedule,
    { advanceSchedule: nexts({ kind: 'paused' }), pauseSchedule: async () => undefined },
    { during: (handle) => handle.cancel() },
  );
  expect(status).toBe('CANCELLED');
  expect(calls.at(-1)).toBe('pauseSchedule');
});

skippingTest('a fire waits for its run, and ends when what it made is delivered', async () => {
  const progress: FireProgress[] = [
    waitsForRun,
    { kind: 'delivering', deliveryIds: ['dlv_1', 'dlv_2', 'dlv_3'] },
  ];
  const { calls, status } = await run(
    aFire,
    {
      beginFire: async () => waitsForRun,
      collectFire: async () => progress.shift()!,
      endFire: async () => 'succeeded',
    },
    { agent: { attemptDelivery: async () => ({ status: 'delivered' }) }, name: 'schedule-run-delivered' },
  );
  expect(status).toBe('COMPLETED');
  expect(calls).toEqual([
    'beginFire',
    'collectFire',
    'collectFire',
    'attemptDelivery',
    'attemptDelivery',
    'attemptDelivery',
    'endFire',
  ]);
});

skippingTest('a run that tells of its end is not waited for', async () => {
  const { status, tookMs } = await run(
    aFire,
    {
      beginFire: async () => waitsForRun,
      collectFire: async () => ({ kind: 'ended', status: 'failed' }),
    },
    { during: (handle) => handle.signal(runEndedSignal), name: 'schedule-run-failed' },
  );
  expect(status).toBe('FAILED');
  expect(tookMs).toBeLessThan(minuteMs);
});

skippingTest('a fire that an operator cancels asks its run to end, and waits for that', async () => {
  let isAsked = false;
  const { calls, status } = await run(
    aFire,
    {
      beginFire: async () => waitsForRun,
      cancelFire: async () => {
        isAsked = true;
      },
      collectFire: async () => (isAsked ? { kind: 'ended', status: 'cancelled' } : waitsForRun),
    },
    { during: (handle) => handle.cancel() },
  );
  expect(status).toBe('CANCELLED');
  expect(calls).toContain('cancelFire');
});

skippingTest('a fire that cannot begin yet is tried for hours', async () => {
  let tries = 0;
  const { status } = await run(aFire, {
    beginFire: async () => {
      tries += 1;
      if (tries < 30) throw new Error('Too much is under way.');
      return { kind: 'ended', status: 'failed' };
    },
  });
  expect(status).toBe('FAILED');
  expect(tries).toBe(30);
});

skippingTest(
  'a backfill fires place by place, so many at once, and goes on as new before its history grows',
  async () => {
    const claimed: number[] = [];
    let [running, most] = [0, 0];
    const { status } = await run(
      aBackfill,
      {
        beginBackfill: async () => ({ kind: 'begun', next: claimed.length, total: 150, maxConcurrency: 3 }),
        claimBackfillFire: async (_input, place) => {
          claimed.push(place);
          return { kind: 'fire', scheduleRunId: `srn_${place}_${randomUUID()}`, projectId: 'prj_1' };
        },
        endBackfill: async () => 'succeeded',
        beginFire: async () => {
          running += 1;
          most = Math.max(most, running);
          running -= 1;
          return { kind: 'ended', status: 'succeeded' };
        },
      },
      { name: 'schedule-backfill' },
    );
    expect(status).toBe('COMPLETED');
    expect(claimed.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 150 }, (_, place) => place));
    expect(most).toBeLessThanOrEqual(3);
  },
);

skippingTest('a backfill that was cancelled fires no more, and waits for what it fired', async () => {
  const ends: ('running' | 'cancelled')[] = ['running', 'cancelled'];
  const { calls, status } = await run(aBackfill, {
    beginBackfill: async () => ({ kind: 'begun', next: 0, total: 5, maxConcurrency: 1 }),
    claimBackfillFire: async (_input, place) =>
      place === 1
        ? { kind: 'cancelled' }
        : { kind: 'fire', scheduleRunId: `srn_${randomUUID()}`, projectId: 'prj_1' },
    beginFire: async () => ({ kind: 'ended', status: 'succeeded' }),
    endBackfill: async () => ends.shift()!,
  });
  expect(status).toBe('COMPLETED');
  expect(calls.filter((call) => call === 'claimBackfillFire')).toHaveLength(2);
  expect(calls.filter((call) => call === 'endBackfill')).toHaveLength(2);
});

skippingTest('a backfill whose process an operator cancels is cancelled in its row', async () => {
  const claimedOne = Promise.withResolvers<void>();
  const { calls, status } = await run(
    aBackfill,
    {
      beginBackfill: async () => ({ kind: 'begun', next: 0, total: 5, maxConcurrency: 1 }),
      claimBackfillFire: async () => {
        claimedOne.resolve();
        return { kind: 'fire', scheduleRunId: `srn_${randomUUID()}`, projectId: 'prj_1' };
      },
      beginFire: async () => waitsForRun,
      collectFire: async () => ({ kind: 'ended', status: 'succeeded' }),
      cancelBackfill: async () => undefined,
    },
    {
      during: async (handle) => {
        await claimedOne.promise;
        await handle.cancel();
      },
    },
  );
  expect(status).toBe('CANCELLED');
  expect(calls).toContain('cancelBackfill');
});

skippingTest('a fire that an operator cancels ends alone: its backfill goes on', async () => {
  const begun = Promise.withResolvers<string>();
  const ended = new Set<string>();
  const { calls, status } = await run(
    aBackfill,
    {
      beginBackfill: async () => ({ kind: 'begun', next: 0, total: 3, maxConcurrency: 1 }),
      claimBackfillFire: async (_input, place) => ({
        kind: 'fire',
        scheduleRunId: `srn_${place}_${randomUUID()}`,
        projectId: 'prj_1',
      }),
      beginFire: async ({ scheduleRunId }) => {
        if (!scheduleRunId.startsWith('srn_0')) return { kind: 'ended', status: 'succeeded' };
        begun.resolve(scheduleRunId);
        return waitsForRun;
      },
      cancelFire: async ({ scheduleRunId }) => void ended.add(scheduleRunId),
      collectFire: async ({ scheduleRunId }) =>
        ended.has(scheduleRunId) ? { kind: 'ended', status: 'cancelled' } : waitsForRun,
      endBackfill: async () => 'failed',
      cancelBackfill: async () => undefined,
    },
    {
      during: async () => {
        const id = await begun.promise;
        await skipping.env.client.workflow.getHandle(`schedule-run/${id}`).cancel();
      },
    },
  );
  expect(status).toBe('FAILED');
  expect(calls).not.toContain('cancelBackfill');
  expect(calls.filter((call) => call === 'claimBackfillFire')).toHaveLength(3);
});

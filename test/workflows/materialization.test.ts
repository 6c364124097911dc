import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type {
  MaterializationControlActivities,
  MaterializationLakeActivities,
  MaterializationOutcome,
} from '../../workflows/tables/materialization/contract.ts';
import { noProcessFailure } from '../../workflows/waiting/names.ts';
import { expectEventually } from '../support/eventually.ts';
import { cancelActivityOf, quietRuntime, timeSkipping, untilEvent } from '../support/temporal.ts';
import { runToEnd } from '../support/two-queues.ts';

type Activities = MaterializationControlActivities & MaterializationLakeActivities;

let env: TestWorkflowEnvironment;

beforeAll(async () => {
  quietRuntime();
  env = await timeSkipping();
});

afterAll(() => env?.teardown());

/** A graph of tables: each with those that are built before it. */
type Graph = Readonly<Record<string, readonly string[]>>;

/** The activities over a graph, as its rows would have it; every call is recorded in order. */
function materializing(graph: Graph, change: Partial<Activities> = {}) {
  const calls: string[] = [];
  const ended = new Map<string, string>();
  let atOnce = 0;
  let most = 0;
  const activities: Activities = {
    beginMaterialization: async () => 'begun',
    async claimBuilds(input) {
      const turn = await activities.beginMaterialization(input);
      const ready = turn === 'begun' ? await activities.nextBuilds(input) : [];
      const left = Object.keys(graph).filter((id) => !ended.has(id));
      return { turn, ready, isAll: ready.length === left.length };
    },
    nextBuilds: async () =>
      Object.keys(graph).filter((id) => !ended.has(id) && graph[id]!.every((before) => ended.has(before))),
    async stageBuild({ tableId }) {
      calls.push(`stage ${tableId}`);
      atOnce += 1;
      most = Math.max(most, atOnce);
      return { rows: 1 };
    },
    async commitBuild({ tableId }) {
      atOnce -= 1;
      calls.push(`commit ${tableId}`);
      ended.set(tableId, 'succeeded');
      return true;
    },
    async discardBuild({ tableId }) {
      calls.push(`discard ${tableId}`);
    },
    async endBuild({ tableId }, status) {
      atOnce -= 1;
      calls.push(`${status} ${tableId}`);
      ended.set(tableId, status);
    },
    async endMaterialization(_input, isCancelled): Promise<MaterializationOutcome> {
      calls.push('end');
      const failed = [...ended.values()].filter((status) => status === 'failed').length;
      const status = isCancelled ? 'cancelled' : failed > 0 ? 'failed' : 'succeeded';
      const errorCode = status === 'failed' ? 'query_failed' : null;
      return { status, built: ended.size - failed, failed, skipped: 0, errorCode };
    },
    ...change,
  };
  return { activities, calls, ended, mostAtOnce: () => most };
}

function run(
  { stageBuild, commitBuild, discardBuild, ...control }: Activities,
  during?: (workflowId: string) => Promise<void>,
  history?: string,
): Promise<string> {
  const input = { organizationId: 'org_test', runId: 'run_1' };
  const lake = { stageBuild, commitBuild, discardBuild };
  return runToEnd(env, { type: 'materialization', input, control, lake, during, history });
}

const refused = async (): Promise<never> => {
  throw ApplicationFailure.create({ type: 'BuildFailed', message: 'no', nonRetryable: true });
};

test('each table is built after those that it reads, two at once, when its turn has come', async () => {
  let turns = 0;
  const graph = { a: [], b: [], c: [], left: ['a', 'b'], top: ['left', 'c'] };
  const { activities, calls, mostAtOnce } = materializing(graph, {
    beginMaterialization: async () => {
      turns += 1;
      return turns < 4 ? 'waiting' : 'begun';
    },
  });
  expect(await run(activities, undefined, 'claimed-waited')).toBe('COMPLETED');
  expect(turns).toBe(4);
  expect(mostAtOnce()).toBeLessThanOrEqual(2);
  for (const [table, before] of Object.entries(graph))
    for (const each of before)
      expect(calls.indexOf(`commit ${each}`)).toBeLessThan(calls.indexOf(`stage ${table}`));
  expect(calls.filter((call) => call.startsWith('commit'))).toHaveLength(5);
  expect(calls.at(-1)).toBe('end');
});

test('a table whose build ends while the next ones are looked for is not built again', async () => {
  const isBuilt = Promise.withResolvers<void>();
  const { activities, calls } = materializing({ a: [], late: [], top: ['a', 'late'] });
  const { nextBuilds, stageBuild } = activities;
  const { promise: workflowId, resolve: started } = Promise.withResolvers<string>();
  const completed = async () =>
    (await env.client.workflow.getHandle(await workflowId).fetchHistory()).events?.filter(
      (event) => event.activityTaskCompletedEventAttributes,
    ).length;
  let looks = 0;
  const looking: Activities = {
    ...activities,
    stageBuild: async (input) => {
      if (input.tableId === 'late') await isBuilt.promise;
      return stageBuild(input);
    },
    nextBuilds: async (input) => {
      looks += 1;
      const ready = await nextBuilds(input);
      if (looks !== 1) return ready;
      isBuilt.resolve();
      // The claim, and both activities of both builds.
      await expectEventually(completed).toBe(5);
      return ready;
    },
  };
  expect(await run(looking, async (id) => started(id))).toBe('COMPLETED');
  expect(calls.filter((call) => call.startsWith('stage'))).toEqual(['stage a', 'stage late', 'stage top']);
});

test('a build that fails is discarded and ended, the others go on, and the run fails', async () => {
  const made = materializing({ bad: [], good: [] });
  const { stageBuild } = made.activities;
  const activities: Activities = {
    ...made.activities,
    stageBuild: (input) => (input.tableId === 'bad' ? refused() : stageBuild(input)),
  };
  expect(await run(activities, undefined, 'claimed-failed')).toBe('FAILED');
  expect(made.calls.indexOf('discard bad')).toBeLessThan(made.calls.indexOf('failed bad'));
  expect(made.ended).toEqual(
    new Map([
      ['bad', 'failed'],
      ['good', 'succeeded'],
    ]),
  );
});

test('a store that is away is tried twenty times; what a commit refuses is discarded', async () => {
  let tries = 0;
  const away = materializing(
    { a: [] },
    {
      stageBuild: async () => {
        tries += 1;
        throw new Error('away');
      },
    },
  );
  expect(await run(away.activities)).toBe('FAILED');
  expect(tries).toBe(20);
  expect(away.calls).toEqual(['discard a', 'failed a', 'end']);
  const ended = materializing({ a: [] });
  const activities: Activities = {
    ...ended.activities,
    commitBuild: async ({ tableId }) => {
      ended.ended.set(tableId, 'cancelled');
      return false;
    },
  };
  expect(await run(activities)).toBe('COMPLETED');
  expect(ended.calls).toEqual(['stage a', 'discard a', 'end']);
});

test('a build for which there is no process waits for one by a timer, however long, and is no failure', async () => {
  let tries = 0;
  const busy = materializing({ a: [] });
  const { stageBuild } = busy.activities;
  const activities: Activities = {
    ...busy.activities,
    stageBuild: async (input) => {
      tries += 1;
      if (tries > 60) return stageBuild(input);
      throw ApplicationFailure.create({ type: noProcessFailure, message: 'busy', nonRetryable: true });
    },
  };
  expect(await run(activities, undefined, 'claimed-no-process')).toBe('COMPLETED');
  expect(busy.calls).toEqual(['stage a', 'commit a', 'end']);
  const waiting = materializing(
    { a: [] },
    {
      stageBuild: async () => {
        throw ApplicationFailure.create({ type: noProcessFailure, message: 'busy', nonRetryable: true });
      },
    },
  );
  const whileWaiting = async (workflowId: string) => {
    const handle = env.client.workflow.getHandle(workflowId);
    await untilEvent(handle, 'timerStartedEventAttributes');
    await handle.cancel();
  };
  expect(await run(waiting.activities, whileWaiting)).toBe('CANCELLED');
  expect(waiting.calls).toEqual(['discard a', 'cancelled a', 'end']);
});

test('a cancel ends it while it waits and while it builds; what was built stays', async () => {
  const waiting = materializing({}, { beginMaterialization: async () => 'waiting' });
  const whileWaiting = async (workflowId: string) => {
    const handle = env.client.workflow.getHandle(workflowId);
    await untilEvent(handle, 'timerStartedEventAttributes');
    await handle.cancel();
  };
  expect(await run(waiting.activities, whileWaiting)).toBe('CANCELLED');
  expect(waiting.calls).toEqual(['end']);

  const begun = Promise.withResolvers<void>();
  const building = materializing({ a: [], b: ['a'] });
  const { stageBuild } = building.activities;
  const activities: Activities = {
    ...building.activities,
    stageBuild: async (input) => {
      if (input.tableId === 'a') return stageBuild(input);
      begun.resolve();
      const beat = setInterval(() => Context.current().heartbeat(), 100);
      try {
        return await Context.current().cancelled;
      } finally {
        clearInterval(beat);
      }
    },
  };
  const whileBuilding = async (workflowId: string) => {
    await begun.promise;
    await cancelActivityOf(env.client.workflow.getHandle(workflowId));
  };
  expect(await run(activities, whileBuilding, 'claimed-cancelled')).toBe('CANCELLED');
  expect(building.calls).toEqual(['stage a', 'commit a', 'discard b', 'cancelled b', 'end']);
});

test('a run of one table asks for no other; one of several does, which shows its progress', async () => {
  const looksOf = async (graph: Graph) => {
    const { activities, calls, mostAtOnce } = materializing(graph);
    const claimBuilds = activities.claimBuilds;
    let looks = 0;
    const { nextBuilds } = activities;
    activities.claimBuilds = async (input) => {
      const claimed = await claimBuilds(input);
      looks = 0;
      return claimed;
    };
    activities.nextBuilds = async (input) => {
      looks += 1;
      return nextBuilds(input);
    };
    expect(await run(activities)).toBe('COMPLETED');
    expect(calls.filter((call) => call.startsWith('commit'))).toHaveLength(Object.keys(graph).length);
    expect(calls.at(-1)).toBe('end');
    expect(mostAtOnce()).toBeLessThanOrEqual(2);
    return looks;
  };
  expect(await looksOf({ a: [] })).toBe(0);
  // Two are built at once, and may end together.
  expect(await looksOf({ a: [], b: [], c: [], d: [], e: [] })).toBeGreaterThanOrEqual(3);
});

test('a run that was cancelled before it began, or has nothing to build, only ends', async () => {
  const ended = materializing({ a: [] }, { beginMaterialization: async () => 'ended' });
  expect(await run(ended.activities)).toBe('COMPLETED');
  expect(ended.calls).toEqual(['end']);
  const fresh = materializing({});
  expect(await run(fresh.activities, undefined, 'claimed-fresh')).toBe('COMPLETED');
  expect(fresh.calls).toEqual(['end']);
});

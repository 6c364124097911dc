import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { expect } from 'vitest';
import { runEndedSignal } from '../../workflows/automation/schedule-run/names.ts';
import type {
  NodeEnd,
  NodeProgress,
  PlannedNode,
  WorkflowRunAgentActivities,
  WorkflowRunControlActivities,
  WorkflowRunOutcome,
} from '../../workflows/automation/workflow-run/contract.ts';
import {
  decidedSignal,
  resumedSignal,
  workflowRunWorkflowType,
} from '../../workflows/automation/workflow-run/names.ts';
import type {
  DeliveryAgentActivities,
  DeliveryControlActivities,
} from '../../workflows/publishing/delivery/contract.ts';
import { taskQueues } from '../../workflows/task-queues.ts';
import { endless, endOf, skippingTest, useTimeSkipping } from '../support/conversation-process.ts';
import { keepHistory } from '../support/histories.ts';

/** A run's process over activities that only record their calls. */
const skipping = useTimeSkipping();

type Activities = WorkflowRunControlActivities &
  WorkflowRunAgentActivities &
  DeliveryControlActivities &
  DeliveryAgentActivities;

const done: NodeEnd = { status: 'succeeded', ports: ['done'] };
const ended = (end: NodeEnd = done): NodeProgress => ({ kind: 'ended', end });
const succeeded: WorkflowRunOutcome = { status: 'succeeded', errorCode: null };

/** The server's clock jumps ahead between tests. */
const daysFromNow = async (days: number) => (await skipping.env.currentTimeMs()) + days * 86_400_000;

const planned = (id: string, after: string[] = [], change: Partial<PlannedNode> = {}): PlannedNode => ({
  id,
  label: `The ${id} (query)`,
  needs: after.map((from) => [{ from, port: 'done' }]),
  timeoutSeconds: 600,
  end: null,
  ...change,
});

function fake(nodes: PlannedNode[] | undefined, change: Partial<Activities> = {}) {
  const calls: string[] = [];
  const steps: Activities = {
    beginWorkflowRun: async () => nodes && { nodes, resumes: 0 },
    skipNodes: async () => undefined,
    endNode: async (_, why) => ({ status: why === 'cancelled' ? 'cancelled' : 'failed', ports: [] }),
    endWorkflowRun: async () => succeeded,
    advanceNode: async () => ended(),
    attemptDelivery: async () => ({ status: 'delivered' }),
    giveUpDelivery: async () => ({ status: 'failed' }),
    ...change,
  };
  const nameOf = (name: string, [input, more]: never[]) => {
    const { nodeId, deliveryId } = (input ?? {}) as { nodeId?: string; deliveryId?: string };
    return [name, nodeId ?? deliveryId, more]
      .filter((part) => part !== undefined && typeof part !== 'number')
      .join(' ');
  };
  const noted = Object.entries(steps).map(([name, step]) => [
    name,
    (...given: never[]) => {
      calls.push(nameOf(name, given));
      return (step as (...given: never[]) => unknown)(...given);
    },
  ]);
  return { calls, activities: Object.fromEntries(noted) as Activities };
}

async function run(
  { calls, activities }: ReturnType<typeof fake>,
  {
    during = async () => undefined,
    name,
    look = async () => undefined,
  }: {
    during?: (handle: WorkflowHandle) => Promise<unknown>;
    name?: string;
    look?: (handle: WorkflowHandle) => Promise<unknown>;
  } = {},
): Promise<string[]> {
  const { env, workflowBundle } = skipping;
  const { advanceNode, attemptDelivery, ...control } = activities;
  const connection = env.nativeConnection;
  const workers = await Promise.all([
    Worker.create({ connection, workflowBundle, taskQueue: taskQueues.control, activities: control }),
    Worker.create({
      connection,
      taskQueue: taskQueues.agent,
      activities: { advanceNode, attemptDelivery },
      maxHeartbeatThrottleInterval: '50 milliseconds',
    }),
  ]);
  return workers[0]!.runUntil(
    workers[1]!.runUntil(async () => {
      const handle = await env.client.workflow.start(workflowRunWorkflowType, {
        workflowId: `workflow-run/${randomUUID()}`,
        taskQueue: taskQueues.control,
        args: [{ organizationId: 'org_test', runId: 'wfr_1' }],
      });
      await during(handle);
      const end = await endOf(handle);
      if (name !== undefined) await keepHistory(handle, `workflow-run-${name}`);
      await look(handle);
      return [...calls, end];
    }),
  );
}

skippingTest('nodes run one after the other, and what nothing leads to is skipped', async () => {
  const nodes = [
    planned('first'),
    planned('second', ['first']),
    planned('other', [], { needs: [[{ from: 'first', port: 'no' }]] }),
    planned('third', ['other']),
  ];
  expect(await run(fake(nodes), { name: 'branches' })).toEqual([
    ...['beginWorkflowRun', 'advanceNode first', 'skipNodes other,third', 'advanceNode second'],
    ...['endWorkflowRun', 'COMPLETED succeeded'],
  ]);
});

skippingTest('a run that has ended, or was cancelled before it began, does nothing', async () => {
  const over = fake(undefined, { endWorkflowRun: async () => ({ status: 'cancelled', errorCode: null }) });
  expect(await run(over)).toEqual(['beginWorkflowRun', 'endWorkflowRun', 'COMPLETED cancelled']);
});

skippingTest('what was done before is not done again', async () => {
  const nodes = [planned('first', [], { end: done }), planned('second', ['first'])];
  expect(await run(fake(nodes))).toEqual([
    ...['beginWorkflowRun', 'advanceNode second', 'endWorkflowRun', 'COMPLETED succeeded'],
  ]);
});

skippingTest(
  'a node waits for a time, for a word about its run or its approval, and for deliveries',
  async () => {
    const [month, quarter] = [await daysFromNow(30), await daysFromNow(90)];
    const looks = new Map<string, number>();
    const steps: Record<string, NodeProgress[]> = {
      late: [{ kind: 'waiting', what: 'until then', untilMs: month }, ended()],
      book: [{ kind: 'waiting', what: 'run_1', untilMs: quarter }, ended()],
      asked: [{ kind: 'waiting', what: 'wap_1', untilMs: quarter }, ended()],
      sent: [{ kind: 'delivering', deliveryIds: ['dlv_1', 'dlv_2'] }, ended()],
    };
    const asked = Promise.withResolvers<void>();
    const waiting = fake(
      [
        planned('sent'),
        planned('book'),
        planned('asked'),
        planned('late', ['book', 'asked'], { timeoutSeconds: 86_400 * 400 }),
      ],
      {
        advanceNode: async ({ nodeId }) => {
          const look = looks.get(nodeId) ?? 0;
          looks.set(nodeId, look + 1);
          if ([...looks.keys()].length === 3) asked.resolve();
          return steps[nodeId]![look]!;
        },
      },
    );
    const calls = await run(waiting, {
      name: 'waits',
      during: async (handle) => {
        await asked.promise;
        await handle.signal(runEndedSignal, 'run_other');
        await handle.signal(runEndedSignal, 'run_1');
        await handle.signal(decidedSignal, 'wap_1');
      },
    });
    expect(Object.fromEntries(looks)).toEqual({ sent: 2, book: 2, asked: 2, late: 2 });
    expect(calls).toEqual(expect.arrayContaining(['attemptDelivery dlv_1', 'attemptDelivery dlv_2']));
    expect(calls.at(-1)).toBe('COMPLETED succeeded');
  },
);

skippingTest('a node that does not end in its time fails, and the others go on', async () => {
  const nodes = [planned('slow', [], { timeoutSeconds: 60 }), planned('quick'), planned('after', ['slow'])];
  const untilMs = await daysFromNow(300);
  const timed = fake(nodes, {
    advanceNode: async ({ nodeId }) =>
      nodeId === 'slow' ? { kind: 'waiting', what: 'ever', untilMs } : ended(),
    endWorkflowRun: async () => ({ status: 'failed', errorCode: 'node_timeout' }),
  });
  const calls = await run(timed, { name: 'timeout' });
  expect(calls).toContain('endNode slow timeout');
  expect(calls).toContain('advanceNode quick');
  expect(calls).not.toContain('advanceNode after');
  expect(calls.at(-1)).toBe('FAILED failed');
});

skippingTest('a cancel reaches what is under way, and begins nothing more', async () => {
  const work = endless(ended());
  const cancelled = fake([planned('long'), planned('after', ['long'])], {
    advanceNode: () => work.work(),
    endWorkflowRun: async () => ({ status: 'cancelled', errorCode: null }),
  });
  const calls = await run(cancelled, {
    name: 'cancelled',
    during: async (handle) => {
      await work.begun;
      await handle.cancel();
    },
  });
  expect(calls).toEqual([
    ...['beginWorkflowRun', 'advanceNode long', 'endNode long cancelled', 'endWorkflowRun'],
    'CANCELLED cancelled',
  ]);
});

skippingTest('a run that is resumed before its process has ended goes on in that process', async () => {
  const begun = Promise.withResolvers<WorkflowHandle>();
  const outcomes: WorkflowRunOutcome[] = [{ status: 'failed', errorCode: 'node_timeout' }, succeeded];
  const resumed = fake([planned('first')], {
    endWorkflowRun: async () => {
      const outcome = outcomes.shift()!;
      if (outcome.status === 'failed') await (await begun.promise).signal(resumedSignal);
      return outcome;
    },
  });
  const calls = await run(resumed, { name: 'resumed', during: async (handle) => begun.resolve(handle) });
  const pass = ['beginWorkflowRun', 'advanceNode first', 'endWorkflowRun'];
  expect(calls).toEqual([...pass, ...pass, 'COMPLETED succeeded']);
});

skippingTest('a node that finds no place asks again and again, less often each time', async () => {
  let looks = 0;
  const busy = fake([planned('crowded', [], { timeoutSeconds: 3_600 })], {
    advanceNode: async () => {
      looks += 1;
      return { kind: 'busy' };
    },
    endWorkflowRun: async () => ({ status: 'failed', errorCode: 'node_timeout' }),
  });
  const calls = await run(busy, { name: 'busy' });
  expect(calls.slice(-3)).toEqual(['endNode crowded timeout', 'endWorkflowRun', 'FAILED failed']);
  expect(looks).toBeGreaterThan(30);
  expect(looks).toBeLessThan(45);
});

skippingTest('of nodes that find no place one asks for all', async () => {
  const nodes = ['a', 'b', 'c', 'd'].map((id) => planned(id, [], { timeoutSeconds: 86_400 }));
  let looks = 0;
  const crowded = fake(nodes, {
    advanceNode: async () => {
      looks += 1;
      return looks < 20 ? { kind: 'busy' } : ended();
    },
  });
  const calls = await run(crowded, { name: 'crowded' });
  expect(calls.at(-1)).toBe('COMPLETED succeeded');
  const asked = calls.slice(1, 20).map((call) => call.split(' ')[1]);
  // Each once, and then only the first.
  expect(new Set(asked.slice(0, 4)).size).toBe(4);
  expect(new Set(asked.slice(4)).size).toBe(1);
});

skippingTest('a run that finds no place asks until there is one', async () => {
  let asked = 0;
  const late = fake([], {
    beginWorkflowRun: async () => {
      asked += 1;
      return asked < 20 ? 'crowded' : { nodes: [planned('first')], resumes: 0 };
    },
  });
  const calls = await run(late, { name: 'queued' });
  expect(calls.slice(19)).toEqual([
    ...['beginWorkflowRun', 'advanceNode first', 'endWorkflowRun', 'COMPLETED succeeded'],
  ]);
});

skippingTest('a run that is cancelled while it waits for a place begins nothing', async () => {
  const asked = Promise.withResolvers<void>();
  const late = fake([], {
    beginWorkflowRun: async () => {
      asked.resolve();
      return 'crowded';
    },
    endWorkflowRun: async () => ({ status: 'cancelled', errorCode: null }),
  });
  const calls = await run(late, {
    during: async (handle) => {
      await asked.promise;
      await handle.cancel();
    },
  });
  expect(calls.at(-1)).toBe('CANCELLED cancelled');
  expect(calls.filter((call) => call.startsWith('advanceNode'))).toEqual([]);
});

skippingTest('a hundred nodes stay under two thousand events', async () => {
  const nodes = Array.from({ length: 100 }, (_, index) =>
    planned(`n${index}`, index === 0 ? [] : [`n${Math.floor((index - 1) / 3)}`]),
  );
  let events = 0;
  const calls = await run(fake(nodes), {
    look: async (handle) => {
      events = (await handle.fetchHistory()).events!.length;
    },
  });
  expect(calls).toHaveLength(103);
  expect(events).toBeLessThan(2_000);
});

skippingTest('the time of a node ends what it delivers, between two attempts too', async () => {
  let attempts = 0;
  let endedMs = 0;
  const late = fake([planned('sent', [], { timeoutSeconds: 600 })], {
    advanceNode: async () => ({ kind: 'delivering', deliveryIds: ['dlv_1', 'dlv_2'] }),
    attemptDelivery: async ({ deliveryId }) => {
      attempts += 1;
      if (deliveryId === 'dlv_1') throw new Error('The store is away.');
      return { status: 'pending', retryAfterMs: 400_000 };
    },
    endNode: async () => {
      endedMs = await skipping.env.currentTimeMs();
      return { status: 'failed', ports: [] };
    },
    endWorkflowRun: async () => ({ status: 'failed', errorCode: 'node_timeout' }),
  });
  const beganMs = await skipping.env.currentTimeMs();
  const calls = await run(late, { name: 'delivery-timeout' });
  expect(calls.slice(-3)).toEqual(['endNode sent timeout', 'endWorkflowRun', 'FAILED failed']);
  expect(calls).not.toContain('giveUpDelivery dlv_1');
  expect(attempts).toBeLessThan(25);
  expect(Math.round((endedMs - beganMs) / 60_000)).toBe(10);
});

skippingTest('a run that looks often goes on in another execution, and its nodes with it', async () => {
  const nodes = [planned('first'), planned('slow', ['first'], { timeoutSeconds: 30 * 3_600 })];
  const ends = new Map<string, NodeEnd>();
  const runs = new Set<string>();
  const inputs: object[] = [];
  let endedMs = 0;
  const long = fake(nodes, {
    beginWorkflowRun: async (input) => {
      inputs.push(input);
      return { nodes: nodes.map((node) => ({ ...node, end: ends.get(node.id) ?? null })), resumes: 0 };
    },
    advanceNode: async ({ nodeId }) => {
      runs.add(Context.current().info.workflowExecution!.runId);
      if (nodeId === 'slow')
        return { kind: 'waiting', what: 'it', untilMs: (await skipping.env.currentTimeMs()) + 180_000 };
      ends.set(nodeId, done);
      return ended();
    },
    endNode: async () => {
      endedMs = await skipping.env.currentTimeMs();
      return { status: 'failed', ports: [] };
    },
    endWorkflowRun: async () => ({ status: 'failed', errorCode: 'node_timeout' }),
  });
  const beganMs = await skipping.env.currentTimeMs();
  const calls = await run(long);
  expect(runs.size).toBeGreaterThan(1);
  expect(calls.filter((call) => call === 'advanceNode first')).toHaveLength(1);
  expect(calls.slice(-3)).toEqual(['endNode slow timeout', 'endWorkflowRun', 'FAILED failed']);
  // Its time began with the first attempt.
  expect(Math.round((endedMs - beganMs) / 3_600_000)).toBe(30);
  expect(new Set(inputs.map((input) => Object.keys(input).join()))).toEqual(
    new Set(['organizationId,runId']),
  );
});

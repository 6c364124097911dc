import type { WorkflowHandle } from '@temporalio/client';
import { expect } from 'vitest';
import { runEndedSignal } from '../../workflows/automation/schedule-run/names.ts';
import type { NodeProgress, WorkflowRunOutcome } from '../../workflows/automation/workflow-run/contract.ts';
import { decidedSignal, resumedSignal } from '../../workflows/automation/workflow-run/names.ts';
import { endless, skippingTest, useTimeSkipping } from '../support/conversation-process.ts';
import { done, ended, fake, planned, runOver, succeeded } from './workflow-run-process.ts';

const skipping = useTimeSkipping();
const run = (over: ReturnType<typeof fake>, more?: Parameters<typeof runOver>[2]) =>
  runOver(skipping, over, more);

/** The server's clock jumps ahead between tests. */
const daysFromNow = async (days: number) => (await skipping.env.currentTimeMs()) + days * 86_400_000;

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

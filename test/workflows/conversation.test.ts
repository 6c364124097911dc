import { ApplicationFailure } from '@temporalio/common';
import { expect, test } from 'vitest';
import type { Decisions, StepOutcome } from '../../workflows/analyst/conversation/contract.ts';
import {
  maxSteps,
  stopReplySignal,
  toolTries,
  wakeConversationSignal,
} from '../../workflows/analyst/conversation/names.ts';
import {
  type Activities,
  endless,
  endOf,
  type Fake,
  fake,
  skippingTest,
  start,
  until,
  useTimeSkipping,
  withWorkers,
} from '../support/conversation-process.ts';
import { keepHistory } from '../support/histories.ts';

/** A conversation's turns, as its process runs them; all of them end idle. */
const skipping = useTimeSkipping();

const ended: StepOutcome = { kind: 'ended' };
const tools = (...partIndexes: number[]): StepOutcome => ({ kind: 'tools', partIndexes });
const failure = (type: string, more: Parameters<typeof ApplicationFailure.create>[0] = {}) =>
  ApplicationFailure.create({ type, message: 'The model step failed.', ...more });

type Handle = Awaited<ReturnType<typeof start>>;

/** Every call of the conversation until its process ended; `during` may interfere. */
async function callsOf(
  conversation: Fake,
  during: (handle: Handle) => Promise<unknown> = async () => undefined,
  name?: string,
): Promise<string[]> {
  await withWorkers(skipping, conversation, async () => {
    const handle = await start(skipping);
    await during(handle);
    expect(await endOf(handle)).toBe('COMPLETED idle');
    if (name !== undefined) await keepHistory(handle, `conversation-${name}`);
  });
  return conversation.calls;
}

/** The reply is ended by a Stop, and the process is notified. */
async function stop(conversation: Fake, handle: Handle, messageId = 'm1'): Promise<void> {
  const looks = () => conversation.calls.filter((call) => call === 'advance').length;
  const before = looks();
  conversation.end(messageId);
  await handle.signal(stopReplySignal, messageId);
  await until(() => looks() > before);
}

skippingTest('a turn takes its steps and tools to its end', async () => {
  const conversation = fake(['m1'], {
    takeModelStep: async (_turn, step) => (step === 0 ? tools(0, 1) : step === 1 ? tools(3) : ended),
  });
  const calls = await callsOf(conversation, undefined, 'tools');
  // The order of two concurrent ones is undefined.
  expect([...calls.slice(0, 2), ...calls.slice(2, 4).sort(), ...calls.slice(4)]).toEqual([
    'advance',
    'model m1 0',
    'tool m1 0',
    'tool m1 1',
    'model m1 1',
    'tool m1 3',
    'model m1 2',
    'advance',
  ]);
});

skippingTest('turns are taken one after the other', async () => {
  const calls = await callsOf(fake(['m1', 'm2']));
  expect(calls).toEqual([...['advance', 'model m1 0'], ...['advance', 'model m2 0'], 'advance']);
});

/** The first step finds that the turn cannot begin yet. */
const unbegunOnce = () => {
  let isFirst = true;
  return async () => {
    if (!isFirst) return ended;
    isFirst = false;
    return { kind: 'unbegun' as const };
  };
};

skippingTest('a turn that cannot begin at once waits, and then takes its steps', async () => {
  const calls = await callsOf(fake(['m1'], { takeModelStep: unbegunOnce() }));
  expect(calls).toEqual(['advance', 'model m1 0', 'begin m1', 'model m1 0', 'advance']);
});

skippingTest('a turn that waits to begin has not begun its ten minutes', async () => {
  const conversation = fake(['m1'], { takeModelStep: unbegunOnce() });
  const { beginTurn } = conversation.activities;
  let tries = 0;
  conversation.activities.beginTurn = async (turn) => {
    tries += 1;
    if (tries < 900) throw failure('overloaded', { nextRetryDelay: '1 second' });
    return beginTurn(turn);
  };
  expect(await callsOf(conversation)).toEqual(['advance', 'model m1 0', 'begin m1', 'model m1 0', 'advance']);
});

skippingTest('a turn that is stopped while it waits to begin takes no step', async () => {
  const conversation = fake(['m1'], { takeModelStep: unbegunOnce() });
  conversation.activities.beginTurn = async ({ messageId }) => {
    conversation.end(messageId);
    return false;
  };
  expect(await callsOf(conversation)).toEqual(['advance', 'model m1 0', 'advance']);
});

skippingTest('a Stop ends a model step that is under way, and the next turn begins', async () => {
  const answer = endless(ended);
  const conversation = fake(['m1', 'm2'], {
    takeModelStep: async ({ messageId }) => (messageId === 'm1' ? answer.work() : ended),
  });
  const calls = await callsOf(
    conversation,
    async (handle) => {
      await answer.begun;
      await stop(conversation, handle);
    },
    'stopped',
  );
  expect(calls).toEqual([...['advance', 'model m1 0'], ...['advance', 'model m2 0'], 'advance']);
});

skippingTest('a Stop ends the wait for the next try of a model step', async () => {
  const conversation = fake(['m1'], {
    takeModelStep: async () => {
      throw failure('model_unavailable', { nextRetryDelay: '4 minutes' });
    },
  });
  const calls = await callsOf(conversation, async (handle) => {
    await until(async () => {
      const { raw } = await handle.describe();
      return raw.pendingActivities?.some(({ attempt }) => attempt === 2) === true;
    });
    await stop(conversation, handle);
  });
  expect(calls).toEqual(['advance', 'model m1 0', 'advance']);
});

skippingTest('a Stop ends tools that are under way, and begins no other', async () => {
  const call = endless(undefined);
  const conversation = fake(['m1'], {
    takeModelStep: async () => tools(0, 1, 2, 3, 4, 5),
    callTool: () => call.work(),
  });
  const calls = await callsOf(conversation, async (handle) => {
    await until(() => conversation.calls.filter((name) => name.startsWith('tool')).length === 4);
    await stop(conversation, handle);
  });
  expect(calls.filter((name) => name.startsWith('tool')).sort()).toEqual([
    'tool m1 0',
    'tool m1 1',
    'tool m1 2',
    'tool m1 3',
  ]);
  expect(calls.at(-1)).toBe('advance');
  expect(calls.filter((name) => name.startsWith('fail'))).toEqual([]);
});

skippingTest('a Stop of another reply than the one under way changes nothing', async () => {
  const answer = endless(ended);
  const conversation = fake(['m1'], { takeModelStep: () => answer.work() });
  const calls = await callsOf(conversation, async (handle) => {
    await answer.begun;
    await handle.signal(stopReplySignal, 'm0');
    answer.release();
  });
  expect(calls).toEqual(['advance', 'model m1 0', 'advance']);
});

skippingTest('the last step is told that it is, and a turn that takes one more fails', async () => {
  const calls = await callsOf(fake(['m1'], { takeModelStep: async () => tools() }));
  expect(calls.filter((name) => name.startsWith('model'))).toHaveLength(maxSteps);
  expect(calls.slice(-3)).toEqual([
    `model m1 ${maxSteps - 1} last`,
    'failTurn m1 turn_step_limit',
    'advance',
  ]);
});

skippingTest('a turn that takes longer than ten minutes fails', async () => {
  const calls = await callsOf(
    fake(['m1', 'm2'], {
      takeModelStep: async ({ messageId }) => {
        if (messageId === 'm2') return ended;
        throw failure('model_unavailable', { nextRetryDelay: '6 minutes' });
      },
    }),
  );
  expect(calls).toEqual([
    ...['advance', 'model m1 0', 'model m1 0', 'failTurn m1 turn_timeout'],
    ...['advance', 'model m2 0', 'advance'],
  ]);
});

skippingTest('a model step that no other try would help fails the turn with its code', async () => {
  const calls = await callsOf(
    fake(['m1'], {
      takeModelStep: async () => {
        throw failure('model_refused', { nonRetryable: true });
      },
    }),
    undefined,
    'failed',
  );
  expect(calls).toEqual(['advance', 'model m1 0', 'failTurn m1 model_refused', 'advance']);
});

test.each<[code: string, takeModelStep: Activities['takeModelStep']]>([
  [
    'model_unavailable',
    async () => {
      throw failure('model_unavailable');
    },
  ],
  [
    'internal_error',
    async () => {
      throw failure('internal_error');
    },
  ],
])('a model step is tried five times, and then the turn fails: %s', async (code, takeModelStep) => {
  const calls = await callsOf(fake(['m1'], { takeModelStep }));
  expect(calls).toEqual([
    'advance',
    ...Array.from({ length: 5 }, () => 'model m1 0'),
    ...[`failTurn m1 ${code}`, 'advance'],
  ]);
});

skippingTest('the next try of a model step waits for as long as its provider says', async () => {
  const triedAtMs: number[] = [];
  await callsOf(
    fake(['m1'], {
      takeModelStep: async () => {
        triedAtMs.push(await skipping.env.currentTimeMs());
        if (triedAtMs.length > 1) return ended;
        throw failure('model_overloaded', { nextRetryDelay: '90 seconds' });
      },
    }),
  );
  const [first, second] = triedAtMs as [number, number];
  expect(second - first).toBeGreaterThanOrEqual(90_000);
});

skippingTest('a tool that fails in every try is told to the model, and the turn goes on', async () => {
  const calls = await callsOf(
    fake(['m1'], {
      takeModelStep: async (_turn, step) => (step === 0 ? tools(0) : ended),
      callTool: async () => {
        throw failure('lake_busy');
      },
    }),
  );
  expect(calls).toEqual([
    ...['advance', 'model m1 0'],
    ...Array.from({ length: toolTries }, () => 'tool m1 0'),
    ...['failToolCall m1 0', 'model m1 1', 'advance'],
  ]);
});

skippingTest('four tools of a step at most are under way at once', async () => {
  const indexes = Array.from({ length: 11 }, (_, index) => index);
  const conversation = fake(['m1'], {
    takeModelStep: async (_turn, step) => (step === 0 ? tools(...indexes) : ended),
  });
  let most = 0;
  await withWorkers(skipping, conversation, async () => {
    const handle = await start(skipping);
    expect(await endOf(handle)).toBe('COMPLETED idle');
    const open = new Set<string>();
    for (const event of (await handle.fetchHistory()).events ?? []) {
      const scheduled = event.activityTaskScheduledEventAttributes;
      if (scheduled?.activityType?.name === 'callTool') open.add(String(event.eventId));
      open.delete(String(event.activityTaskCompletedEventAttributes?.scheduledEventId));
      most = Math.max(most, open.size);
    }
  });
  expect(most).toBe(4);
  expect(conversation.calls.filter((name) => name.startsWith('tool'))).toHaveLength(indexes.length);
});

/** The first step has a call that waits for a person; the decisions are read from here. */
function waitingCall(decisions: Decisions[]) {
  return fake(['m1'], {
    takeModelStep: async (_turn, step) =>
      step === 0 ? { kind: 'tools', partIndexes: [0], waits: true } : ended,
    readDecisions: async () => decisions.shift()!,
  });
}

const waits = (waitMs: number): Decisions => ({ kind: 'decided', partIndexes: [], waitMs });
const decided = (...partIndexes: number[]): Decisions => ({ kind: 'decided', partIndexes, waitMs: null });
const lookedAt = (conversation: Fake, times: number) =>
  until(() => conversation.calls.filter((call) => call === 'decisions m1').length === times);

skippingTest('a call that a person allows is made, after those that need nobody', async () => {
  const conversation = waitingCall([waits(3_600_000), decided(1)]);
  const calls = await callsOf(
    conversation,
    async (handle) => {
      await lookedAt(conversation, 1);
      await handle.signal(wakeConversationSignal);
    },
    'approval',
  );
  expect(calls).toEqual([
    ...['advance', 'model m1 0', 'tool m1 0'],
    ...['decisions m1', 'decisions m1', 'tool m1 1'],
    ...['model m1 1', 'advance'],
  ]);
});

skippingTest('what is allowed first is called while others wait', async () => {
  const conversation = waitingCall([
    { kind: 'decided', partIndexes: [1], waitMs: 1_000 },
    waits(1_000),
    decided(),
  ]);
  const calls = await callsOf(conversation);
  expect(calls).toEqual([
    ...['advance', 'model m1 0', 'tool m1 0', 'decisions m1', 'tool m1 1'],
    ...['decisions m1', 'decisions m1', 'model m1 1', 'advance'],
  ]);
});

skippingTest(
  'what nobody decides is denied after a day, which is none of the ten minutes of work',
  async () => {
    const conversation = waitingCall([waits(24 * 3_600_000), decided()]);
    expect(await callsOf(conversation)).toEqual([
      ...['advance', 'model m1 0', 'tool m1 0', 'decisions m1', 'decisions m1', 'model m1 1', 'advance'],
    ]);
  },
);

skippingTest('a Stop ends the wait for a person', async () => {
  const conversation = waitingCall([waits(24 * 3_600_000)]);
  const calls = await callsOf(conversation, async (handle) => {
    await lookedAt(conversation, 1);
    await stop(conversation, handle);
    // The timer of a day is cancelled before the clock jumps to it.
    await until(() => conversation.calls.length === 5);
  });
  expect(calls).toEqual(['advance', 'model m1 0', 'tool m1 0', 'decisions m1', 'advance']);
});

skippingTest('a turn that ended while it waited takes no other step', async () => {
  const calls = await callsOf(waitingCall([{ kind: 'ended' }]));
  expect(calls.slice(0, 4)).toEqual(['advance', 'model m1 0', 'tool m1 0', 'decisions m1']);
  expect(calls).not.toContain('model m1 1');
});

import { expect } from 'vitest';
import {
  conversationWorkflowType,
  stopReplySignal,
  wakeConversationSignal,
} from '../../workflows/analyst/conversation/names.ts';
import { taskQueues } from '../../workflows/task-queues.ts';
import {
  endless,
  endOf,
  fake,
  skippingTest,
  standing,
  start,
  until,
  useTimeSkipping,
  withWorkers,
} from '../support/conversation-process.ts';
import { keepHistory } from '../support/histories.ts';

/** How a conversation's process waits, continues and ends. */
const skipping = useTimeSkipping();

type Handle = Awaited<ReturnType<typeof start>>;

const idleMs = 5 * 60_000;

/** The process waits for work: it has looked, and its timer is running. */
async function idle(handle: Handle, times = 1): Promise<void> {
  await until(async () => {
    const { events } = await handle.fetchHistory();
    const timers = (events ?? []).map((event) => event.timerStartedEventAttributes?.startToFireTimeout);
    return timers.filter((timer) => Number(timer?.seconds) * 1_000 === idleMs).length >= times;
  });
}

/** What the API does when a message was accepted. */
function wake(handle: Handle): Promise<Handle> {
  return skipping.env.client.workflow.signalWithStart(conversationWorkflowType, {
    workflowId: handle.workflowId,
    taskQueue: taskQueues.control,
    args: [{ organizationId: 'org_test', conversationId: handle.workflowId }],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    signal: wakeConversationSignal,
    signalArgs: [],
  });
}

skippingTest('a process that nobody talks to ends after five minutes', async () => {
  const conversation = fake([]);
  await withWorkers(skipping, conversation, async () => {
    const beganAtMs = await skipping.env.currentTimeMs();
    const handle = await start(skipping);
    expect(await endOf(handle)).toBe('COMPLETED idle');
    expect(await skipping.env.currentTimeMs()).toBeGreaterThanOrEqual(beganAtMs + idleMs);
    await keepHistory(handle, 'conversation-idle');
  });
  expect(conversation.calls).toEqual(['advance']);
});

skippingTest(
  'a message within the five minutes is answered by the same process, which then waits for as long anew',
  async () => {
    const conversation = fake([]);
    await withWorkers(skipping, conversation, async () => {
      const handle = await start(skipping);
      await idle(handle);
      await skipping.env.sleep('4 minutes');
      conversation.waiting.push('m1');
      await handle.signal(wakeConversationSignal);
      await idle(handle, 2);
      await skipping.env.sleep('4 minutes');
      expect(await standing(handle)).toBe('RUNNING');
      expect(await endOf(handle)).toBe('COMPLETED idle');
    });
    expect(conversation.calls).toEqual(['advance', 'advance', 'model m1 0', 'advance']);
  },
);

skippingTest('a wake-up while a turn is under way is not lost, and changes nothing of it', async () => {
  const answer = endless({ kind: 'ended' as const });
  const conversation = fake(['m1'], {
    takeModelStep: async ({ messageId }) => (messageId === 'm1' ? answer.work() : { kind: 'ended' }),
  });
  await withWorkers(skipping, conversation, async () => {
    const handle = await start(skipping);
    await answer.begun;
    conversation.waiting.push('m2');
    await handle.signal(wakeConversationSignal);
    answer.release();
    expect(await endOf(handle)).toBe('COMPLETED idle');
  });
  expect(conversation.calls).toEqual([...['advance', 'model m1 0'], ...['advance', 'model m2 0', 'advance']]);
});

skippingTest('a wake-up while the process looks makes it look again', async () => {
  const look = Promise.withResolvers<void>();
  const looking = Promise.withResolvers<void>();
  const conversation = fake([]);
  const { advanceConversation } = conversation.activities;
  conversation.activities.advanceConversation = async (input) => {
    const found = await advanceConversation(input);
    looking.resolve();
    await look.promise;
    return found;
  };
  await withWorkers(skipping, conversation, async () => {
    const handle = await start(skipping);
    await looking.promise;
    // It has looked and found nothing; the answer is in flight.
    conversation.waiting.push('m1');
    await handle.signal(wakeConversationSignal);
    look.resolve();
    expect(await endOf(handle)).toBe('COMPLETED idle');
  });
  expect(conversation.calls).toEqual(['advance', 'advance', 'model m1 0', 'advance']);
});

skippingTest('a wake-up that comes together with the end of the wait is heard', async () => {
  const conversation = fake([]);
  const handle = await withWorkers(
    skipping,
    conversation,
    async () => {
      const begun = await start(skipping);
      await idle(begun);
      return begun;
    },
    { maxCachedWorkflows: 0 },
  );
  // No worker runs while the wait ends and the message arrives: one task has both.
  await skipping.env.sleep(idleMs);
  conversation.waiting.push('m1');
  await wake(handle);
  await withWorkers(skipping, conversation, async () => {
    await until(() => conversation.calls.includes('model m1 0'));
    expect(await endOf(handle)).toBe('COMPLETED idle');
  });
  expect(conversation.calls).toEqual(['advance', 'advance', 'model m1 0', 'advance']);
  const { events } = await handle.fetchHistory();
  const fired = events!.findIndex((event) => event.timerFiredEventAttributes != null);
  const heard = events!.findIndex((event) => event.workflowExecutionSignaledEventAttributes != null);
  expect(fired).toBeGreaterThan(0);
  expect(events!.slice(fired, heard).some((event) => event.workflowTaskStartedEventAttributes)).toBe(false);
});

skippingTest('a deleted conversation is removed, also when it was answering', async () => {
  const answer = endless({ kind: 'ended' as const });
  const conversation = fake(['m1', 'm2'], { takeModelStep: () => answer.work() });
  await withWorkers(skipping, conversation, async () => {
    const handle = await start(skipping);
    await answer.begun;
    conversation.delete();
    await handle.signal(stopReplySignal, 'm1');
    expect(await endOf(handle)).toBe('COMPLETED deleted');
  });
  expect(conversation.calls).toEqual(['advance', 'model m1 0', 'advance', 'remove']);
});

skippingTest('a conversation that is no more needs no process', async () => {
  const conversation = fake([]);
  conversation.activities.advanceConversation = async () => ({ kind: 'gone' });
  await withWorkers(skipping, conversation, async () => {
    expect(await endOf(await start(skipping))).toBe('COMPLETED gone');
  });
});

skippingTest("an operator's cancel ends the turn under way, and then the process", async () => {
  const answer = endless({ kind: 'ended' as const });
  const conversation = fake(['m1', 'm2'], { takeModelStep: () => answer.work() });
  await withWorkers(skipping, conversation, async () => {
    const handle = await start(skipping);
    await answer.begun;
    await handle.cancel();
    expect(await endOf(handle)).toBe('CANCELLED');
  });
  expect(conversation.calls).toEqual(['advance', 'model m1 0', 'cancelTurn m1']);
});

skippingTest("an operator's cancel of a process that looks stops the turn that it finds", async () => {
  const look = Promise.withResolvers<void>();
  const answer = endless({ kind: 'ended' as const });
  const conversation = fake(['m1'], { takeModelStep: () => answer.work() });
  const { advanceConversation } = conversation.activities;
  conversation.activities.advanceConversation = async (input) => {
    const found = await advanceConversation(input);
    await look.promise;
    return found;
  };
  await withWorkers(skipping, conversation, async () => {
    const handle = await start(skipping);
    await until(() => conversation.calls.includes('advance'));
    await handle.cancel();
    look.resolve();
    expect(await endOf(handle)).toBe('CANCELLED');
  });
  expect(conversation.calls).toEqual(['advance', 'model m1 0', 'cancelTurn m1']);
});

skippingTest("an operator's cancel ends a process that waits", async () => {
  const conversation = fake([]);
  await withWorkers(skipping, conversation, async () => {
    const handle = await start(skipping);
    await idle(handle);
    await handle.cancel();
    await until(async () => (await standing(handle)) !== 'RUNNING');
    expect(await standing(handle)).toBe('CANCELLED');
  });
  expect(conversation.calls).toEqual(['advance']);
});

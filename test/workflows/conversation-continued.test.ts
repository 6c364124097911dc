import { expect, test } from 'vitest';
import { wakeConversationSignal } from '../../workflows/analyst/conversation/names.ts';
import { endOf, fake, start, until, useTimeSkipping, withWorkers } from '../support/conversation-process.ts';

/** A separate server: what other tests left on theirs cannot hold up its clock. */
const skipping = useTimeSkipping();

test('a long conversation goes on in another run before its history grows, and loses nothing', async () => {
  const messages = Array.from({ length: 48 }, (_, index) => `m${index}`);
  const conversation = fake([...messages], {
    takeModelStep: async (_turn, step) =>
      step === 0 ? { kind: 'tools', partIndexes: [0, 1, 2, 3, 4, 5] } : { kind: 'ended' },
  });
  await withWorkers(skipping, conversation, async () => {
    const first = await start(skipping);
    const { runId: firstRunId } = await first.describe();
    const handle = skipping.env.client.workflow.getHandle(first.workflowId);
    // Signals arrive all the time, as from clients.
    let isOver = false;
    const signals = (async () => {
      while (!isOver) {
        await handle.signal(wakeConversationSignal);
        const count = conversation.calls.length;
        await until(() => isOver || conversation.calls.length > count);
      }
    })();
    await until(() => conversation.calls.includes('model m47 1'));
    isOver = true;
    await signals;
    expect(await endOf(handle)).toBe('COMPLETED idle');
    const { events } = await skipping.env.client.workflow
      .getHandle(first.workflowId, firstRunId)
      .fetchHistory();
    expect(events!.length).toBeLessThan(2_200);
    expect(events!.at(-1)!.workflowExecutionContinuedAsNewEventAttributes).toBeTruthy();
  });
  const begun = conversation.calls.filter((call) => /^model m\d+ 0$/.test(call));
  expect(begun).toEqual(messages.map((id) => `model ${id} 0`));
  expect(conversation.calls.filter((call) => call.startsWith('tool'))).toHaveLength(messages.length * 6);
});

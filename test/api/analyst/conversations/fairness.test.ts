import { expect, test } from 'vitest';
import { talkIn, useModelServer } from '../../../support/conversations.ts';
import { eventually } from '../../../support/eventually.ts';
import { useWorker } from '../../../support/worker.ts';
import { useOwnWorkspace } from '../../../support/workspace.ts';

const models = useModelServer(({ messages }) =>
  String(messages.at(-1)!.content).includes('slowly')
    ? { endless: { delta: 'slow ', everyMs: 20 } }
    : { text: 'Quick.' },
);
const workspace = useOwnWorkspace({}, models.environment);
useWorker(workspace, { turnsPerOrganization: 2 });

test('an organization that has its turns under way keeps nobody else waiting, and its next one comes up', async () => {
  const client = await workspace.organization();
  const [one, two, three] = [await talkIn(client), await talkIn(client), await talkIn(client)];
  const slow = [one, two].map(async (talk) => {
    const { messageId } = (await talk.post('Answer slowly.')).body.data;
    await eventually(
      () => talk.message(messageId),
      ({ content }) => content !== '',
    );
    return messageId as string;
  });
  const [first] = await Promise.all(slow);
  const waiting = (await three.post('Me too.')).body.data.messageId;
  const others = await talkIn(await workspace.organization());
  expect(await others.ask('Hello?')).toMatchObject({ status: 'complete', content: 'Quick.' });
  expect(await three.message(waiting)).toMatchObject({ status: 'streaming', content: '' });
  await one.cancel(first!);
  expect(await three.ended(waiting)).toMatchObject({ status: 'complete', content: 'Quick.' });
});

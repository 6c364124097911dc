import { expect, test } from 'vitest';
import { projectOf, talkIn } from '../../../support/conversations.ts';
import { personOf } from '../../../support/people.ts';
import { useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();

test('a queued question belongs to whoever wrote its text last, whose rights its answer has', async () => {
  const client = await workspace.organization();
  const member = await personOf(workspace, client, 'member');
  const talk = await talkIn(client, await projectOf(client));
  // No worker answers the first question, so the second waits.
  await talk.post('How many orders are there?');
  const queued = (await talk.post('And how many customers?')).body.data.queuedMessage;
  const change = (body: object) => member.call('PATCH', `${talk.url}/queue/${queued.id}`, { body });
  const authorOf = async () => {
    const statement = 'SELECT created_by FROM queued_messages WHERE id = $1';
    return (await workspace.deps.lake.catalogPool.query(statement, [queued.id])).rows[0].created_by;
  };
  expect((await change({ effort: 'low' })).status).toBe(200);
  expect(await authorOf()).toBe(client.clientId);
  expect((await change({ message: 'What do they earn?' })).status).toBe(200);
  expect(await authorOf()).toBe(member.id);
});

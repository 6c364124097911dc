import { expect, test } from 'vitest';
import { openNotifications } from '../../../../data/postgres/notifications.ts';
import { followEvents } from '../../../../domain/analyst/conversations/follow.ts';
import { talkIn } from '../../../support/conversations.ts';
import { eventually, expectEventually } from '../../../support/eventually.ts';
import { personOf } from '../../../support/people.ts';
import { useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();

test('a quiet stream ends when access ended somewhere in its organization, if it was its own', async () => {
  const client = await workspace.organization();
  const talk = await talkIn(client);
  const { db } = workspace.deps;
  const notifications = openNotifications({
    url: workspace.databaseUrl,
    applicationName: 'test',
    logger: { warn: () => undefined },
  });
  let mayGoOn = true;
  let asked = 0;
  const stream = followEvents(
    { db, notifications },
    {
      organizationId: client.organizationId,
      conversationId: talk.id,
      after: undefined,
      reader: { principalId: undefined },
      // Nothing here waits for it.
      quietMs: 3_600_000,
      mayGoOn: async () => {
        asked += 1;
        return mayGoOn;
      },
      signal: new AbortController().signal,
    },
  );
  expect((await stream.next()).value).toBe(': following\n\n');
  let end: IteratorResult<string> | undefined;
  void stream.next().then((result) => {
    end = result;
  });
  const removeSomebody = async () => {
    const person = await personOf(workspace, client, 'member');
    expect((await client.call('DELETE', `/v1/members/${person.id}`)).status).toBe(200);
  };
  // Until the listener listens.
  await eventually(
    async () => {
      await removeSomebody();
      return asked;
    },
    (count) => count > 1,
  );
  expect(end).toBeUndefined();
  mayGoOn = false;
  await removeSomebody();
  await expectEventually(() => end).toEqual({ done: true, value: undefined });
  await notifications.close();
});

import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { updateConversation } from '../../../../domain/analyst/conversations/conversations.ts';
import { projectOf, talkIn } from '../../../support/conversations.ts';
import { useOrganization, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
const client = useOrganization(workspace);

test('a conversation is begun, listed by latest activity, renamed and deleted', async () => {
  const project = await projectOf(client);
  const url = `/v1/projects/${project}/conversations`;
  const first = await client.call('POST', url, { body: { title: 'First' } });
  expect([first.status, first.headers['location']]).toEqual([201, `${url}/${first.body.data.id}`]);
  expect(first.body.data).toMatchObject({
    title: 'First',
    messageCount: 0,
    queueHeld: false,
    projectId: project,
  });
  const second = await client.call('POST', url, { body: { message: 'What is there?\nTell me.' } });
  expect(second.body.data).toMatchObject({ title: 'What is there?', messageCount: 2 });
  const ids = async () => (await client.call('GET', url)).body.items.map(({ id }: { id: string }) => id);
  expect(await ids()).toEqual([second.body.data.id, first.body.data.id]);
  await client.call('POST', `${url}/${first.body.data.id}/messages`, { body: { message: 'Me first.' } });
  expect(await ids()).toEqual([first.body.data.id, second.body.data.id]);
  const renamed = await client.call('PATCH', `${url}/${first.body.data.id}`, { body: { title: 'Renamed' } });
  expect([renamed.status, renamed.body.data.title]).toEqual([200, 'Renamed']);
  const page = await client.call('GET', `${url}?limit=1`);
  const rest = await client.call('GET', `${url}?limit=1&cursor=${page.body.nextCursor}`);
  expect([page.body.items[0].id, rest.body.items[0].id, rest.body.nextCursor]).toEqual([
    ...(await ids()),
    null,
  ]);
  const deleted = await client.call('DELETE', `${url}/${first.body.data.id}`);
  expect([deleted.status, deleted.body.data.id]).toEqual([200, first.body.data.id]);
  expect((await client.call('GET', `${url}/${first.body.data.id}`)).status).toBe(404);
  expect(await ids()).toEqual([second.body.data.id]);
});

test('what is wrong with a message is told at its place', async () => {
  const talk = await talkIn(client);
  const wrong: [object, (string | number)[], string][] = [
    [{}, ['body', 'message'], 'missing'],
    [{ message: '' }, ['body', 'message'], 'string_too_short'],
    [{ message: ' \n\t ' }, ['body', 'message'], 'string_too_short'],
    [{ message: 'x'.repeat(32_001) }, ['body', 'message'], 'string_too_long'],
    [{ message: 'a\u0000b' }, ['body', 'message'], 'value_error'],
    [{ message: 'Hi', model: 'gpt-0' }, ['body', 'model'], 'enum'],
    [{ message: 'Hi', effort: 'huge' }, ['body', 'effort'], 'enum'],
    [{ message: 'Hi', on_busy: 'wait' }, ['body', 'on_busy'], 'enum'],
    [{ message: 'Hi', onBusy: 'enqueue' }, ['body', 'onBusy'], 'extra_forbidden'],
  ];
  for (const [body, loc, type] of wrong) {
    const { status, body: answer, text } = await talk.post(body);
    expect(status, text).toBe(422);
    expect(answer.detail[0]).toMatchObject({ loc, type });
  }
  expect((await talk.show()).messageCount).toBe(0);
  expect((await talk.post({ message: '🦆'.repeat(32_000) })).status).toBe(202);
});

test('an archived project takes no conversations and no messages', async () => {
  const talk = await talkIn(client);
  await client.call('DELETE', `/v1/projects/${talk.projectId}`);
  expect((await talk.post('Anybody here?')).body).toMatchObject({ status: 409, code: 'conflict' });
  const begun = await client.call('POST', `/v1/projects/${talk.projectId}/conversations`, { body: {} });
  expect(begun.status).toBe(409);
  expect((await talk.show()).id).toBe(talk.id);
});

test('a conversation of ten thousand messages is shown by its newest, and read on from there', async () => {
  const talk = await talkIn(client);
  const { organizationId } = client;
  await inOrganization(workspace.deps.db, organizationId, async (db) => {
    await sql`
      INSERT INTO messages (organization_id, id, conversation_id, position, role, status, content, model, created_by, completed_at)
      SELECT ${organizationId}, 'msg_' || lpad(n::text, 26, '0'), ${talk.id}, n,
        CASE n % 2 WHEN 1 THEN 'user' ELSE 'assistant' END, 'complete', 'message ' || n, 'offline', 'someone', now()
      FROM generate_series(1, 10000) AS n`.execute(db);
    await updateConversation(db, organizationId, talk.id, { last_position: 10_000, message_count: 10_000 });
  });
  const shown = await talk.show();
  expect(shown.messages).toHaveLength(100);
  expect(shown.messages.at(-2).content).toBe('message 9999');
  let cursor: string | null = shown.messagesCursor;
  let seen = 100;
  while (cursor !== null) {
    const page = await client.call('GET', `${talk.url}/messages?limit=200&cursor=${cursor}`);
    expect(page.status, page.text).toBe(200);
    seen += page.body.items.length;
    cursor = page.body.nextCursor;
  }
  expect(seen).toBe(10_000);
  expect((await talk.post('And another one.')).status).toBe(202);
});

test('a page of long messages ends early, and goes on', async () => {
  const talk = await talkIn(client);
  await inOrganization(workspace.deps.db, client.organizationId, (db) =>
    sql`INSERT INTO messages (organization_id, id, conversation_id, position, role, status, content, model, completed_at)
      SELECT ${client.organizationId}, 'msg_' || n, ${talk.id}, n, 'user', 'complete', repeat('x', 30000), 'offline', now()
      FROM generate_series(1, 90) AS n`.execute(db),
  );
  const shown = await talk.show();
  expect(shown.messages).toHaveLength(66);
  const seen: string[] = shown.messages.map(({ id }: { id: string }) => id).reverse();
  for (let cursor = shown.messagesCursor; cursor !== null; ) {
    const { body } = await client.call('GET', `${talk.url}/messages?cursor=${cursor}`);
    seen.push(...body.items.map(({ id }: { id: string }) => id));
    cursor = body.nextCursor;
  }
  expect(seen).toEqual(Array.from({ length: 90 }, (_, index) => `msg_${90 - index}`));
});

test('the models are listed, and offline is always one of them', async () => {
  const { body } = await client.call('GET', '/v1/models');
  expect(body.items).toEqual([{ id: 'offline', label: expect.any(String), efforts: [], default: true }]);
});

test('the same post under one idempotency key is one message', async () => {
  const talk = await talkIn(client);
  const post = () =>
    client.call('POST', `${talk.url}/messages`, {
      body: { message: 'Once' },
      headers: { 'idempotency-key': 'once' },
    });
  const [first, second] = [await post(), await post()];
  expect(second.body).toEqual(first.body);
  expect((await talk.show()).messageCount).toBe(2);
});

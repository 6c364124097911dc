import { beforeAll, beforeEach, expect, test } from 'vitest';
import { type Talk, talkIn, useModelServer } from '../../../support/conversations.ts';
import { eventually } from '../../../support/eventually.ts';
import { useWorker } from '../../../support/worker.ts';
import { type TestClient, useOwnWorkspace } from '../../../support/workspace.ts';

/** Echoes the question; a question containing `slowly` is answered endlessly. */
const models = useModelServer(({ messages }) => {
  const asked = String(messages.at(-1)!.content);
  return asked.includes('slowly')
    ? { endless: { delta: 'slow ', everyMs: 20 } }
    : { text: `You said: ${asked}` };
});
const workspace = useOwnWorkspace({}, models.environment);
useWorker(workspace);

let client: TestClient;
let talk: Talk;

beforeAll(async () => {
  client = await workspace.organization();
});

beforeEach(async () => {
  talk = await talkIn(client);
});

/** A reply that streams until it is stopped. */
async function busyWith(message = 'Answer slowly.'): Promise<string> {
  const { messageId } = (await talk.post(message)).body.data;
  await eventually(
    () => talk.message(messageId),
    ({ content }) => content !== '',
  );
  return messageId;
}

async function enqueue(message: string): Promise<string> {
  const posted = await talk.post(message);
  expect(posted.status, posted.text).toBe(202);
  expect(posted.body.data).toMatchObject({ messageId: null, userMessageId: null });
  const { id } = posted.body.data.queuedMessage;
  expect(posted.headers['location']).toBe(`${talk.url}/queue/${id}`);
  return id;
}

const dispatched = async (id: string) => {
  const entry = await eventually(
    () => talk.queued(id),
    ({ state }) => state !== 'queued',
  );
  return talk.ended(entry.messageId);
};

test('what is asked while another is answered waits, in order, and is answered in order', async () => {
  const active = await busyWith();
  const [first, second] = [await enqueue('one'), await enqueue('two')];
  expect((await talk.show()).queuedTurns).toMatchObject([
    {
      id: first,
      position: 1,
      state: 'queued',
      message: 'one',
      behindMessageId: active,
      held: false,
      revision: 1,
    },
    { id: second, position: 2, messageId: '', failureCode: '' },
  ]);
  await talk.cancel(active);
  await client.call('POST', `${talk.url}/queue/resume`);
  expect((await dispatched(first)).content).toBe('You said: one');
  expect((await dispatched(second)).content).toBe('You said: two');
  expect(await talk.queued(first)).toMatchObject({ state: 'dispatched', position: 0, held: false });
  const said = (await talk.show()).messages.map(({ content, role }: { content: string; role: string }) =>
    role === 'user' ? content : role,
  );
  expect(said).toEqual(['Answer slowly.', 'assistant', 'one', 'assistant', 'two', 'assistant']);
});

test('the queue is listed by pages, from where the one before ended', async () => {
  const active = await busyWith();
  const ids = [await enqueue('one'), await enqueue('two'), await enqueue('three')];
  const page = async (query: string) => (await client.call('GET', `${talk.url}/queue?${query}`)).body;
  const idsOf = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id);
  const first = await page('limit=1');
  expect(idsOf(first)).toEqual(ids.slice(0, 1));
  // What the page ended with waits no more.
  await client.call('DELETE', `${talk.url}/queue/${ids[0]}`);
  const rest = await page(`limit=2&cursor=${first.nextCursor}`);
  expect([idsOf(rest), rest.nextCursor]).toEqual([ids.slice(1), null]);
  expect(rest.items[0].position).toBe(1);
  for (const query of ['limit=0', 'limit=201', 'cursor=x'])
    expect((await client.call('GET', `${talk.url}/queue?${query}`)).status, query).toBe(422);
  for (const id of ids.slice(1)) await client.call('DELETE', `${talk.url}/queue/${id}`);
  await talk.cancel(active);
});

test('a Stop ends the reply at once, keeps what was streamed, and holds what waits', async () => {
  const active = await busyWith();
  const waiting = await enqueue('later');
  const stopped = await talk.cancel(active);
  expect([stopped.status, stopped.body.data]).toEqual([
    200,
    { messageId: active, status: 'cancelled', queueHeld: true },
  ]);
  expect(await talk.message(active)).toMatchObject({
    status: 'cancelled',
    content: expect.stringMatching(/^(slow ?)+/),
    completedAt: expect.any(String),
  });
  expect(await models.requests.at(-1)!.ended).toBe('aborted');
  expect(await talk.show()).toMatchObject({
    activeTurn: null,
    queueHeld: true,
    queuedTurns: [{ id: waiting, held: true, state: 'queued' }],
  });
  const behind = await enqueue('behind');
  const resumed = await client.call('POST', `${talk.url}/queue/resume`);
  expect([resumed.status, resumed.body.data.queueHeld]).toEqual([200, false]);
  expect((await dispatched(waiting)).content).toBe('You said: later');
  expect((await dispatched(behind)).content).toBe('You said: behind');
});

test('a Stop without anything waiting holds nothing, and is told again as it was', async () => {
  const active = await busyWith();
  const answers = await Promise.all([talk.cancel(active), talk.cancel(active), talk.cancel(active)]);
  for (const { status, body } of answers)
    expect([status, body.data]).toEqual([200, { messageId: active, status: 'cancelled', queueHeld: false }]);
  const reply = await talk.ask('still there?');
  expect(reply.content).toBe('You said: still there?');
  expect((await talk.cancel(reply.id)).body.data.status).toBe('already_complete');
  expect(await talk.message(reply.id)).toEqual(reply);
});

test('a Stop needs its confirmation and a reply of this conversation', async () => {
  const reply = await talk.ask('hello');
  const shown = await talk.show();
  const unconfirmed = await client.call('POST', `${talk.url}/messages/${reply.id}/cancel`);
  expect([unconfirmed.status, unconfirmed.body.detail[0].loc]).toEqual([422, ['query', 'confirm']]);
  expect((await talk.cancel(shown.messages[0].id)).status).toBe(404);
  const never = await client.call('POST', `${talk.url}/messages/${shown.messages[0].id}/cancel`);
  expect(never.status).toBe(404);
  const other = await talkIn(client, talk.projectId);
  expect((await other.cancel(reply.id)).status).toBe(404);
});

test('an interrupting message takes the place of the reply, and leaves the queue as it was', async () => {
  const active = await busyWith();
  const waiting = await enqueue('patient');
  const urgent = await talk.post({ message: 'urgent', on_busy: 'interrupt' });
  expect(urgent.status, urgent.text).toBe(202);
  const { messageId, userMessageId, queuedMessage } = urgent.body.data;
  expect([typeof messageId, typeof userMessageId, queuedMessage]).toEqual(['string', 'string', null]);
  expect((await talk.message(active)).status).toBe('cancelled');
  expect((await talk.ended(messageId)).content).toBe('You said: urgent');
  expect((await dispatched(waiting)).content).toBe('You said: patient');
});

test('a held queue stays held by an interrupting message', async () => {
  const active = await busyWith();
  const waiting = await enqueue('patient');
  await talk.cancel(active);
  const urgent = await talk.post({ message: 'urgent', on_busy: 'interrupt' });
  expect((await talk.ended(urgent.body.data.messageId)).status).toBe('complete');
  expect(await talk.show()).toMatchObject({ queueHeld: true, queuedTurns: [{ id: waiting, held: true }] });
  const refused = await talk.post({ message: 'no', on_busy: 'reject' });
  expect(refused.body).toMatchObject({ status: 409, code: 'conversation_busy' });
});

test('a message that waits is changed and removed at the revision that is known', async () => {
  const active = await busyWith();
  const id = await enqueue('first words');
  const url = `${talk.url}/queue/${id}`;
  const edited = await client.call('PATCH', url, { body: { message: 'better words', expected_revision: 1 } });
  expect([edited.status, edited.body.data.revision, edited.body.data.message]).toEqual([
    200,
    2,
    'better words',
  ]);
  const stale = await client.call('PATCH', url, { body: { message: 'x', expected_revision: 1 } });
  expect(stale.body).toMatchObject({ status: 409, code: 'revision_conflict', current_revision: 2 });
  expect((await client.call('DELETE', `${url}?expected_revision=1`)).body.code).toBe('revision_conflict');
  const removed = await client.call('DELETE', `${url}?expected_revision=2`);
  expect([removed.status, removed.body.data]).toMatchObject([200, { state: 'removed', position: 0 }]);
  expect((await client.call('PATCH', url, { body: { message: 'x' } })).body.code).toBe('conflict');
  expect((await client.call('GET', `${talk.url}/queue`)).body).toEqual({ items: [], nextCursor: null });
  const next = await enqueue('next');
  await talk.cancel(active);
  await client.call('POST', `${talk.url}/queue/resume`);
  expect((await dispatched(next)).content).toBe('You said: next');
  expect((await client.call('DELETE', `${talk.url}/queue/${next}`)).body.code).toBe('conflict');
});

test('no more than fifty messages wait', async () => {
  await busyWith();
  for (let count = 0; count < 50; count += 1) await enqueue(`message ${count}`);
  const refused = await talk.post('one too many');
  expect(refused.body).toMatchObject({ status: 409, code: 'conversation_busy' });
  expect((await talk.show()).queuedTurns.map(({ position }: { position: number }) => position)).toEqual(
    Array.from({ length: 50 }, (_, index) => index + 1),
  );
});

test('sixteen messages at once are one turn and a queue of fifteen, each answered once', async () => {
  const posts = await Promise.all(Array.from({ length: 16 }, (_, index) => talk.post(`number ${index}`)));
  expect(posts.map(({ status }) => status)).toEqual(Array.from({ length: 16 }, () => 202));
  await eventually(
    talk.show,
    ({ activeTurn, queuedTurns, messageCount }) =>
      activeTurn === null && queuedTurns.length === 0 && messageCount === 32,
  );
  const { messages } = await talk.show();
  const asked = messages
    .filter(({ role }: { role: string }) => role === 'user')
    .map(({ content }: { content: string }) => content);
  expect([...asked].sort()).toEqual(Array.from({ length: 16 }, (_, index) => `number ${index}`).sort());
  const order = posts
    .map(({ body }) => body.data.queuedMessage)
    .filter((entry) => entry !== null)
    .sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
  expect(order).toHaveLength(15);
});

test('deleting a conversation ends its reply and takes what belonged to it', async () => {
  await busyWith();
  await enqueue('never');
  expect((await client.call('DELETE', talk.url)).status).toBe(200);
  expect(await models.requests.at(-1)!.ended).toBe('aborted');
  expect((await client.call('GET', talk.url)).status).toBe(404);
  expect((await talk.post('hello?')).status).toBe(404);
});

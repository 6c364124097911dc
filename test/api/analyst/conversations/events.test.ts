import { beforeAll, beforeEach, expect, test } from 'vitest';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { applied, type SeenEvent } from '../../../support/conversation-events.ts';
import { readEvents, type Talk, talkIn, useModelServer } from '../../../support/conversations.ts';
import { eventually } from '../../../support/eventually.ts';
import { useWorker } from '../../../support/worker.ts';
import { type TestClient, useOwnWorkspace } from '../../../support/workspace.ts';

const models = useModelServer(({ messages }, n) => {
  const asked = String(messages.at(-1)!.content);
  if (asked.includes('slowly')) return { endless: { delta: 'slow ', everyMs: 15 } };
  if (asked.includes('stumble') && n % 2 === 0) return { text: ['Half ', 'a ', 'word'], cutAfter: 2 };
  const wasAsked = String(messages.findLast(({ role }) => role === 'user')!.content);
  if (asked.startsWith('<data-') && wasAsked.includes('long'))
    return { endless: { delta: 'on ', everyMs: 15 } };
  if (asked.startsWith('<data-')) return { text: 'So many tables.' };
  if (asked.includes('tables'))
    return {
      text: ['Let ', 'me ', 'look.'],
      delayMs: 4,
      toolCalls: [{ name: 'list_tables', arguments: '{}' }],
    };
  return { text: Array.from({ length: 20 }, (_, index) => `word${index} `), delayMs: 5 };
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

const finished = (count: number) => (seen: readonly SeenEvent[]) =>
  seen.filter(({ event }) => event === 'turn.finished').length >= count;

async function holdsWhatIsShown(events: readonly SeenEvent[]): Promise<void> {
  const { messages, queuedTurns, queueHeld, lastEventId } = await talk.show();
  expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1));
  expect(events.at(-1)!.id).toBe(lastEventId);
  expect(applied(events)).toEqual({ messages, queuedTurns, queueHeld });
}

test('whoever applies every event holds what is shown: tools, a step tried again, a queue, a Stop', async () => {
  await talk.ask('Which tables are there?');
  await talk.ask('Do stumble once, please.');
  const { messageId } = (await talk.post('Answer slowly.')).body.data;
  await talk.post('Wait your turn.');
  const changed = (await talk.post('And you.')).body.data.queuedMessage.id;
  await client.call('PATCH', `${talk.url}/queue/${changed}`, { body: { message: 'And you too.' } });
  await eventually(
    () => talk.message(messageId),
    ({ content }) => content.length > 20,
  );
  await talk.cancel(messageId);
  const { lastEventId } = await talk.show();
  const events = await readEvents(workspace, client, `${talk.url}/events?after=0`, (seen) =>
    seen.some(({ id }) => id === lastEventId),
  );
  expect(new Set(events.map(({ event }) => event))).toEqual(
    new Set([
      'message.created',
      'turn.started',
      'text.delta',
      'tool.started',
      'tool.finished',
      'part.retracted',
      'turn.finished',
      'queue.changed',
    ]),
  );
  await holdsWhatIsShown(events);
});

test('whoever applies the events of a reply under way holds what is shown of it', async () => {
  const { messageId } = (await talk.post('Which tables are there? At long length.')).body.data;
  await eventually(
    () => talk.message(messageId),
    ({ content }) => content.includes('on on'),
  );
  const { messages, queuedTurns, queueHeld, lastEventId } = await talk.show();
  const events = await readEvents(workspace, client, `${talk.url}/events?after=0`, (seen) =>
    seen.some(({ id }) => id === lastEventId),
  );
  const until = events.filter(({ id }) => id <= lastEventId);
  expect(applied(until)).toEqual({ messages, queuedTurns, queueHeld });
  await talk.cancel(messageId);
});

test('a stream that is cut again and again loses nothing and repeats nothing', async () => {
  const asking = (async () => {
    for (const question of ['one', 'two', 'Which tables?', 'three']) await talk.ask(question);
  })();
  const seen: SeenEvent[] = [];
  while (!finished(4)(seen)) {
    const after = seen.at(-1)?.id ?? 0;
    const most = 1 + Math.floor(Math.random() * 6);
    seen.push(
      ...(await readEvents(
        workspace,
        client,
        `${talk.url}/events?after=${after}`,
        (piece) => piece.length >= most || finished(4)([...seen, ...piece]),
      )),
    );
  }
  await asking;
  await holdsWhatIsShown(seen);
});

test('without a place a stream begins now', async () => {
  await talk.ask('one');
  const { lastEventId } = await talk.show();
  const reading = readEvents(workspace, client, `${talk.url}/events`, finished(1));
  await new Promise((resolve) => setTimeout(resolve, 300));
  await talk.ask('two');
  expect((await reading)[0]!.id).toBe(lastEventId + 1);
});

test('what is no longer kept is told once, and the stream goes on from now', async () => {
  await talk.ask('one');
  const { lastEventId } = await talk.show();
  await inOrganization(workspace.deps.db, client.organizationId, (db) =>
    db
      .deleteFrom('conversation_events')
      .where('conversation_id', '=', talk.id)
      .where('id', '<=', 3)
      .execute(),
  );
  const events = await readEvents(workspace, client, `${talk.url}/events?after=1`, (seen) => seen.length > 0);
  expect(events).toEqual([{ id: lastEventId, event: 'reset', data: { lastEventId } }]);
  const beyond = await readEvents(
    workspace,
    client,
    `${talk.url}/events?after=99999`,
    (seen) => seen.length > 0,
  );
  expect(beyond[0]!.event).toBe('reset');
  const kept = await readEvents(workspace, client, `${talk.url}/events?after=3`, (seen) => seen.length > 0);
  expect(kept[0]!.id).toBe(4);
});

test('a place that is no number is refused', async () => {
  const wrong = await client.call('GET', `${talk.url}/events`, { headers: { 'last-event-id': 'soon' } });
  expect([wrong.status, wrong.body.detail[0].loc]).toEqual([422, ['header', 'last-event-id']]);
  expect((await client.call('GET', `${talk.url}/events?after=-1`)).status).toBe(422);
});

test('twenty streams of one credential, and no more', async () => {
  const other = await workspace.organization();
  const theirs = await talkIn(other);
  const { port } = workspace.app.server.address() as { port: number };
  const headers = { authorization: `Bearer ${await other.token()}` };
  const stop = new AbortController();
  const url = `http://127.0.0.1:${port}${theirs.url}/events`;
  const open = () => fetch(url, { headers, signal: stop.signal });
  const streams = await Promise.all(Array.from({ length: 20 }, open));
  expect(streams.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  expect((await open()).status).toBe(429);
  stop.abort();
  await eventually(
    async () => {
      const again = await fetch(url, { headers });
      await again.body!.cancel();
      return again.status;
    },
    (status) => status === 200,
  );
});

test('a stream ends with its conversation', async () => {
  const reading = readEvents(workspace, client, `${talk.url}/events?after=0`, () => false);
  await new Promise((resolve) => setTimeout(resolve, 300));
  await talk.post('Answer slowly.');
  expect((await client.call('DELETE', talk.url)).status).toBe(200);
  expect((await reading).length).toBeGreaterThan(0);
});

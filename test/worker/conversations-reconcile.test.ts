import { beforeEach, expect, test, vi } from 'vitest';
import { AppError } from '../../data/errors.ts';
import { conversationPrefix } from '../../data/objects/keys.ts';
import { conversationProcess } from '../../domain/analyst/conversations/process.ts';
import { conversationSteps } from '../../domain/analyst/conversations/reconcile.ts';
import { readEvents, type Talk, talkIn, useModelServer } from '../support/conversations.ts';
import { eventually } from '../support/eventually.ts';
import { reconcile } from '../support/reconcile.ts';
import { useWorker } from '../support/worker.ts';
import { type TestClient, useOwnWorkspace } from '../support/workspace.ts';

/** Echoes the question; a question containing `slowly` is answered endlessly. */
const models = useModelServer(({ messages }) => {
  const asked = String(messages.at(-1)!.content);
  if (asked.includes('slowly')) return { endless: { delta: 'slow ', everyMs: 20 } };
  return { text: `You said: ${asked}` };
});
const workspace = useOwnWorkspace({}, models.environment);
useWorker(workspace);

let client: TestClient;
let talk: Talk;

beforeEach(async () => {
  client = await workspace.organization();
  talk = await talkIn(client);
});

const rounds = () => reconcile(workspace, conversationSteps(workspace.deps, { due: 0, turn: 0 }));

/** Runs it while Temporal is unreachable: nothing is woken. */
async function whileAway<T>(work: () => Promise<T>): Promise<T> {
  const spy = vi
    .spyOn(workspace.deps.processes, 'wake')
    .mockRejectedValue(new AppError('workflows_unavailable', 'Away.'));
  try {
    const done = await work();
    expect(spy).toHaveBeenCalled();
    return done;
  } finally {
    spy.mockRestore();
  }
}

const processOf = ({ id }: Talk) => workspace.temporal.workflow.getHandle(conversationProcess.workflowId(id));

/** A reply that streams until it is stopped. */
async function busy(): Promise<string> {
  const { messageId } = (await talk.post('Answer slowly.')).body.data;
  await eventually(
    () => talk.message(messageId),
    ({ content }) => content !== '',
  );
  return messageId;
}

async function query(statement: string, ...values: unknown[]) {
  return workspace.deps.lake.catalogPool.query(statement, values);
}

test('a message accepted while workflows are away is answered once they are back', async () => {
  const posted = await whileAway(() => talk.post('Hello.'));
  expect(posted.status, posted.text).toBe(202);
  const { messageId } = posted.body.data;
  expect(await talk.message(messageId)).toMatchObject({ status: 'streaming', content: '' });
  // A round while it is still unreachable leaves it for the next one.
  await whileAway(rounds);
  await rounds();
  expect(await talk.ended(messageId)).toMatchObject({ status: 'complete', content: 'You said: Hello.' });
});

test('a Stop, and what waits behind it, need no process to be told at once', async () => {
  const active = await busy();
  const entry = (await talk.post('And you?')).body.data.queuedMessage.id;
  await whileAway(() => talk.cancel(active));
  expect(await talk.ended(active)).toMatchObject({ status: 'cancelled' });
  expect(await talk.show()).toMatchObject({ queueHeld: true, queuedTurns: [{ id: entry, held: true }] });
  await whileAway(() => client.call('POST', `${talk.url}/queue/resume`));
  await rounds();
  const { messageId } = await eventually(
    () => talk.queued(entry),
    ({ state }) => state === 'dispatched',
  );
  expect(await talk.ended(messageId)).toMatchObject({ status: 'complete', content: 'You said: And you?' });
});

test('a reply whose process was ended by force ends with it, and what waits is answered', async () => {
  const active = await busy();
  const entry = (await talk.post('And you?')).body.data.queuedMessage.id;
  await processOf(talk).terminate();
  expect(await talk.message(active)).toMatchObject({ status: 'streaming' });
  await rounds();
  const ended = await talk.ended(active);
  expect(ended).toMatchObject({ status: 'error', error: { code: 'terminated' } });
  const { messageId } = await eventually(
    () => talk.queued(entry),
    ({ state }) => state === 'dispatched',
  );
  expect(await talk.ended(messageId)).toMatchObject({ status: 'complete', content: 'You said: And you?' });
  expect(await talk.show()).toMatchObject({ queueHeld: false, queuedTurns: [], activeTurn: null });
});

test('a turn whose process runs, or has only begun, is left alone', async () => {
  const active = await busy();
  await rounds();
  expect(await talk.message(active)).toMatchObject({ status: 'streaming' });
  await processOf(talk).terminate();
  // As the worker does it: a turn's process is checked from its second minute on.
  await query('UPDATE conversations SET due_since = NULL WHERE id = $1', talk.id);
  await reconcile(workspace, conversationSteps(workspace.deps));
  expect(await talk.message(active)).toMatchObject({ status: 'streaming' });
  await talk.cancel(active);
  expect(await talk.ended(active)).toMatchObject({ status: 'cancelled' });
});

test('a deleted conversation whose wake-up was lost is removed, with its objects', async () => {
  await talk.ask('Hello.');
  const { organizationId } = client;
  const { objects } = workspace.deps;
  const key = `${conversationPrefix(organizationId, talk.id)}results/one.json`;
  await objects.put(key, Buffer.from('[]'), 'application/json');
  const deleted = await whileAway(() => client.call('DELETE', `${talk.url}?confirm=true`));
  expect(deleted.status, deleted.text).toBe(200);
  expect((await client.call('GET', talk.url)).status).toBe(404);
  const left = async () => (await query('SELECT id FROM conversations WHERE id = $1', talk.id)).rows;
  expect(await left()).toHaveLength(1);
  await rounds();
  expect(await eventually(left, (rows) => rows.length === 0)).toEqual([]);
  const rest = await query(
    `SELECT id FROM messages WHERE conversation_id = $1 UNION ALL
     SELECT event FROM conversation_events WHERE conversation_id = $1`,
    talk.id,
  );
  expect(rest.rows).toEqual([]);
  expect(await objects.head(key)).toBeUndefined();
});

/** What a reader sees first who knows the events up to a number. */
async function readFrom(after: number) {
  const events = await readEvents(
    workspace,
    client,
    `${talk.url}/events?after=${after}`,
    (seen) => seen.length > 0,
  );
  return events[0]!;
}

test('events of more than seven days are gone, and whoever asks for them is told to read anew', async () => {
  await talk.ask('Hello.');
  const { lastEventId } = await talk.show();
  await query(
    `UPDATE conversation_events SET created_at = now() - interval '7 days 1 minute' WHERE conversation_id = $1`,
    talk.id,
  );
  await talk.ask('And again.');
  expect(await readFrom(0)).toMatchObject({ id: 1, event: 'message.created' });
  await rounds();
  const newest = (await talk.show()).lastEventId;
  expect(await readFrom(0)).toEqual({ id: newest, event: 'reset', data: { lastEventId: newest } });
  expect(await readFrom(lastEventId - 1)).toMatchObject({ event: 'reset' });
  // A reader who knew all of them missed nothing.
  expect(await readFrom(lastEventId)).toMatchObject({ id: lastEventId + 1, event: 'message.created' });
});

test('an event that is missing among those that are kept is never passed over', async () => {
  await talk.ask('Hello.');
  const { lastEventId } = await talk.show();
  // The timestamp of a transaction that waited for another is before that of the other: the younger event is
  // removed first.
  await query(
    `UPDATE conversation_events SET created_at = now() - interval '7 days 1 minute'
     WHERE conversation_id = $1 AND id = 2`,
    talk.id,
  );
  await rounds();
  const seen = await readEvents(workspace, client, `${talk.url}/events?after=0`, (events) =>
    events.some(({ id, event }) => event === 'reset' || id === lastEventId),
  );
  expect(seen).toEqual([{ id: lastEventId, event: 'reset', data: { lastEventId } }]);
});

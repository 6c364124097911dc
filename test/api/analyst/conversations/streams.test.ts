import { connect } from 'node:net';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { lockConversation } from '../../../../domain/analyst/conversations/conversations.ts';
import { appendEvents } from '../../../../domain/analyst/conversations/events.ts';
import { followEvents } from '../../../../domain/analyst/conversations/follow.ts';
import { type Talk, talkIn } from '../../../support/conversations.ts';
import { expectEventually } from '../../../support/eventually.ts';
import { type TestClient, useOwnWorkspace } from '../../../support/workspace.ts';

let listening = 0;
const workspace = useOwnWorkspace();
let client: TestClient;
let talk: Talk;
let url: string;
let headers: Record<string, string>;

beforeAll(async () => {
  client = await workspace.organization();
  talk = await talkIn(client);
  await workspace.listen();
  const { port } = workspace.app.server.address() as { port: number };
  url = `http://127.0.0.1:${port}${talk.url}/events`;
  headers = { authorization: `Bearer ${await client.token()}` };
  const { notifications } = workspace.deps;
  const { on } = notifications;
  notifications.on = (...given) => {
    listening += 1;
    const stop = on(...given);
    return () => {
      listening -= 1;
      stop();
    };
  };
});

afterEach(() => expectEventually(() => listening).toBe(0));

/** Adds that many events of that many characters each. */
function happen(count: number, characters: number): Promise<number> {
  return inOrganization(workspace.deps.db, client.organizationId, async (db) => {
    const held = await lockConversation(db, client.organizationId, talk.id);
    const data = { messageId: 'msg_x', partIndex: 0, text: 'x'.repeat(characters) };
    return appendEvents(
      db,
      held!,
      Array.from({ length: count }, () => ({ event: 'text.delta' as const, data })),
    );
  });
}

test('a browser that reconnects goes on from the event it has, not from its first address', async () => {
  const last = await happen(5, 1);
  const response = await fetch(`${url}?after=${last - 4}`, {
    headers: { ...headers, 'last-event-id': String(last - 1) },
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let seen = '';
  while (!seen.includes('event:')) seen += (await reader.read()).value;
  await reader.cancel();
  expect(seen.match(/^id: \d+/gm)).toEqual([`id: ${last}`]);
});

test('HEAD leaves no stream behind', async () => {
  const response = await fetch(url, { method: 'HEAD', headers });
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
  ]);
});

test('a credential that is refused meanwhile reads no further, also while events come without a pause', async () => {
  const happening = setInterval(() => void happen(1, 1), 20);
  try {
    const stream = followEvents(workspace.deps, {
      organizationId: client.organizationId,
      conversationId: talk.id,
      after: undefined,
      reader: { principalId: undefined },
      quietMs: 300,
      mayGoOn: async () => false,
      signal: AbortSignal.timeout(10_000),
    });
    const startedMs = performance.now();
    for await (const _ of stream);
    expect(performance.now() - startedMs).toBeLessThan(5_000);
  } finally {
    clearInterval(happening);
  }
});

test('a reader that does not read holds no closing server', async () => {
  const last = await happen(400, 50_000);
  const { port, pathname } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(
    `GET ${pathname}?after=${last - 400} HTTP/1.1\r\nhost: x\r\nauthorization: ${headers['authorization']}\r\n\r\n`,
  );
  await expectEventually(() => listening).toBeGreaterThan(0);
  socket.pause();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await workspace.app.close();
});

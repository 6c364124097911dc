import { beforeAll, beforeEach, expect, test } from 'vitest';
import { applied } from '../../../support/conversation-events.ts';
import { readEvents, type Talk, talkIn, useModelServer } from '../../../support/conversations.ts';
import type { ModelReply, ModelRequestBody } from '../../../support/model-server.ts';
import { useWorker } from '../../../support/worker.ts';
import { type TestClient, useOwnWorkspace } from '../../../support/workspace.ts';

/** The model's next answers, in order; `Done.` when none is left. */
let script: ((request: ModelRequestBody) => ModelReply)[] = [];

const models = useModelServer((request) => script.shift()?.(request) ?? { text: 'Done.' });
const workspace = useOwnWorkspace({}, models.environment);
useWorker(workspace);

let client: TestClient;
let talk: Talk;

beforeAll(async () => {
  client = await workspace.organization();
});

beforeEach(async () => {
  script = [];
  talk = await talkIn(client);
});

const says = (...replies: ModelReply[]) => {
  script = replies.map((reply) => () => reply);
};

const calls = (name: string, input: unknown): ModelReply => ({
  toolCalls: [{ name, arguments: JSON.stringify(input) }],
});

async function tableWith(name: string, rows: object[], columns: string[]): Promise<string> {
  const body = { name, kind: 'data', columns: columns.map((column) => ({ name: column })) };
  const { tableId } = (await client.call('POST', '/v1/grid/tables', { body })).body.data;
  const appended = await client.call('POST', `/v1/tables/${tableId}/rows`, { body: { rows } });
  expect(appended.status, appended.text).toBe(200);
  return tableId;
}

async function attach(tableId: string): Promise<void> {
  const url = `/v1/projects/${talk.projectId}/catalog-entries`;
  expect((await client.call('POST', url, { body: { table_id: tableId } })).status).toBe(201);
}

test('text streams into the reply, and its events come to the same', async () => {
  says({ text: ['Forty', '-two', ' it is.'], usage: { inputTokens: 12, outputTokens: 5 } });
  const reply = await talk.ask('What is it?');
  expect(reply).toMatchObject({
    status: 'complete',
    content: 'Forty-two it is.',
    parts: [{ type: 'text', text: 'Forty-two it is.' }],
    model: 'local/scripted',
    usage: { inputTokens: 12, outputTokens: 5 },
    error: null,
  });
  const events = await readEvents(workspace, client, `${talk.url}/events?after=0`, (seen) =>
    seen.some(({ event }) => event === 'turn.finished'),
  );
  expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1));
  expect(applied(events).messages).toEqual((await talk.show()).messages);
});

test('a query is run over what is attached, at the versions of the turn, and its rows are kept', async () => {
  const tableId = await tableWith(
    'sales',
    [
      { s_id: 1, amount: 7 },
      { s_id: 2, amount: 35 },
    ],
    ['amount'],
  );
  await attach(tableId);
  says(calls('run_sql', { sql: 'SELECT sum(amount) AS total FROM sales', title: 'Total' }), {
    text: 'It is 42.',
  });
  const reply = await talk.ask('How much?');
  expect(reply.status, JSON.stringify(reply)).toBe('complete');
  const [call] = reply.parts;
  expect(call).toMatchObject({ type: 'tool_call', name: 'run_sql', status: 'done', summary: '1 row.' });
  expect(reply.dataVersions).toEqual([{ tableId, version: expect.any(Number) }]);
  const result = await client.call('GET', `${talk.url}/results/${call.resultId}`);
  expect(result.status, result.text).toBe(200);
  expect(result.body.data).toMatchObject({
    columns: [{ name: 'total', dataType: expect.any(String) }],
    rows: [{ total: expect.anything() }],
    scanned: { tables: [{ tableId, version: reply.dataVersions[0].version }] },
  });
  expect(Number(result.body.data.rows[0].total)).toBe(42);
  const told = models.requests.at(-1)!.body.messages.at(-1);
  expect(told).toMatchObject({
    role: 'tool',
    content: expect.stringMatching(/^<data-[0-9a-f]{16}>\n\{.*\}\n<\/data-/s),
  });
});

test('a table that is not attached does not exist', async () => {
  await tableWith('secrets', [{ s_id: 1, word: 'swordfish' }], ['word']);
  says(calls('run_sql', { sql: 'SELECT * FROM secrets' }), { text: 'There is no such table.' });
  const reply = await talk.ask('Tell me the secrets.');
  expect(reply).toMatchObject({
    status: 'complete',
    parts: [{ status: 'failed', summary: expect.stringMatching(/^query_failed: /), resultId: null }, {}],
  });
});

test('a chart is drawn of a result', async () => {
  await attach(
    await tableWith(
      'cities',
      [
        { s_id: 1, city: 'Porto', n: 3 },
        { s_id: 2, city: 'Bonn', n: 5 },
      ],
      ['city', 'n'],
    ),
  );
  script = [
    () => calls('run_sql', { sql: 'SELECT city, n FROM cities ORDER BY city' }),
    (request) => {
      const { resultId } = JSON.parse(String(request.messages.at(-1)!['content']).split('\n')[1]!);
      return calls('draw_chart', { result_id: resultId, kind: 'bar', x: 'city', y: 'n', title: 'Cities' });
    },
    () => ({ text: 'Here.' }),
  ];
  const reply = await talk.ask('Draw the cities.');
  expect(reply.parts.map(({ type }: { type: string }) => type)).toEqual([
    'tool_call',
    'tool_call',
    'chart',
    'text',
  ]);
  const url = `${talk.url}/charts/${reply.parts[2].chartId}`;
  const svg = await client.call('GET', url);
  expect([svg.status, svg.headers['content-type']]).toEqual([200, 'image/svg+xml']);
  expect(svg.text).toContain('Porto');
  expect((await client.call('GET', `${url}?format=png`)).headers['content-type']).toBe('image/png');
  expect((await client.call('GET', `${url}?format=json`)).body).toMatchObject({
    $schema: expect.any(String),
  });
});

import { beforeAll, beforeEach, expect, test } from 'vitest';
import { type Talk, talkIn, useModelServer } from '../../../support/conversations.ts';
import type { ModelReply, ModelRequestBody } from '../../../support/model-server.ts';
import { useWorker } from '../../../support/worker.ts';
import { type TestClient, useOwnWorkspace } from '../../../support/workspace.ts';

type Script = ModelReply | ((request: ModelRequestBody) => ModelReply);

/** The model's next answers, in order; the last one is repeated. */
let script: Script[] = [];

const models = useModelServer((request) => {
  const next = script.length > 1 ? script.shift()! : script[0]!;
  return typeof next === 'function' ? next(request) : next;
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

/** Whatever happened, the next question is answered. */
async function goesOn(): Promise<void> {
  script = [{ text: 'Still here.' }];
  expect(await talk.ask('Are you there?')).toMatchObject({ status: 'complete', content: 'Still here.' });
}

const toolOf = (name: string, args: string): ModelReply => ({ toolCalls: [{ name, arguments: args }] });

test('a provider that is busy is asked again when it says so, and the reply comes', async () => {
  script = [{ status: 429, headers: { 'retry-after': '1' } }, { text: 'Now.' }];
  const reply = await talk.ask('Hello?');
  expect(reply).toMatchObject({ status: 'complete', content: 'Now.', error: null });
});

test('a provider that refuses ends the turn with a sentence for people, without trying again', async () => {
  const asked = models.requests.length;
  script = [{ status: 401, body: { error: { message: 'Incorrect API key provided: sk-verysecret' } } }];
  const reply = await talk.ask('Hello?');
  expect(reply).toMatchObject({
    status: 'error',
    content: '',
    error: { code: 'model_credentials', message: expect.stringContaining('accept the key') },
  });
  expect(JSON.stringify(reply)).not.toContain('sk-');
  expect(models.requests.length).toBe(asked + 1);
  await goesOn();
});

test('an answer that stops in the middle of a word is taken back and asked for again', async () => {
  script = [{ text: ['Half a wo', 'rd'], cutAfter: 1 }, { text: 'A whole word.' }];
  const reply = await talk.ask('Hello?');
  expect(reply).toMatchObject({ status: 'complete', content: 'A whole word.' });
});

test('an answer without anything in it is asked for again', async () => {
  script = [{ text: [] }, { text: 'Something.' }];
  expect((await talk.ask('Hello?')).content).toBe('Something.');
});

test('an answer that is no answer at all is asked for again', async () => {
  script = [{ raw: ['data: {"choices": [{"delta"', '\n\nwhat is this?\n\n'] }, { text: 'Better.' }];
  expect((await talk.ask('Hello?')).content).toBe('Better.');
});

test('a model that streams without end is stopped, and what it said is bounded', async () => {
  script = [{ endless: { delta: 'la '.repeat(4_000), everyMs: 1 } }];
  const reply = await talk.ask('Sing.');
  expect(reply).toMatchObject({ status: 'error', error: { code: 'model_answer_too_long' } });
  expect(reply.content.length).toBeLessThanOrEqual(200_000);
  await goesOn();
});

test('calls that cannot be made are told to the model, which goes on', async () => {
  script = [
    toolOf('rm_rf', '{}'),
    toolOf('run_sql', '{"sql": "SELECT'),
    toolOf('run_sql', '[1]'),
    toolOf('run_sql', '{"sql": 7}'),
    toolOf('run_sql', '{"sql": "DROP TABLE x"}'),
    toolOf('describe_table', '{"table": "nothing"}'),
    toolOf('draw_chart', '{"result_id":"res_x","kind":"bar","x":"a","y":"b","title":"t"}'),
    toolOf('read_file', '{"path":"../../etc/passwd"}'),
    toolOf('write_report', JSON.stringify({ title: 'T', content: 'x', report_id: 'rpt_unknown' })),
    { text: 'I give up.' },
  ];
  const reply = await talk.ask('Try everything.');
  expect(reply).toMatchObject({ status: 'complete', content: 'I give up.' });
  const calls = reply.parts.filter(({ type }: { type: string }) => type === 'tool_call');
  expect(calls).toHaveLength(9);
  for (const call of calls)
    expect(call, JSON.stringify(call)).toMatchObject({ status: 'failed', resultId: null });
  expect(calls.map(({ summary }: { summary: string }) => summary.split(':')[0])).toEqual([
    'invalid_request',
    'invalid_request',
    'invalid_request',
    'invalid_request',
    'query_not_read_only',
    'not_found',
    'not_found',
    'invalid_request',
    'not_found',
  ]);
});

test('a model that calls tools for ever gets no tools in its last step', async () => {
  script = [
    ({ tool_choice: choice }) =>
      choice === 'none' ? { text: 'That is all I found.' } : toolOf('list_tables', '{}'),
  ];
  const reply = await talk.ask('Look around.');
  expect(reply).toMatchObject({ status: 'complete', content: 'That is all I found.' });
  expect(reply.parts).toHaveLength(24);
});

test('a model that does not even then stop ends the turn as an error', async () => {
  script = [toolOf('list_tables', '{}')];
  const reply = await talk.ask('Look around for ever.');
  expect(reply).toMatchObject({
    status: 'error',
    error: { code: 'turn_step_limit', message: expect.any(String) },
  });
  await goesOn();
});

test('control characters and broken text of a model are stored as text that can be', async () => {
  script = [{ text: ['a\u0000b', '\ud83e', ' end <script>alert(1)</script>'] }];
  const reply = await talk.ask('Break me.');
  expect(reply).toMatchObject({
    status: 'complete',
    content: expect.stringContaining('<script>alert(1)</script>'),
  });
  expect(reply.content.isWellFormed() && !reply.content.includes('\u0000')).toBe(true);
});

test.each([
  ['nearly JSON', '{"words": "sales\n",}'],
  ['encoded twice', JSON.stringify('{"words":"sales"}')],
  ['an object instead of a text', { words: 'sales' }],
])('the input of a call is read where it is %s', async (_what, args) => {
  script = [{ toolCalls: [{ name: 'search_tables', arguments: args }] }, { text: 'Found.' }];
  const reply = await talk.ask('What is there on sales?');
  expect(reply).toMatchObject({ status: 'complete', content: 'Found.' });
  const call = reply.parts.find(({ type }: { type: string }) => type === 'tool_call');
  expect(call).toMatchObject({ name: 'search_tables', status: 'done' });
  expect(call.input.words.trim()).toBe('sales');
});

test('a model sees what it sent, and what is wrong with it', async () => {
  script = [toolOf('search_tables', '{"words": "sal'), { text: 'Sorry.' }];
  expect(await talk.ask('Sales?')).toMatchObject({ status: 'complete', content: 'Sorry.' });
  const told = JSON.stringify(models.requests.at(-1));
  expect(told).toContain('You sent: ');
  expect(told).toContain('sal');
});

test('thoughts within the text are no part of the answer', async () => {
  const text = ['<thi', 'nk>The user greets', ' me.</th', 'ink>\n\n', 'Hello!'];
  script = [{ text }];
  const reply = await talk.ask('Hello?');
  expect(reply).toMatchObject({ status: 'complete', content: 'Hello!' });
  expect(JSON.stringify(await talk.show())).not.toContain('greets');
});

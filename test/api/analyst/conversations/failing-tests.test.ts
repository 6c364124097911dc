import { beforeAll, expect, test } from 'vitest';
import { talkIn, useModelServer } from '../../../support/conversations.ts';
import type { ModelReply, ModelRequestBody } from '../../../support/model-server.ts';
import { verifying } from '../../../support/verification.ts';
import { useWorker } from '../../../support/worker.ts';
import { type TestClient, useOwnWorkspace } from '../../../support/workspace.ts';

let script: ((request: ModelRequestBody) => ModelReply)[] = [];
const models = useModelServer((request) => script.shift()?.(request) ?? { text: 'Done.' });
const workspace = useOwnWorkspace({}, () => models.environment());
useWorker(workspace);
let client: TestClient;
let on: ReturnType<typeof verifying>;

beforeAll(async () => {
  client = await workspace.organization();
  on = verifying(client);
});

test('an answer from a table whose tests fail says so, with and without a model', async () => {
  const sales = await on.data('sales', { city: 'STRING', amount: 'INTEGER' });
  await on.append(sales, [
    { s_id: 1, city: 'Bonn', amount: 4 },
    { s_id: 2, city: null, amount: 6 },
  ]);
  const talk = await talkIn(client);
  await on.must('POST', `/v1/projects/${talk.projectId}/catalog-entries`, 201, { table_id: sales });
  const question = { message: 'What is the total amount of sales?', model: 'offline' };
  expect((await talk.ask(question)).content).not.toContain('fails');

  const id = await on.define(sales, 'not_null', { columns: ['city'] }, { name: 'each sale has a city' });
  await on.verified({ table_ids: [sales] });
  const told: unknown[] = [];
  script = [
    () => ({
      toolCalls: [{ name: 'run_sql', arguments: JSON.stringify({ sql: 'SELECT sum(amount) FROM sales' }) }],
    }),
    ({ messages }) => {
      told.push(JSON.parse(messages.at(-1).content.split('\n')[1]));
      return { text: 'Ten.' };
    },
  ];
  await talk.ask('How much?');
  expect(told).toMatchObject([
    {
      failingTables: [{ name: 'sales', tests: ['each sale has a city'] }],
      mustTellTests: expect.any(String),
    },
  ]);
  const reply = await talk.ask(question);
  expect(reply.content).toContain('`sales` fails its test “each sale has a city”.');
  expect((await talk.ask({ message: 'describe sales', model: 'offline' })).content).toContain(
    'fails its test',
  );

  // A warning is no reason to doubt the answer.
  await on.overlay(id, { severity: 'warn' });
  await on.verified({ table_ids: [sales] });
  expect((await talk.ask(question)).content).not.toContain('fails');
});

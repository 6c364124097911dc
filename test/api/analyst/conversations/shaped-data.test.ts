import { beforeAll, beforeEach, expect, test } from 'vitest';
import { shaping } from '../../../support/calculated.ts';
import { type Talk, talkIn, useModelServer } from '../../../support/conversations.ts';
import { eventually } from '../../../support/eventually.ts';
import { replaceGrants } from '../../../support/grants.ts';
import type { ModelReply, ModelRequestBody } from '../../../support/model-server.ts';
import { personOf } from '../../../support/people.ts';
import { useWorker } from '../../../support/worker.ts';
import { type TestClient, useOwnWorkspace } from '../../../support/workspace.ts';

let script: ((request: ModelRequestBody) => ModelReply | Promise<ModelReply>)[] = [];

const models = useModelServer((request) => script.shift()?.(request) ?? { text: 'Done.' });
const workspace = useOwnWorkspace({}, () => models.environment());
useWorker(workspace);

let client: TestClient;
let on: ReturnType<typeof shaping>;
let talk: Talk;

beforeAll(async () => {
  client = await workspace.organization();
  on = shaping(client);
});

beforeEach(async () => {
  script = [];
  talk = await talkIn(client);
});

const attach = (id: string, note = '') =>
  on.must('POST', `/v1/projects/${talk.projectId}/catalog-entries`, 201, {
    ...(id.startsWith('viw_') ? { view_id: id } : { table_id: id }),
    note,
  });
const calls = (name: string, input: unknown): ModelReply => ({
  toolCalls: [{ name, arguments: JSON.stringify(input) }],
});
const sql = (text: string) => calls('run_sql', { sql: text });
/** What the last tool said. */
const told = ({ messages }: ModelRequestBody) => JSON.parse(messages.at(-1).content.split('\n')[1]);
const offline = (message: string) => ({ message, model: 'offline' });

test('a view is attached, described and asked, with the tables behind it pinned by the turn', async () => {
  const sales = await on.data('sales', { city: 'STRING', amount: 'INTEGER' });
  const version = await on.append(sales, [
    { s_id: 1, city: 'Bonn', amount: 4 },
    { s_id: 2, city: 'Kiel', amount: 6 },
  ]);
  const view = await on.view('big_sales', 'SELECT city, amount FROM sales WHERE amount > 1');
  const entry = await attach(view, 'Without the small ones.');
  expect(entry).toMatchObject({ kind: 'view', viewId: view, tableId: null, name: 'big_sales' });
  const reply = await talk.ask(offline('What is the total amount of big_sales?'));
  expect(reply).toMatchObject({ status: 'complete', dataVersions: [{ tableId: sales, version }] });
  expect(reply.content).toContain('**10**');
  expect((await talk.ask(offline('describe big_sales'))).content).toMatch(
    /`big_sales` has 2 rows and 2 columns/,
  );
  expect((await talk.ask(offline('What tables are there?'))).content).toContain('| big_sales | – |');

  const seen: unknown[] = [];
  const sum = () => sql('SELECT sum(amount) AS n FROM big_sales');
  script = [
    sum,
    async (request) => {
      seen.push(Number(told(request).rows[0][0]));
      await on.append(sales, [{ s_id: 3, city: 'Ulm', amount: 90 }]);
      return sum();
    },
    (request) => {
      seen.push(Number(told(request).rows[0][0]));
      return sql('SELECT sum(amount) FROM sales');
    },
    (request) => {
      seen.push(told(request).error.code);
      return { text: 'Both the same.' };
    },
  ];
  const pinned = await talk.ask('Twice, please.');
  expect(seen).toEqual([10, 10, 'query_failed']);
  const [{ resultId }] = pinned.parts.filter(({ type }: { type: string }) => type === 'tool_call');
  const { body } = await client.call('GET', `${talk.url}/results/${resultId}`);
  expect(body.data.scanned.tables).toEqual(pinned.dataVersions);
});

test('a stale calculated table is told in one sentence, also behind a view, and not once it is fresh', async () => {
  const source = await on.data('visits', { city: 'STRING', guests: 'INTEGER' });
  await on.append(source, [{ s_id: 1, city: 'Bonn', guests: 3 }]);
  const totals = await on.calc('city_guests', 'SELECT city, sum(guests) AS guests FROM visits GROUP BY city');
  const view = await on.view('known_guests', 'SELECT * FROM city_guests');
  await attach(totals);
  await attach(view);
  const question = 'What is the total guests of city_guests?';
  const unbuilt = await talk.ask(offline(question));
  expect(unbuilt.content).toContain(`/v1/grid/tables/${totals}/materialize`);

  await on.materialized(totals);
  const fresh = await talk.ask(offline(question));
  expect(fresh.content).toContain('**3**');
  expect(fresh.content).not.toContain('out of date');

  await on.append(source, [{ s_id: 2, city: 'Kiel', guests: 4 }]);
  const builtAt = (await on.status(totals)).materializedAt.replace('T', ' at ').slice(0, 22);
  for (const name of ['city_guests', 'known_guests']) {
    const stale = await talk.ask(offline(`What is the total guests of ${name}?`));
    expect(stale.content).toContain('**3**');
    expect(stale.content).toContain(
      `\`city_guests\` is out of date: it was built on ${builtAt} UTC, and \`visits\` has changed since.`,
    );
  }

  const results: unknown[] = [];
  script = [
    ({ messages }) => {
      expect(messages[0].content).toContain('staleTables');
      return sql('SELECT sum(guests) FROM known_guests');
    },
    (request) => {
      results.push(told(request));
      return calls('list_tables', {});
    },
    (request) => {
      results.push(told(request));
      return { text: 'Told.' };
    },
  ];
  await talk.ask('How many guests?');
  const staleTables = [
    { name: 'city_guests', builtAt: expect.any(String), changed: ['visits'], isRedefined: false },
  ];
  expect(results[0]).toMatchObject({ staleTables, mustTell: expect.stringContaining('stale') });
  expect(results[1]).toMatchObject({
    tables: [
      { name: 'city_guests', isStale: true, builtAt: expect.any(String), staleTables },
      { name: 'known_guests', kind: 'view', rowCount: null, staleTables },
    ],
  });
  await on.synced(totals);
  script = [
    () => sql('SELECT sum(guests) FROM known_guests'),
    (request) => {
      expect(told(request)).not.toHaveProperty('staleTables');
      return { text: 'Fresh.' };
    },
  ];
  expect((await talk.ask('And now?')).content).toBe('Fresh.');
});

test('the model is told what people wrote about columns and what a profile found, within bounds', async () => {
  const columns = Object.fromEntries(Array.from({ length: 49 }, (_, index) => [`c${index}`, 'STRING']));
  const table = await on.data('noted', { amount: 'INTEGER', ...columns });
  await on.append(table, [
    { s_id: 1, amount: 5, c0: 'x'.repeat(500) },
    { s_id: 2, amount: 5 },
  ]);
  const noted = { description: 'In cents.', note: 'Before tax.', semantic_type: 'money' };
  const catalog = { description: 'What was noted.', columns: [{ name: 'amount', ...noted }] };
  await client.call('PATCH', `/v1/tables/${table}/catalog`, { body: catalog });
  await client.call('POST', `/v1/tables/${table}/profile`);
  await eventually(
    () => client.call('GET', `/v1/tables/${table}/profile`),
    ({ status }) => status === 200,
  );
  await attach(table);
  const results: Record<string, unknown>[] = [];
  const ask = () => {
    script = [
      () => calls('list_tables', {}),
      (request) => {
        results.push(told(request));
        return calls('describe_table', { table: 'noted' });
      },
      (request) => {
        results.push(told(request));
        return { text: 'Read.' };
      },
    ];
    return talk.ask('What is there?');
  };
  await ask();
  const column = {
    name: 'amount',
    description: 'In cents.',
    note: 'Before tax.',
    semanticType: 'money',
    profile: { nulls: 0, distinctApprox: 1, min: 5, max: 5, top: [{ value: 5, count: 2 }] },
  };
  const profile = { rows: 2, isOfOtherVersion: false, isSample: false };
  const wanted = expect.objectContaining({
    description: 'What was noted.',
    profile: expect.objectContaining(profile),
    columns: expect.arrayContaining([expect.objectContaining(column)]),
  });
  expect(results).toEqual([{ tables: [wanted] }, wanted]);

  // Of long notes of two tables, as many as there is room for.
  const other = await on.data('noted_too', columns);
  await attach(other);
  const long = Object.keys(columns).map((name) => ({ name, note: 'y'.repeat(9_000) }));
  for (const id of [table, other])
    await client.call('PATCH', `/v1/tables/${id}/catalog`, { body: { columns: long } });
  await on.append(table, [{ s_id: 3, amount: 7 }]);
  results.length = 0;
  await ask();
  const [listed, described] = results as [{ tables: Record<string, unknown>[] }, Record<string, unknown>];
  for (const result of results) expect(JSON.stringify(result).length).toBeLessThan(60_000);
  expect(listed.tables.map((one) => 'leftOut' in one)).toEqual([false, true]);
  expect(described).toMatchObject({
    profile: { isOfOtherVersion: true },
    leftOut: expect.stringContaining('room'),
  });
});

test('who may not read the table behind a view asks the view, at the version of the turn', async () => {
  const hidden = await on.data('salaries', { city: 'STRING', pay: 'INTEGER' });
  await on.append(hidden, [{ s_id: 1, city: 'Bonn', pay: 5 }]);
  const view = await on.view('pay_by_city', 'SELECT city, sum(pay) AS pay FROM salaries GROUP BY city');
  await attach(view);
  await replaceGrants(client, hidden, []);
  const person = await personOf(workspace, client, 'member');
  const theirs = await talkIn({ ...client, call: person.call }, talk.projectId);
  const sums: unknown[] = [];
  script = [
    () => sql('SELECT sum(pay) FROM pay_by_city'),
    async (request) => {
      sums.push(Number(told(request).rows[0][0]));
      await on.append(hidden, [{ s_id: 2, city: 'Kiel', pay: 7 }]);
      return sql('SELECT sum(pay) FROM pay_by_city');
    },
    (request) => {
      sums.push(Number(told(request).rows[0][0]));
      return calls('describe_table', { table: 'pay_by_city' });
    },
    (request) => {
      sums.push(told(request).rowCount);
      return { text: 'Five.' };
    },
  ];
  const reply = await theirs.ask('How much?');
  expect(reply).toMatchObject({ status: 'complete', dataVersions: [] });
  expect(sums).toEqual([5, 5, 1]);
});

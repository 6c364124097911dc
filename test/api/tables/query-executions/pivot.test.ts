import { beforeAll, expect, test } from 'vitest';
import { shaping } from '../../../support/calculated.ts';
import { useOrganization, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
const client = useOrganization(workspace);

beforeAll(async () => {
  const on = shaping(client);
  const id = await on.data('sales', { year: 'INTEGER', city: 'STRING', amount: 'INTEGER' });
  await on.append(id, [
    { s_id: 1, year: 9, city: "O'Hara", amount: 1 },
    { s_id: 2, year: 10, city: 'Bonn', amount: 2 },
    { s_id: 3, year: 9, city: 'Bonn', amount: 3 },
    { s_id: 4, year: null, city: 'Bonn', amount: 4 },
  ]);
});

const ask = (sql: string, more: object = {}) =>
  client.call('POST', '/v1/query-executions', {
    body: { sql, row_format: 'rows_with_column_order', ...more },
  });

const columnsOf = async (sql: string, more: object = {}) => {
  const { status, body, text } = await ask(sql, more);
  expect(status, text).toBe(200);
  return body.data.columns.map(({ name }: { name: string }) => name);
};

test('a PIVOT without a list of values has a column for each value, in their order', async () => {
  const sql =
    'PIVOT (SELECT year, city, amount FROM sales) ON year USING sum(amount) GROUP BY city ORDER BY city';
  expect(await columnsOf(sql)).toEqual(['city', '9', '10']);
  const { body } = await ask(sql);
  expect(
    body.data.rows_with_column_order.map((row: { value: unknown }[]) => row.map(({ value }) => value)),
  ).toEqual([
    ['Bonn', 3, 2],
    ["O'Hara", 1, null],
  ]);
});

test.each([
  ['FROM (PIVOT sales ON city USING count(*) GROUP BY year) ORDER BY year', ['year', 'Bonn', "O'Hara"]],
  ['WITH s AS (SELECT city, amount FROM sales) PIVOT s ON city USING sum(amount)', ['Bonn', "O'Hara"]],
])('%s', async (sql, columns) => {
  expect(await columnsOf(sql)).toEqual(columns);
});

test('it takes parameters where it reads', async () => {
  const sql = 'PIVOT (SELECT city, amount FROM sales WHERE year = $year) ON city USING sum(amount)';
  expect(await columnsOf(sql, { parameters: { year: 10 } })).toEqual(['Bonn']);
});

test('new values are new columns', async () => {
  const on = shaping(client);
  const id = await on.data('growing', { k: 'STRING' });
  await on.append(id, [{ s_id: 1, k: 'a' }]);
  const sql = 'PIVOT (SELECT k FROM growing) ON k USING count(*)';
  expect(await columnsOf(sql)).toEqual(['a']);
  await on.append(id, [{ s_id: 2, k: 'b' }]);
  expect(await columnsOf(sql)).toEqual(['a', 'b']);
});

test('too many values are refused, with the way round', async () => {
  const { body } = await ask('PIVOT (SELECT i FROM range(2000) r(i)) ON i USING count(*)');
  expect(body).toMatchObject({ code: 'query_failed', detail: expect.stringContaining('IN (') });
});

test.each([
  'PIVOT nothing ON k USING count(*)',
  "PIVOT read_csv('/etc/passwd') ON k USING count(*)",
  'PIVOT sales ON getenv(city) USING count(*)',
  'PIVOT sales ON city) USING count(*)',
])('%s is refused', async (sql) => {
  expect((await ask(sql)).body.status).toBe(400);
});

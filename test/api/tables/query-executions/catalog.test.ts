import { beforeAll, expect, test } from 'vitest';
import { shaping } from '../../../support/calculated.ts';
import { only, replaceGrants } from '../../../support/grants.ts';
import { personOf } from '../../../support/people.ts';
import { type TestClient, useOrganization, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
const client = useOrganization(workspace);
let hidden: string;

beforeAll(async () => {
  const on = shaping(client);
  const orders = await on.data('Orders', { city: 'STRING', amount: 'DECIMAL(20,2)', day: 'DATE' });
  await on.append(orders, [{ s_id: 1, city: 'Bonn' }]);
  await on.view('cities', 'SELECT city FROM orders');
  hidden = await on.data('hidden', { n: 'INTEGER' });
});

const rowsOf = async (sql: string, by: Pick<TestClient, 'call'> = client) => {
  const { status, text, body } = await by.call('POST', '/v1/query-executions', {
    body: { sql, row_format: 'rows_with_column_order' },
  });
  expect(status, text).toBe(200);
  return body.data.rows_with_column_order.map((row: { value: unknown }[]) => row.map(({ value }) => value));
};

const tables = 'SELECT table_name, table_type FROM information_schema.tables ORDER BY ALL';

test('information_schema.tables lists the tables and views that the caller may read', async () => {
  expect(await rowsOf(tables)).toEqual([
    ['Orders', 'BASE TABLE'],
    ['cities', 'VIEW'],
    ['hidden', 'BASE TABLE'],
  ]);
  const person = await personOf(workspace, client, 'member');
  const other = await personOf(workspace, client, 'member');
  await replaceGrants(client, hidden, only(other, 'read'));
  expect((await rowsOf(tables, person)).map(([name]: string[]) => name)).toEqual(['Orders', 'cities']);
  const named = "SELECT count(*) FROM information_schema.columns WHERE table_name = 'hidden'";
  expect(await rowsOf(named, person)).toEqual([[0]]);
});

test('information_schema.columns lists columns with the types of the engine', async () => {
  expect(
    await rowsOf(
      "SELECT c.column_name, c.ordinal_position, c.data_type, c.is_nullable FROM lake.information_schema.columns c WHERE c.table_name = 'Orders' ORDER BY 2",
    ),
  ).toEqual([
    ['s_id', 1, 'BIGINT', 'NO'],
    ['city', 2, 'VARCHAR', 'YES'],
    ['amount', 3, 'DECIMAL(20,2)', 'YES'],
    ['day', 4, 'DATE', 'YES'],
    ['_sm_created_at', 5, 'TIMESTAMPTZ', 'NO'],
  ]);
});

test('it follows what is changed, and joins with tables', async () => {
  const on = shaping(client);
  const added = await on.data('added', { n: 'INTEGER' });
  expect(
    await rowsOf(
      "SELECT columns.column_name FROM information_schema.columns WHERE table_name = 'added' ORDER BY 1",
    ),
  ).toEqual([['_sm_created_at'], ['n'], ['s_id']]);
  await on.must('POST', `/v1/grid/tables/${added}/columns`, 201, { name: 'm', data_type: 'STRING' });
  expect(await rowsOf("SELECT count(*) FROM information_schema.columns WHERE table_name = 'added'")).toEqual([
    [4],
  ]);
  expect(
    await rowsOf('SELECT o.city, count(*) FROM Orders o, information_schema.tables t GROUP BY 1'),
  ).toEqual([['Bonn', 4]]);
});

test.each([
  'SELECT * FROM information_schema.routines',
  'SELECT * FROM pg_catalog.pg_tables',
  'SELECT * FROM "information_schema.tables"',
])('%s is refused as any table that does not exist', async (sql) => {
  const { status, body } = await client.call('POST', '/v1/query-executions', { body: { sql } });
  expect([status, body.code]).toEqual([400, 'query_failed']);
});

test('a view cannot read it', async () => {
  const { status } = await client.call('POST', '/v1/views', {
    body: { name: 'listed', query: 'SELECT table_name FROM information_schema.tables' },
  });
  expect(status).toBe(422);
});

import { beforeAll, expect, test } from 'vitest';
import { exporting } from '../../support/exports.ts';
import { only, replaceGrants } from '../../support/grants.ts';
import { personOf } from '../../support/people.ts';
import { type TestClient, useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();
let client: TestClient;
let on: ReturnType<typeof exporting>;
let table: string;

beforeAll(async () => {
  client = await workspace.organization();
  on = exporting(client);
  table = await on.data('explained', { a: 'INTEGER', city: 'STRING' });
  await on.append(table, [{ s_id: 1, a: 1, city: 'Porto' }]);
});

const query = (sql: string, from: Pick<TestClient, 'call'> = client) =>
  from.call('POST', '/v1/query-executions', { body: { sql } });

test.each([
  'EXPLAIN SELECT city, sum(a) FROM explained WHERE a > 0 GROUP BY city',
  '  -- a comment\n /* and another; */ explain\nSELECT city FROM explained WHERE a > 0 GROUP BY city',
])('the plan of a SELECT is shown: %s', async (sql) => {
  const { status, body, text } = await query(sql);
  expect(status, text).toBe(200);
  expect(body.data).toMatchObject({ rowCount: 2, scanned: { tables: [{ tableId: table }] } });
  expect(body.data.columns.map(({ name }: { name: string }) => name)).toEqual([
    'explain_key',
    'explain_value',
  ]);
  expect(body.data.rows[0].explainValue).toContain('GROUP_BY');
  expect(body.data.rows[1]).toEqual({
    explainKey: 'tables',
    explainValue: 'explained: read from 0 files and 1 row of the catalog',
  });
  // Neither where the files are, nor of whom.
  expect(text).not.toMatch(/s3:|\.parquet|lake_|org_/);
});

test.each([
  ['EXPLAIN ANALYZE SELECT a FROM explained', 'query_not_read_only'],
  ['EXPLAIN (ANALYZE) SELECT a FROM explained', 'query_not_read_only'],
  ['EXPLAIN (FORMAT json) SELECT a FROM explained', 'query_not_read_only'],
  ['EXPLAIN SELECT x FROM explained', 'query_failed'],
  ['EXPLAIN SELECT * FROM nothing', 'query_failed'],
  ["EXPLAIN SELECT * FROM read_csv('/etc/passwd')", 'query_failed'],
  ['EXPLAIN EXPLAIN SELECT 1', 'query_not_read_only'],
  ['EXPLAIN DELETE FROM explained', 'query_not_read_only'],
  ['EXPLAIN', 'query_not_read_only'],
])('%s is refused', async (sql, code) => {
  const { status, body, text } = await query(sql);
  expect([status, body.code], text).toEqual([400, code]);
});

test('nothing is run', async () => {
  const failing = 'SELECT CAST(city AS INTEGER) AS n FROM explained';
  expect((await query(failing)).body.code).toBe('query_failed');
  expect((await query(`EXPLAIN ${failing}`)).status).toBe(200);
});

test('a fault is told at its place in what was written', async () => {
  expect((await query('EXPLAIN\nSELECT FROM WHERE')).body.detail).toMatch(/line 2/);
});

test('a view is explained only for those who may read what is behind it', async () => {
  const person = await personOf(workspace, client, 'member');
  await on.view('cities', "SELECT city FROM explained WHERE city <> 'a secret'");
  expect((await query('EXPLAIN SELECT * FROM cities', person)).status).toBe(200);
  const other = await personOf(workspace, client, 'member');
  await replaceGrants(client, table, only(other, 'read'));
  expect((await query('SELECT * FROM cities', person)).status).toBe(200);
  const refused = await query('EXPLAIN SELECT * FROM cities', person);
  expect(refused.body).toMatchObject({ status: 400, code: 'query_failed' });
  expect(refused.text).not.toContain('secret');
});

test('what is kept as a SELECT cannot be an EXPLAIN', async () => {
  const view = await client.call('POST', '/v1/views', {
    body: { name: 'plan', query: 'EXPLAIN SELECT 1 AS a' },
  });
  expect(view.status).toBe(422);
  const exported = await client.call('POST', '/v1/exports', {
    body: { sql: 'EXPLAIN SELECT 1 AS a', format: 'csv' },
  });
  expect(exported.status).toBe(400);
});

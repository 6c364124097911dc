import { beforeAll, expect, test } from 'vitest';
import { shaping } from '../../../support/calculated.ts';
import { useOrganization, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
const client = useOrganization(workspace);

beforeAll(async () => {
  const on = shaping(client);
  const id = await on.data('orders', { city: 'STRING', amount: 'DECIMAL(20,2)', day: 'DATE' });
  await on.append(id, [
    { s_id: 1, city: 'Bonn', amount: '3.50', day: '2026-01-01' },
    { s_id: 2, city: "O'Hara; DROP TABLE orders", amount: '9007199254740993.25', day: '2026-02-01' },
  ]);
});

const ask = (sql: string, parameters?: unknown, more: object = {}) =>
  client.call('POST', '/v1/query-executions', { body: { sql, parameters, row_format: 'rows', ...more } });

test.each([
  ['SELECT city FROM orders WHERE city = $city', { city: 'Bonn' }, [{ city: 'Bonn' }]],
  ['SELECT city FROM orders WHERE city = $City', { city: 'Bonn' }, [{ city: 'Bonn' }]],
  ['SELECT city FROM orders WHERE city = $1 AND amount > $2', ['Bonn', 1], [{ city: 'Bonn' }]],
  ['SELECT city FROM orders WHERE city = ? AND amount > ?', ['Bonn', 3.25], [{ city: 'Bonn' }]],
  ['SELECT s_id FROM orders WHERE city = $c', { c: "O'Hara; DROP TABLE orders" }, [{ sId: 2 }]],
  ['SELECT s_id FROM orders WHERE day >= CAST($since AS DATE)', { since: '2026-01-15' }, [{ sId: 2 }]],
  ['SELECT s_id FROM orders ORDER BY s_id DESC LIMIT $n', { n: 1 }, [{ sId: 2 }]],
  ['SELECT $a AS a, $b AS b, $c AS c', { a: null, b: true, c: 0.1 }, [{ a: null, b: true, c: '0.1' }]],
  ['WITH o AS (SELECT * FROM orders WHERE s_id = $id) SELECT city FROM o', { id: 1 }, [{ city: 'Bonn' }]],
])('%s', async (sql, parameters, rows) => {
  const { status, body, text } = await ask(sql, parameters);
  expect(status, text).toBe(200);
  expect(body.data.rows).toEqual(rows);
});

test('a number keeps its digits', async () => {
  const answer = await client.call('POST', '/v1/query-executions', {
    raw: {
      text: '{"sql": "SELECT s_id FROM orders WHERE amount = $n", "parameters": {"n": 9007199254740993.25}}',
      contentType: 'application/json',
    },
  });
  expect(answer.body.data.rows).toEqual([{ sId: 2 }]);
});

test('a number beyond a double is refused, not made infinite', async () => {
  const answer = await client.call('POST', '/v1/query-executions', {
    raw: { text: '{"sql": "SELECT $n", "parameters": {"n": 1e400}}', contentType: 'application/json' },
  });
  expect(answer.status, answer.text).toBe(422);
  expect(answer.body.detail[0].loc).toEqual(['body', 'parameters', 'n']);
});

test('the same statement with other values has another answer', async () => {
  const sql = 'SELECT city FROM orders WHERE s_id = $id';
  expect((await ask(sql, { id: 1 })).body.data.rows).toEqual([{ city: 'Bonn' }]);
  expect((await ask(sql, { id: 2 })).body.data.rows[0].city).toContain('Hara');
  expect((await ask(sql, { id: 1 })).body.data).toMatchObject({ rows: [{ city: 'Bonn' }], cached: true });
});

test('the history keeps the statement as written', async () => {
  const sql = 'SELECT city AS written FROM orders WHERE s_id = $id';
  const { body } = await ask(sql, { id: 1 });
  expect((await client.call('GET', `/v1/query-executions/${body.data.id}`)).body.data.sql).toBe(sql);
});

test('a stream takes them too', async () => {
  const answer = await client.call('POST', '/v1/query-executions', {
    body: { sql: 'SELECT city FROM orders WHERE s_id = $id', parameters: { id: 1 } },
    headers: { accept: 'text/csv' },
  });
  expect(answer.text).toBe('city\r\nBonn\r\n');
});

test.each([
  ['SELECT $a', undefined, '$a'],
  ['SELECT $a', { b: 1 }, '$a'],
  ['SELECT $a', { a: 1, b: 1 }, '$b'],
  ['SELECT ?', [], '$1'],
  ['SELECT ?', [1, 2], '$2'],
  ["SELECT '$a'", { a: 1 }, '$a'],
])('%s with %j is query_failed, and names the parameter', async (sql, parameters, name) => {
  const { status, body } = await ask(sql, parameters);
  expect([status, body.code]).toEqual([400, 'query_failed']);
  expect(body.detail).toContain(name);
});

test.each([
  [{ a: [1] }, ['body', 'parameters', 'a']],
  [[{}], ['body', 'parameters', 0]],
  [{ 'a b': 1 }, ['body', 'parameters', 'a b']],
  ['text', ['body', 'parameters']],
  [Array.from({ length: 101 }, () => 1), ['body', 'parameters']],
  [{ a: 'x'.repeat(70_000) }, ['body', 'parameters']],
])('%j is refused at its place', async (parameters, loc) => {
  const { status, body } = await ask('SELECT $a', parameters);
  expect(status).toBe(422);
  expect(body.detail[0].loc).toEqual(loc);
});

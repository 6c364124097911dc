import type pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { shaping } from '../../support/calculated.ts';
import { expectEventually } from '../../support/eventually.ts';
import { usePostgres } from '../../support/postgres.ts';
import { type TestClient, useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();
const door = usePostgres(workspace);
let client: TestClient;
let sql: pg.Client;
let orders: string;

beforeAll(async () => {
  client = await workspace.organization();
  const on = shaping(client);
  orders = await on.data('orders', { city: 'STRING', amount: 'DECIMAL(18,2)', day: 'DATE', paid: 'BOOLEAN' });
  await on.append(orders, [
    { s_id: 1, city: 'Porto', amount: '12.50', day: '2026-01-02', paid: true },
    { s_id: 2, city: 'Lyon', amount: null, day: null, paid: null },
  ]);
  sql = await door.connect(client);
});

const failure = (text: string, values?: unknown[]) =>
  sql.query(text, values).then(
    () => expect.fail('It should fail.'),
    (error: pg.DatabaseError) => error,
  );

test('rows of a table, as text', async () => {
  const { rows, fields, command, rowCount } = await sql.query(
    'SELECT city, amount, paid FROM orders ORDER BY city',
  );
  expect(rows).toEqual([
    { city: 'Lyon', amount: null, paid: null },
    { city: 'Porto', amount: '12.50', paid: true },
  ]);
  expect(fields.map(({ name, dataTypeID }) => [name, dataTypeID])).toEqual([
    ['city', 25],
    ['amount', 1700],
    ['paid', 16],
  ]);
  expect([command, rowCount]).toEqual(['SELECT', 2]);
});

test('parameters, in every place where a value can be', async () => {
  const { rows } = await sql.query('SELECT city FROM orders WHERE amount > $1 AND day = $2 LIMIT $3', [
    5,
    '2026-01-02',
    10,
  ]);
  expect(rows).toEqual([{ city: 'Porto' }]);
  expect((await sql.query('SELECT $1::int + 1 AS a, $2 AS b', [41, 'x'])).rows).toEqual([{ a: 42, b: 'x' }]);
  expect((await sql.query({ text: 'SELECT $1::date AS a', values: [null], name: 'named' })).rows).toEqual([
    { a: null },
  ]);
  expect(
    (await sql.query({ text: 'SELECT $1::date AS a', values: ['2026-01-02'], name: 'named' })).rows,
  ).toHaveLength(1);
});

test('an error says what it is, where, and leaves the session usable', async () => {
  expect(await failure('SELECT * FROM nowhere')).toMatchObject({ code: '42P01' });
  expect(await failure('SELECT 1 +')).toMatchObject({ code: '42601' });
  expect(await failure('SELECT nope FROM orders')).toMatchObject({ code: '42703' });
  expect(await failure('INSERT INTO orders VALUES (1)')).toMatchObject({
    code: '25006',
    message: 'cannot execute INSERT in a read-only transaction',
  });
  expect(await failure(`SELECT CAST('x' AS INTEGER)`)).toMatchObject({ code: '22P02' });
  expect((await sql.query('SELECT 1 AS a')).rows).toEqual([{ a: 1 }]);
});

test('settings, transactions and several statements', async () => {
  expect((await sql.query('SHOW server_version_num')).rows).toEqual([{ server_version_num: '180000' }]);
  await sql.query('SET application_name TO test; SET TIME ZONE UTC');
  const results = (await sql.query('BEGIN; SELECT 1 AS a; COMMIT')) as unknown as pg.QueryResult[];
  expect(results.map(({ command }) => command)).toEqual(['BEGIN', 'SELECT', 'COMMIT']);
  await sql.query('BEGIN');
  await failure('SELECT * FROM nowhere');
  expect(await failure('SELECT 1')).toMatchObject({ code: '25P02' });
  expect((await sql.query('COMMIT')).command).toBe('ROLLBACK');
});

test('a transaction reads one snapshot', async () => {
  const count = async () => (await sql.query('SELECT count(*)::int AS n FROM orders')).rows[0].n;
  await sql.query('BEGIN');
  const before = await count();
  await shaping(client).append(orders, [{ s_id: 3, city: 'Oslo', amount: '1', day: null, paid: null }]);
  expect(await count()).toBe(before);
  await sql.query('COMMIT');
  expect(await count()).toBe(before + 1);
});

test('logins that are refused', async () => {
  const refused = (change: pg.ClientConfig) =>
    door.connect(client, change).then(String, (error) => error.code);
  expect(await refused({ password: 'wrong' })).toBe('28P01');
  expect(await refused({ user: 'cli_00000000000000000000000000' })).toBe('28P01');
  expect(await refused({ database: 'another' })).toBe('3D000');
});

test('an access token is a password', async () => {
  const byToken = await door.connect(client, { password: await client.token() });
  expect((await byToken.query('SELECT count(*)::int > 0 AS a FROM orders')).rows).toEqual([{ a: true }]);
});

test('the history has the statements', async () => {
  await sql.query('SELECT 42 AS remembered');
  const newest = async () => (await client.call('GET', '/v1/query-executions?limit=5')).body.items[0].sql;
  await expectEventually(newest, { timeoutMs: 30_000 }).toBe('SELECT 42 AS remembered');
});

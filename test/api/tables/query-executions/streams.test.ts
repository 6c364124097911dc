import { tableFromIPC } from 'apache-arrow';
import { beforeAll, expect, test } from 'vitest';
import { shaping } from '../../../support/calculated.ts';
import { expectEventually } from '../../../support/eventually.ts';
import { streaming } from '../../../support/streams.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

const csv = 'text/csv';
const ndjson = 'application/x-ndjson';
const arrow = 'application/vnd.apache.arrow.stream';

const workspace = useWorkspace();
let client: TestClient;
let streams: Awaited<ReturnType<typeof streaming>>;
let orders: string;

beforeAll(async () => {
  client = await workspace.organization();
  streams = await streaming(workspace, client);
  const on = shaping(client);
  orders = await on.data('orders', { city: 'STRING', amount: 'DECIMAL(18,2)', day: 'DATE', paid: 'BOOLEAN' });
  await on.append(orders, [
    { s_id: 1, city: 'Porto', amount: '12345678901234.50', day: '2026-01-02', paid: true },
    { s_id: 2, city: '', amount: null, day: null, paid: null },
    { s_id: 3, city: 'a,"b"\r\nc', amount: '-0.05', day: '1969-12-31', paid: false },
  ]);
});

const text = async (accept: string, sql: string, more: object = {}) => {
  const answer = await streams.fetched(accept, { sql, ...more });
  const body = await answer.text();
  expect(answer.status, body).toBe(200);
  return body;
};

test('CSV by RFC 4180: nulls are nothing, empty text is quoted; the record is as of any query', async () => {
  const answer = await streams.fetched(csv, {
    sql: 'SELECT city, amount, day, paid FROM orders ORDER BY s_id',
  });
  const id = answer.headers.get('x-query-execution-id')!;
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${id}.csv"`,
    'cache-control': 'no-store',
  });
  expect(await answer.text()).toBe(
    'city,amount,day,paid\r\nPorto,12345678901234.50,2026-01-02,true\r\n"",,,\r\n"a,""b""\r\nc",-0.05,1969-12-31,false\r\n',
  );
  expect(await streams.record(id)).toMatchObject({
    ...{ status: 'succeeded', rowCount: 3, truncated: false, error: null },
    scanned: { tables: [{ tableId: orders, version: expect.any(Number) }] },
  });
});

test('CSV has the values of a JSON answer, text without its quotes', async () => {
  const sql = `SELECT 'ü 👍 ' AS "naïve, ""quoted""", 170141183460469231731687303715884105727 AS huge,
    TIMESTAMP '2026-01-02 03:04:05.6' AS at, TIMESTAMPTZ '2026-01-02 03:04:05+02' AS zoned, 1e300 AS large,
    'nan'::DOUBLE AS nan, ['a', NULL] AS list, {'k': 1.5} AS struct, 'x"y'::BLOB AS blob, '{"j":"\\n"}'::JSON AS json,
    TIME '01:02:03' AS time, INTERVAL 1 DAY AS span, '00000000-0000-0000-0000-000000000001'::UUID AS id,
    chr(13) AS cr, ' ' AS space`;
  expect(await text(csv, sql)).toBe(
    [
      '"naïve, ""quoted""",huge,at,zoned,large,nan,list,struct,blob,json,time,span,id,cr,space',
      [
        'ü 👍 ,170141183460469231731687303715884105727',
        '2026-01-02T03:04:05.600000,2026-01-02T01:04:05.000Z,1e+300,NaN',
        '"[""a"",null]","{""k"":""1.5""}",eCJ5,"{""j"":""\\n""}"',
        '01:02:03.000000,P1D,00000000-0000-0000-0000-000000000001,"\r", ',
      ].join(','),
      '',
    ].join('\r\n'),
  );
});

test('NDJSON has one object a line, with the values of a JSON answer', async () => {
  const sql = `SELECT i AS "my id", i * 9007199254740993 AS big, 1.50 AS d, NULL AS nothing, '"\\' || chr(10) AS t,
    [i, NULL] AS list, {'a': DATE '2026-01-02'} AS s, MAP {'k': 1} AS m FROM range(2) t(i) ORDER BY i`;
  expect(await text(ndjson, sql)).toBe(
    `{"my id":0,"big":0,"d":"1.50","nothing":null,"t":"\\"\\\\\\n","list":[0,null],"s":{"a":"2026-01-02"},"m":{"k":1}}
{"my id":1,"big":"9007199254740993","d":"1.50","nothing":null,"t":"\\"\\\\\\n","list":[1,null],"s":{"a":"2026-01-02"},"m":{"k":1}}
`,
  );
});

test('of equal names, later ones get a suffix in each format', async () => {
  const sql = 'SELECT 1 AS a, 2 AS a, 3 AS a_1, 4 AS a';
  expect(await text(csv, sql)).toBe('a,a_2,a_1,a_3\r\n1,2,3,4\r\n');
  expect(await text(ndjson, sql)).toBe('{"a":1,"a_2":2,"a_1":3,"a_3":4}\n');
  const table = tableFromIPC(await (await streams.fetched(arrow, { sql })).arrayBuffer());
  expect(table.schema.fields.map(({ name }) => name)).toEqual(['a', 'a_2', 'a_1', 'a_3']);
});

test('without rows there is a header, nothing, or a schema', async () => {
  const sql = 'SELECT city, amount FROM orders WHERE false';
  expect(await text(csv, sql)).toBe('city,amount\r\n');
  const lines = await streams.fetched(ndjson, { sql });
  expect([lines.status, lines.headers.get('content-type'), await lines.text()]).toEqual([200, ndjson, '']);
  const table = tableFromIPC(await (await streams.fetched(arrow, { sql })).arrayBuffer());
  expect(table.schema.fields.map(String)).toEqual(['city: Utf8', 'amount: Decimal[18e+2]']);
  expect(table.numRows).toBe(0);
});

test.each([
  ['text/html, text/csv;q=0.5, application/json;q=0.4', csv],
  ['application/json;q=0.1, TEXT/CSV', csv],
  ['application/json, text/csv', 'application/json'],
  ['text/csv;q=0, */*', 'application/json'],
  ['*/*', 'application/json'],
  ['image/png', 'application/json'],
])('Accept %s is answered with %s', async (accept, type) => {
  const answer = await streams.fetched(accept, { sql: 'SELECT 1 AS a' });
  expect(answer.headers.get('content-type')).toBe(`${type}; charset=utf-8`);
  await answer.body?.cancel();
});

test('what fails before the first byte is answered as of any query, and recorded', async () => {
  for (const [sql, code] of [
    ['SELECT FROM', 'query_failed'],
    ['DROP TABLE orders', 'query_not_read_only'],
    ["SELECT CAST('x' || city AS INTEGER) FROM orders", 'query_failed'],
    ['SELECT * FROM elsewhere', 'query_failed'],
  ] as const) {
    const answer = await streams.fetched(csv, { sql });
    expect([answer.status, answer.headers.get('content-type'), await answer.json()]).toMatchObject([
      400,
      'application/problem+json',
      { code },
    ]);
    expect(await streams.latest()).toMatchObject({ sql, status: 'failed', error: { code }, rowCount: null });
  }
});

test('the limit of a stream goes to a million, that of JSON to ten thousand', async () => {
  const sql = 'SELECT i FROM range(1100000) t(i)';
  const refused = [
    [csv, 0, 'greater_than_equal'],
    [csv, 1_000_001, 'less_than_equal'],
    ['application/json', 10_001, 'less_than_equal'],
  ] as const;
  for (const [accept, limit, type] of refused) {
    const answer = await streams.fetched(accept, { sql, limit });
    expect([answer.status, await answer.json()]).toMatchObject([
      422,
      { detail: [{ loc: ['body', 'limit'], type }] },
    ]);
  }
  expect(await text(csv, `${sql} ORDER BY i`, { limit: 2 })).toBe('i\r\n0\r\n1\r\n');
  expect(await streams.latest()).toMatchObject({ rowCount: 2, truncated: true });
  const whole = await text(csv, sql);
  expect(whole.match(/\n/g)).toHaveLength(1_000_001);
  expect(whole.endsWith('\r\n999999\r\n')).toBe(true);
  expect(await streams.latest()).toMatchObject({ status: 'succeeded', rowCount: 1_000_000, truncated: true });
  const json = await streams.fetched('application/json', { sql });
  expect(await json.json()).toMatchObject({ data: { rowCount: 100, truncated: true } });
});

const breaksLate =
  "SELECT CASE WHEN i = 500000 THEN CAST('x' || i AS INTEGER) ELSE i END AS a FROM range(600000) t(i)";

test.each([csv, ndjson, arrow])('%s that breaks after the first byte never ends properly', async (accept) => {
  const stream = streams.raw(accept, { sql: breaksLate });
  await stream.closed;
  const received = stream.received();
  expect(received.toString('latin1')).toMatch(/^HTTP\/1\.1 200 .*transfer-encoding: chunked/is);
  expect(received.length).toBeGreaterThan(1_000_000);
  expect(received.subarray(-5).toString()).not.toBe('0\r\n\r\n');
  const id = /x-query-execution-id: (\w+)/i.exec(received.toString('latin1'))![1]!;
  const record = await streams.record(id);
  expect(record).toMatchObject({
    status: 'failed',
    error: { code: 'query_failed', detail: expect.stringContaining("'x500000'") },
  });
  expect(record.rowCount).toBeGreaterThan(1_000);
  expect(record.rowCount).toBeLessThan(500_000);
  const answer = await streams.fetched(accept, { sql: breaksLate });
  expect(answer.status).toBe(200);
  await expect(answer.arrayBuffer()).rejects.toThrow();
});

test('a JSON answer that breaks late is an error too, with its reason', async () => {
  const sql = `${breaksLate.replaceAll('500000', '9000')} LIMIT 600000`;
  const answer = await streams.fetched('application/json', { sql, limit: 10_000 });
  expect([answer.status, await answer.json()]).toMatchObject([
    400,
    { code: 'query_failed', detail: expect.stringContaining("'x9000'") },
  ]);
});

const endless = 'SELECT i, repeat(chr(65 + (i % 26)::INTEGER), 100) AS t FROM range(100000000) t(i)';

test('a client that goes away frees the process, and is recorded', async () => {
  for (let turn = 0; turn < 6; turn += 1) {
    const stream = streams.raw(csv, { sql: endless, timeout_ms: 120_000 });
    await expectEventually(() => stream.received().length).toBeGreaterThan(100_000);
    stream.socket.destroy();
  }
  await expectEventually(() => text(csv, 'SELECT 1 AS a').catch(String)).toBe('a\r\n1\r\n');
  await expectEventually(async () => {
    const broken = (await history()).filter(({ sql, status }) => sql === endless && status === 'failed');
    return broken.map(({ rowCount }) => (rowCount ?? 0) > 0);
  }).toEqual(new Array(6).fill(true));
});

interface Item {
  sql: string;
  status: string;
  rowCount: number | null;
  error: { code: string; detail: string } | null;
}

async function history(): Promise<Item[]> {
  return (await client.call('GET', '/v1/query-executions?limit=50')).body.items;
}

test('a stream whose time is up breaks', async () => {
  const stream = streams.raw(csv, { sql: endless, timeout_ms: 1_000 });
  await stream.closed;
  expect(stream.received().subarray(-5).toString()).not.toBe('0\r\n\r\n');
  await expectEventually(async () => (await history())[0]?.error?.code).toBe('query_timeout');
});

import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { tableFromIPC } from 'apache-arrow';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { exporting } from '../../../support/exports.ts';
import { useWorker } from '../../../support/worker.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);
let client: TestClient;
let on: ReturnType<typeof exporting>;
let orders: string;

beforeAll(async () => {
  client = await workspace.organization();
  on = exporting(client);
  orders = await on.data('orders', { city: 'STRING', amount: 'DECIMAL(18,2)', day: 'DATE', paid: 'BOOLEAN' });
  await on.append(orders, [
    { s_id: 1, city: 'Porto', amount: '12345678901234.50', day: '2026-01-02', paid: true },
    { s_id: 2, city: '', amount: null, day: null, paid: null },
    { s_id: 3, city: 'a,"b"\r\nc', amount: '-0.05', day: '1969-12-31', paid: false },
  ]);
});

test('CSV by RFC 4180: nulls are nothing, empty text is quoted, and the hash is that of the bytes', async () => {
  const done = await on.exported({
    sql: 'SELECT city, amount, day, paid FROM orders ORDER BY s_id',
    format: 'csv',
    name: 'my orders – ü',
  });
  expect(done).toMatchObject({
    ...{ status: 'succeeded', rowsWritten: 3, error: null, projectId: null, fileId: null },
    versions: [{ tableId: orders, version: expect.any(Number) }],
  });
  const [file] = done.files;
  const { bytes, disposition, type } = await on.download(file);
  expect(bytes.toString()).toBe(
    'city,amount,day,paid\r\nPorto,12345678901234.50,2026-01-02,true\r\n"",,,\r\n"a,""b""\r\nc",-0.05,1969-12-31,false\r\n',
  );
  expect(disposition).toContain(encodeURIComponent('my orders – ü.csv'));
  expect(type).toBe('text/csv');
  expect(file).toMatchObject({
    ...{ name: 'my orders – ü.csv', sizeBytes: bytes.length },
    sha256: createHash('sha256').update(bytes).digest('hex'),
  });
  expect(done.bytesWritten).toBe(bytes.length);
  expect(Date.parse(done.expiresAt) - Date.parse(done.finishedAt)).toBe(86_400_000);
});

test('CSV begins with a byte order mark where asked, and is packed as csv.gz', async () => {
  const csv = { sql: 'SELECT city AS "a,b", amount FROM orders ORDER BY s_id', format: 'csv' };
  const plain = (await on.download((await on.exported(csv)).files[0])).bytes;
  const marked = await on.exported({ ...csv, byte_order_mark: true });
  expect((await on.download(marked.files[0])).bytes.toString()).toBe(`\ufeff${plain.toString()}`);
  const packed = await on.exported({ ...csv, format: 'csv.gz', byte_order_mark: true, name: 'orders' });
  const { bytes, type } = await on.download(packed.files[0]);
  expect(gunzipSync(bytes).toString()).toBe(`\ufeff${plain.toString()}`);
  expect([packed.files[0].name, type]).toEqual(['orders.csv.gz', 'application/gzip']);
  const many = await on.exported({
    ...{ sql: 'SELECT range AS n FROM range(300000)', format: 'csv.gz', byte_order_mark: true },
    max_file_bytes: 65_536,
  });
  expect(many.files.length).toBeGreaterThan(1);
  for (const file of [many.files[0], many.files.at(-1)])
    expect(gunzipSync((await on.download(file)).bytes).toString()).toMatch(
      /^\ufeffn\r\n\d+\r\n[\d\r\n]*\d\r\n$/,
    );
  const refused = await client.call('POST', '/v1/exports', {
    body: { ...csv, format: 'parquet', byte_order_mark: true },
  });
  expect([refused.status, refused.body.detail[0].loc]).toEqual([422, ['body', 'byte_order_mark']]);
});

/** The rows of a SELECT over the file of an export. */
async function readParquet(done: Awaited<ReturnType<typeof on.exported>>, select: string) {
  const folder = await mkdtemp(join(tmpdir(), 'exports-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'exported.parquet');
  await writeFile(file, (await on.download(done.files[0])).bytes);
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  return (await connection.runAndReadAll(`${select} FROM '${file}'`)).getRows();
}

test('Parquet has the types of the table', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'exports-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const done = await on.exported({ table_id: orders, format: 'parquet' });
  expect(done.files[0].name).toBe('orders.parquet');
  const file = join(folder, 'orders.parquet');
  await writeFile(file, (await on.download(done.files[0])).bytes);
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const described = await connection.runAndReadAll(
    `SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM '${file}')`,
  );
  expect(described.getRows()).toEqual(
    expect.arrayContaining([
      ['city', 'VARCHAR'],
      ['amount', 'DECIMAL(18,2)'],
      ['day', 'DATE'],
      ['paid', 'BOOLEAN'],
    ]),
  );
  const rows = await connection.runAndReadAll(`SELECT city, amount::VARCHAR FROM '${file}' ORDER BY s_id`);
  expect(rows.getRows()).toEqual([
    ['Porto', '12345678901234.50'],
    ['', null],
    ['a,"b"\r\nc', '-0.05'],
  ]);
});

test('Parquet keeps bytes as they are', async () => {
  const sql = `SELECT from_hex('00ff27') AS bytes, chr(65279) || 'a' AS marked`;
  const rows = await readParquet(
    await on.exported({ sql, format: 'parquet' }),
    'SELECT hex(bytes), hex(marked)',
  );
  expect(rows).toEqual([['00FF27', 'EFBBBF61']]);
});

test('Parquet keeps lists, structs and maps, and writes those that it would round as JSON', async () => {
  const sql = `SELECT [{'a': 1, 'b': 'x'}] AS l, MAP {'k': 1.5::DECIMAL(4,2)} AS m,
    {'h': 12345678901234567890123::HUGEINT} AS h`;
  const rows = await readParquet(
    await on.exported({ sql, format: 'parquet' }),
    'SELECT typeof(l), typeof(m), h::VARCHAR',
  );
  expect(rows).toEqual([
    ['STRUCT(a INTEGER, b VARCHAR)[]', 'MAP(VARCHAR, DECIMAL(4,2))', '{"h":12345678901234567890123}'],
  ]);
});

test('NDJSON has one object a line, with the values of a query', async () => {
  const sql = 'SELECT city, amount, day, paid, [s_id] AS list FROM orders ORDER BY s_id';
  const done = await on.exported({ sql, format: 'ndjson' });
  expect(done).toMatchObject({ status: 'succeeded', rowsWritten: 3, versions: [{ tableId: orders }] });
  const { bytes, type } = await on.download(done.files[0]);
  expect(type).toBe('application/x-ndjson');
  expect(bytes.toString()).toBe(
    `{"city":"Porto","amount":"12345678901234.50","day":"2026-01-02","paid":true,"list":[1]}
{"city":"","amount":null,"day":null,"paid":null,"list":[2]}
{"city":"a,\\"b\\"\\r\\nc","amount":"-0.05","day":"1969-12-31","paid":false,"list":[3]}
`,
  );
  expect(done.files[0]).toMatchObject({
    ...{ name: 'export.ndjson', sizeBytes: bytes.length },
    sha256: createHash('sha256').update(bytes).digest('hex'),
  });
});

test('Arrow is a file with an index, which can be read from front to end too', async () => {
  const sql = 'SELECT city, amount, day FROM orders ORDER BY s_id';
  const done = await on.exported({ sql, format: 'arrow' });
  const { bytes, type } = await on.download(done.files[0]);
  expect(type).toBe('application/vnd.apache.arrow.file');
  expect([bytes.subarray(0, 6), bytes.subarray(-6)].map(String)).toEqual(['ARROW1', 'ARROW1']);
  for (const readable of [bytes, bytes.subarray(8)]) {
    const table = tableFromIPC(readable);
    expect(table.schema.fields.map(String)).toEqual([
      'city: Utf8',
      'amount: Decimal[18e+2]',
      'day: Date32<DAY>',
    ]);
    expect(table.getChild('city')?.toArray()).toEqual(['Porto', '', 'a,"b"\r\nc']);
  }
});

test.each(['ndjson', 'arrow'])('no rows are a whole %s file too', async (format) => {
  const done = await on.exported({ sql: 'SELECT 1 AS a WHERE false', format });
  expect(done).toMatchObject({ status: 'succeeded', rowsWritten: 0, files: [{ name: `export.${format}` }] });
  const { bytes } = await on.download(done.files[0]);
  if (format === 'arrow') expect(tableFromIPC(bytes).numRows).toBe(0);
  else expect(bytes.length).toBe(0);
});

test.each(['ndjson', 'arrow'])(
  '%s is split into files that are whole, and have the order',
  async (format) => {
    const sql = 'SELECT range AS n, md5(range::VARCHAR) AS hash FROM range(100_000) ORDER BY range';
    const done = await on.exported({ sql, format, name: 'many', max_file_bytes: 1_048_576 });
    expect(done.files.length).toBeGreaterThan(3);
    const read: number[] = [];
    for (const [at, file] of done.files.entries()) {
      expect(file.name).toBe(`many_${at + 1}.${format}`);
      const { bytes } = await on.download(file);
      expect(bytes.length).toBeLessThan(2_000_000);
      if (format === 'arrow') read.push(...Array.from(tableFromIPC(bytes).getChild('n')!, Number));
      else for (const line of bytes.toString().trimEnd().split('\n')) read.push(JSON.parse(line).n);
    }
    expect(read).toEqual(Array.from({ length: 100_000 }, (_, n) => n));
  },
);

test.each(['ndjson', 'arrow'])('a %s file of large rows ends soon after its size', async (format) => {
  const sql = "SELECT range AS n, repeat('x', 100_000) AS text FROM range(100) ORDER BY n";
  const done = await on.exported({ sql, format, max_file_bytes: 1_048_576 });
  expect(done).toMatchObject({ status: 'succeeded', rowsWritten: 100 });
  expect(done.files.length).toBeGreaterThan(7);
  for (const { sizeBytes } of done.files) expect(sizeBytes).toBeLessThan(1_600_000);
  // As many rows as fill their files leave no empty one.
  const exact = await on.exported({ sql: `${sql} LIMIT 11`, format, max_file_bytes: 1_048_576 });
  expect(exact.files.map(({ sizeBytes }: { sizeBytes: number }) => sizeBytes > 90_000)).not.toContain(false);
});

test('a workbook holds what its cells can hold', async () => {
  const project = await on.project();
  const sql = `SELECT 999999999999999 AS big, CAST('-0.000000000000123456789012345' AS DECIMAL(38,28)) AS small,
    CAST('123456789012300000000000000000' AS DECIMAL(38,0)) AS round, DATE '1900-03-01' AS day,
    TIMESTAMP '2026-01-02 03:04:05.125' AS at, TIME '03:04:05' AS time, true AS flag, 1.5::DOUBLE AS double,
    '=1+1' AS formula, repeat('x', 32767) AS long, NULL AS nothing, [1, 2] AS list, '<&>' || chr(9) AS marks`;
  const done = await on.exported({ sql, format: 'xlsx', project_id: project, path: 'held.xlsx' });
  expect(done).toMatchObject({ status: 'succeeded', error: null });
  const preview = await client.call('POST', `/v1/assets/${done.fileId}/previews`, { body: {} });
  expect(preview.body.data.rows).toEqual([
    [
      ...[999999999999999, -1.23456789012345e-13, '123456789012300000000000000000', '1900-03-01'],
      ...['2026-01-02T03:04:05.125000', '03:04:05.000000', true, 1.5, '=1+1', 'x'.repeat(32_767)],
      ...[null, '[1,2]', '<&>\t'],
    ],
  ]);
});

test.each([
  ['1000000000000000', '15 digits'],
  ['-1000000000000000', '15 digits'],
  [`CAST('1234567890123456.7' AS DECIMAL(20,1))`, '15 digits'],
  [`CAST('0.00000000001234567890123456' AS DECIMAL(38,26))`, '15 digits'],
  ['12345678901234567890::HUGEINT', '15 digits'],
  [`'nan'::DOUBLE`, 'not finite'],
  [`'-inf'::FLOAT`, 'not finite'],
  [`DATE '1900-02-28'`, 'March 1900'],
  [`TIMESTAMP '1899-12-31 23:00:00'`, 'March 1900'],
  [`TIMESTAMPTZ 'infinity'`, 'March 1900'],
  [`repeat('x', 32768)`, '32,767'],
  [`'a' || chr(1)`, 'control'],
])('a workbook that would show %s as something else is refused', async (value, why) => {
  const sql = `SELECT CASE WHEN range = 50 THEN ${value} END AS "a ""b" FROM range(100)`;
  const done = await on.exported({ sql, format: 'xlsx' });
  expect(done).toMatchObject({ status: 'failed', error: { code: 'query_failed' }, files: [] });
  expect(done.error.message).toContain(why);
  expect(done.error.message).toContain('a \\"b');
});

test('what was exported can be imported unchanged', async () => {
  const project = await on.project();
  const done = await on.exported({
    ...{ sql: 'SELECT city, amount, day, paid FROM orders', format: 'parquet' },
    ...{ project_id: project, path: 'out/orders.parquet' },
  });
  expect(done).toMatchObject({
    status: 'succeeded',
    projectId: project,
    fileId: expect.stringMatching(/^fil_/),
  });
  const run = await on.must('GET', `/v1/projects/${project}/runs/${done.id}`, 200);
  expect(run).toMatchObject({
    ...{ kind: 'export', status: 'succeeded', progress: 1, resource: { type: 'export', id: done.id } },
    output: { exportId: done.id, fileId: done.fileId, rowsWritten: 3 },
  });
  const begun = await on.must('POST', `/v1/projects/${project}/files/${done.fileId}/imports`, 202, {
    table_name: 'orders_back',
  });
  expect((await on.importEnded(begun.id)).status).toBe('succeeded');
  const columns = 'city, CAST(amount AS VARCHAR) AS amount, day, paid';
  expect(await on.rows(`SELECT ${columns} FROM orders_back ORDER BY ALL`)).toEqual(
    await on.rows(`SELECT ${columns} FROM orders ORDER BY ALL`),
  );
});

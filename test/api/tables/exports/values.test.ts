import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { exporting } from '../../../support/exports.ts';
import { useWorker } from '../../../support/worker.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);
let client: TestClient;
let on: ReturnType<typeof exporting>;

beforeAll(async () => {
  client = await workspace.organization();
  on = exporting(client);
});

const largest = '340282366920938463463374607431768211455';

test('CSV spells values as documented, and has all digits', async () => {
  const sql = `SELECT TIMESTAMP '2024-02-29 12:34:56.123456' AS at, TIMESTAMP_NS '2024-02-29 12:34:56.123456789' AS ns,
    TIMESTAMPTZ '2024-02-29 12:34:56+00' AS tz, from_hex('ff41') AS bytes, INTERVAL '1 year 3 days' AS span,
    'nan'::DOUBLE AS nan, '-inf'::DOUBLE AS inf, ${largest}::UHUGEINT AS u,
    (-170141183460469231731687303715884105727)::HUGEINT AS h, '${largest}000'::BIGNUM AS b`;
  const done = await on.exported({ sql, format: 'csv' });
  expect(done).toMatchObject({ status: 'succeeded', error: null });
  const [names, values] = (await on.download(done.files[0])).bytes.toString().split('\r\n');
  expect(names).toBe('at,ns,tz,bytes,span,nan,inf,u,h,b');
  expect(values!.split(',')).toEqual([
    ...['2024-02-29 12:34:56.123456', '2024-02-29 12:34:56.123456789', '2024-02-29 12:34:56+00', '\\xFFA'],
    ...['1 year 3 days', 'nan', '-inf', largest, '-170141183460469231731687303715884105727', `${largest}000`],
  ]);
});

test('Parquet keeps nanoseconds', async () => {
  const sql = `SELECT TIMESTAMP_NS '2024-02-29 12:34:56.123456789' AS ns, 12345678901234567890::HUGEINT AS h`;
  const done = await on.exported({ sql, format: 'parquet' });
  const folder = await mkdtemp(join(tmpdir(), 'exports-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'exported.parquet');
  await writeFile(file, (await on.download(done.files[0])).bytes);
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const select = `SELECT typeof(ns), ns::VARCHAR, typeof(h), h::VARCHAR FROM '${file}'`;
  expect((await connection.runAndReadAll(select)).getRows()).toEqual([
    ['TIMESTAMP_NS', '2024-02-29 12:34:56.123456789', 'DECIMAL(38,0)', '12345678901234567890'],
  ]);
});

const refused: [format: string, value: string, why: string][] = [
  ['parquet', `${largest}::UHUGEINT`, 'an integer of more than 38 digits'],
  ['parquet', '170141183460469231731687303715884105727::HUGEINT', 'an integer of more than 38 digits'],
  ['parquet', `'${largest}'::BIGNUM`, 'an integer of more than 38 digits'],
  ['xlsx', `${largest}::UHUGEINT`, 'a number of more than 15 digits'],
  ['xlsx', '99999999999999999999999999999999999999::UHUGEINT', 'a number of more than 15 digits'],
  ['xlsx', `'${'9'.repeat(38)}'::DECIMAL(38,0)`, 'a number of more than 15 digits'],
  ['xlsx', `'${'9'.repeat(37)}.9'::DECIMAL(38,1)`, 'a number of more than 15 digits'],
  ['xlsx', `'a' || chr(65534)`, 'control characters'],
  ['xlsx', `'a' || chr(65535)`, 'control characters'],
  ['xlsx', `repeat(chr(128512), 16384)`, '32,767'],
];

test.each(refused)('%s refuses %s by its column', async (format, value, why) => {
  const sql = `SELECT 1 AS a, CASE WHEN range = 50 THEN ${value} END AS "my sum" FROM range(100)`;
  const done = await on.exported({ sql, format });
  expect(done).toMatchObject({ status: 'failed', error: { code: 'query_failed' }, files: [] });
  expect(done.error.message).toContain('The column "my sum" has ');
  expect(done.error.message).toContain(why);
});

test.each([
  ['a control character', 'a\u0001b'],
  ['what is no character', 'a\uFFFEb'],
  ['another', 'a\uFFFFb'],
  ['32,768 characters', 'x'.repeat(32_768)],
])('a workbook refuses a column name with %s', async (_, name) => {
  const done = await on.exported({ sql: `SELECT 1 AS "${name}"`, format: 'xlsx' });
  expect(done).toMatchObject({ status: 'failed', error: { code: 'query_failed' }, files: [] });
  expect(done.error.message).toContain(`The column name ${JSON.stringify(name).slice(0, 100)}`);
  expect(done.error.message.length).toBeLessThan(500);
});

test('a workbook reads back the texts and names that were written', async () => {
  const texts = [
    ...[
      '_x0041_',
      '_x0041_x0042_x0043_',
      'a\r\nb\rc\n',
      '_x0041\r',
      '_x005F_x000D_',
      '_x0041',
      '_x_ _X0041_',
    ],
    ...['😀'.repeat(16_383), '_\r_x000d_\r'],
  ];
  const names = ['_x0041_', 'a\r\nb', '_x0041\rz', '_x0041_x0042_', '_x0041', 'f', 'g', 'h', 'i'];
  const columns = texts.map((text, at) => `'${text}' AS "${names[at]}"`);
  const project = await on.project();
  const done = await on.exported({
    ...{ sql: `SELECT ${columns.join(', ')}, '{"a":"_x0041_"}'::JSON AS j`, format: 'xlsx' },
    ...{ project_id: project, path: 'texts.xlsx' },
  });
  expect(done).toMatchObject({ status: 'succeeded', error: null });
  const preview = await client.call('POST', `/v1/assets/${done.fileId}/previews`, { body: {} });
  expect(preview.body.data.rows).toEqual([[...texts, '{"a":"_x0041_"}']]);
  const read = preview.body.data.columns.map((column: { sourceName: string }) => column.sourceName);
  // The preview shows line breaks in names as spaces.
  expect(read).toEqual([...names, 'j'].map((name) => name.replaceAll(/[\r\n]+/g, ' ')));
});

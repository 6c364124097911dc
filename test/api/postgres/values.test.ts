import pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { usePostgres } from '../../support/postgres.ts';
import { type TestClient, useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();
const door = usePostgres(workspace);
let client: TestClient;
let sql: pg.Client;

beforeAll(async () => {
  client = await workspace.organization();
  sql = await door.connect(client);
});

/** An expression, its type's oid, and its text as PostgreSQL writes it. */
const values: readonly (readonly [expression: string, oid: number, text: string])[] = [
  ['true', 16, 't'],
  ['CAST(-5 AS TINYINT)', 21, '-5'],
  ['CAST(40000 AS USMALLINT)', 23, '40000'],
  ['7', 23, '7'],
  ['CAST(4000000000 AS UINTEGER)', 20, '4000000000'],
  ['9007199254740993', 20, '9007199254740993'],
  ['CAST(18446744073709551615 AS UBIGINT)', 1700, '18446744073709551615'],
  [
    'CAST(-170141183460469231731687303715884105728 AS HUGEINT)',
    1700,
    '-170141183460469231731687303715884105728',
  ],
  ['CAST(12345.678 AS DECIMAL(20, 5))', 1700, '12345.67800'],
  ['CAST(-0.0001 AS DECIMAL(10, 4))', 1700, '-0.0001'],
  ['CAST(0 AS DECIMAL(10, 4))', 1700, '0.0000'],
  ['CAST(0.1 AS FLOAT)', 700, '0.1'],
  ['CAST(1.5e300 AS DOUBLE)', 701, '1.5e+300'],
  [`CAST('-Infinity' AS DOUBLE)`, 701, '-Infinity'],
  [`'Zoë 😀'`, 25, 'Zoë 😀'],
  [`''`, 25, ''],
  [`CAST('\\x00\\xffa' AS BLOB)`, 17, '\\x00ff61'],
  [`DATE '2026-01-31'`, 1082, '2026-01-31'],
  [`DATE '0044-03-15 (BC)'`, 1082, '0044-03-15 BC'],
  [`CAST('infinity' AS DATE)`, 1082, 'infinity'],
  [`TIME '01:02:03.5'`, 1083, '01:02:03.5'],
  [`TIMESTAMP '1969-12-31 23:59:59.999999'`, 1114, '1969-12-31 23:59:59.999999'],
  [`TIMESTAMP_NS '2026-01-31 01:02:03.123456789'`, 1114, '2026-01-31 01:02:03.123456'],
  [`TIMESTAMPTZ '2026-01-31 01:02:03+02'`, 1184, '2026-01-30 23:02:03+00'],
  [`INTERVAL '1 year 2 months -3 days 04:05:06.7'`, 1186, '1 year 2 mons -3 days +04:05:06.7'],
  [`CAST('00010203-0405-0607-0809-0a0b0c0d0e0f' AS UUID)`, 2950, '00010203-0405-0607-0809-0a0b0c0d0e0f'],
  [`CAST('{"a": [1, 2.50]}' AS JSON)`, 114, '{"a": [1, 2.50]}'],
  [`{'a': 1, 'b': [NULL, 2]}`, 114, '{"a":1,"b":[null,2]}'],
  [`MAP {'k': DATE '2026-01-31'}`, 114, '{"k":"2026-01-31"}'],
  ['[1, NULL, 3]', 1007, '{1,NULL,3}'],
  [`['a', 'b "c"', '', 'NULL', NULL]`, 1009, '{a,"b \\"c\\"","","NULL",NULL}'],
  ['[[1], [2, 3]]', 114, '[[1],[2,3]]'],
];

const raw = { getTypeParser: () => (value: string) => value } as unknown as pg.CustomTypesConfig;

test.each(values)('%s as text', async (expression, oid, text) => {
  const { rows, fields } = await sql.query({ text: `SELECT ${expression} AS v, NULL AS n`, types: raw });
  expect(fields[0]!.dataTypeID).toBe(oid);
  expect(rows).toEqual([{ v: text, n: null }]);
});

test('a million rows come whole, with the memory of some', async () => {
  const before = process.memoryUsage.rss();
  let count = 0;
  let last = -1;
  const query = new pg.Query(
    'SELECT i, repeat(chr(65 + (i % 26)::INTEGER), 100) AS t FROM range(1000000) r(i)',
  );
  const done = new Promise<void>((resolve, reject) => {
    query.on('row', (row) => {
      count += 1;
      last = Number(row.i);
    });
    query.on('end', () => resolve());
    query.on('error', reject);
  });
  sql.query(query);
  await done;
  expect([count, last]).toEqual([1_000_000, 999_999]);
  expect(process.memoryUsage.rss() - before).toBeLessThan(400 * 1_048_576);
});

test('an answer that is cut says so', async () => {
  const notices: string[] = [];
  sql.on('notice', ({ message }) => notices.push(message ?? ''));
  const { rowCount } = await sql.query('SELECT 1 FROM range(1000001)');
  expect(rowCount).toBe(1_000_000);
  expect(notices).toEqual([expect.stringContaining('1000000')]);
});

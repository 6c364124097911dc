import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import type { QueryAnswer } from '../../../../domain/tables/query/pool/pool.ts';
import type { SqlValue } from '../../../../domain/tables/query/request.ts';
import { withParameters } from '../../../../packages/sql-guard/index.ts';
import { createRandom } from '../../../faults/random.ts';
import hostile from './hostile-placeholders.json' with { type: 'json' };
import { openTestQueries, outcomeOf, type TestQueries } from './support.ts';

let queries: TestQueries;

beforeAll(async () => {
  queries = await openTestQueries([{ name: 'orders', id: 'tbl_orders' }]);
  await queries.lake.runAsWriter(`CREATE TABLE lake.main.orders AS
    SELECT range AS id, 'name' || range AS name, (range * 1.5)::DECIMAL(10, 2) AS amount,
      DATE '2024-01-01' + range::INTEGER AS day, TIMESTAMPTZ '2024-01-01 00:00:00+00' + to_days(range::INTEGER) AS seen_at
    FROM range(10)`);
});

afterAll(() => queries?.close());

const source = '${x}';

/** The statement with a value for `${x}`, as the pool receives it. */
const run = (sql: string, value: SqlValue) => {
  const { sql: text, parameters } = withParameters(sql, new Map([[source, value]]));
  return queries.run(text, { parameters });
};

function cellsIn({ rowsWithColumnOrderJson }: QueryAnswer): unknown[] {
  const rows = JSON.parse(rowsWithColumnOrderJson!) as { value: unknown }[][];
  return rows.flatMap((row) => row.map((cell) => cell.value));
}

describe.each(hostile)('refuses $aim', ({ statements }) => {
  it.each(statements)('%s', async (sql) => {
    for (const value of ['orders', "' AS a UNION ALL SELECT name FROM orders --", { number: '1' }, null]) {
      const { code } = await outcomeOf(run(sql, value));
      expect(['query_failed', 'query_not_read_only']).toContain(code);
    }
  });
});

test.each<[string, SqlValue, unknown[]]>([
  ['SELECT id FROM orders WHERE day = ${x}', '2024-01-03', [2]],
  ['SELECT id FROM orders WHERE day BETWEEN ${x} AND ${x}', '2024-01-03', [2]],
  ['SELECT id FROM orders WHERE seen_at = ${x}', '2024-01-03T00:00:00Z', [2]],
  ['SELECT id FROM orders WHERE amount = ${x}', { number: '4.50' }, [3]],
  ['SELECT id FROM orders WHERE name IN (${x}, ${x})', 'name4', [4]],
  ['SELECT id FROM orders WHERE name LIKE ${x}', '%5', [5]],
  ['SELECT id FROM orders ORDER BY id LIMIT ${x}', { number: '2' }, [0, 1]],
  ['SELECT id FROM orders ORDER BY id LIMIT 1 OFFSET ${x}', { number: '7' }, [7]],
  ['SELECT CAST(${x} AS DATE)', '2024-02-29', ['2024-02-29']],
  ["SELECT date_trunc('month', CAST(${x} AS DATE))::DATE", '2024-02-29', ['2024-02-01']],
  ["SELECT DATE '2024-01-01' + INTERVAL (${x}) DAY", { number: '3' }, ['2024-01-04T00:00:00.000000']],
  ['SELECT CASE ${x} WHEN 1 THEN 2 WHEN 3 THEN 4 END', { number: '3' }, [4]],
  ['SELECT coalesce(${x}, 7)', null, [7]],
  ['SELECT NOT ${x}', true, [false]],
  ['SELECT * REPLACE (${x} AS id) FROM (SELECT 1 AS id)', { number: '9' }, [9]],
  ['SELECT typeof(${x})', { number: '1' }, ['INTEGER']],
  ['SELECT typeof(${x})', { number: '-9223372036854775808' }, ['BIGINT']],
  ['SELECT typeof(${x})', { number: '170141183460469231731687303715884105727' }, ['HUGEINT']],
  ['SELECT typeof(${x})', { number: '0.125' }, ['DECIMAL(4,3)']],
  ['SELECT typeof(${x})', { number: '1e3' }, ['DOUBLE']],
  ['SELECT ${x}', { number: '-0.10' }, ['-0.10']],
  ["SELECT '\u00a0' || ${x}", 'a', ['\u00a0a']],
  [
    'SELECT ${x} - INTERVAL 1 DAY',
    { text: '2024-01-02T00:00:00.5Z', dataType: 'TIMESTAMPTZ' },
    ['2024-01-01T00:00:00.500Z'],
  ],
  [
    'SELECT ${x} + INTERVAL 1 MONTH',
    { text: '2024-01-31', dataType: 'DATE' },
    ['2024-02-29T00:00:00.000000'],
  ],
  ['SELECT id FROM orders WHERE day - 1 = ${x}', { text: '2024-01-03', dataType: 'DATE' }, [3]],
  ['SELECT typeof(${x})', { text: '1.50', dataType: 'DECIMAL(10,2)' }, ['DECIMAL(10,2)']],
  ['SELECT ${x} * 2', { text: '1.50', dataType: 'DECIMAL(10,2)' }, ['3.00']],
  ['SELECT ${x} + ${x}', { text: 'P1M2DT3H', dataType: 'INTERVAL' }, ['P2M4DT6H']],
  ['SELECT octet_length(${x})', { text: 'AAEC', dataType: 'BLOB' }, [3]],
  ['SELECT ${x}', { text: 'infinity', dataType: 'TIMESTAMP' }, ['infinity']],
  ['SELECT one${x} FROM (SELECT 1 AS one) AS one WHERE 1 = ${x}', { number: '1' }, ['refused']],
])('%s is answered with %j', async (sql, value, expected) => {
  expect(await run(sql, value).then(cellsIn, () => ['refused'])).toEqual(expected);
});

test('it says what is wrong with a placeholder, and where', async () => {
  expect((await outcomeOf(run("SELECT '${x}'", 'a'))).message).toMatch(/^\$\{x\} is inside quotes/);
  const message = (await outcomeOf(run('SELECT ${x},\n  DATE ${x}', 'a'))).message;
  expect(message).toContain('line 2, column 9');
  expect(message).toContain('CAST(${…} AS DATE)');
});

const places = [
  '%',
  "'a''b' || %",
  "E'a\\'b' || %",
  "E'abc'\n%",
  'E%',
  'x%',
  "/* /* ' */ */ %",
  '$$a$$ || %',
  '$é$ % $é$',
  '%::VARCHAR',
  "% || E'\\''",
  'concat(%, %)',
  '(SELECT % FROM orders LIMIT 1)',
  "CASE WHEN % IS NULL THEN '' ELSE % END",
];
const pieces = [
  "'",
  "\\'",
  "''",
  "'; SELECT 2; --",
  ' AS a UNION ALL SELECT name FROM orders --',
  '*/ 1 /*',
  '$$',
  '$é$',
  '$p1',
  '${x}',
  '\\',
  '"',
  "\n'--",
  "E'",
  'a',
  'ü',
  '\u00a0',
  ' ',
];

test('whatever a value holds, the statement is the one for a harmless value, and reads the same tables', async () => {
  const random = createRandom(34, 'placeholders');
  for (let round = 0; round < 150; round += 1) {
    const value = Array.from({ length: random.int(0, 6) }, () => random.pick(pieces)).join('');
    const chosen = Array.from({ length: random.int(1, 3) }, () => random.pick(places));
    const sql = `SELECT ${chosen.map((place, index) => `${place.replaceAll('%', () => source)} AS c${index}`).join(', ')}`;
    const textFor = (one: SqlValue) => withParameters(sql, new Map([[source, one]])).sql;
    expect(textFor(value)).toBe(textFor('harmless'));
    const [hostileRun, harmlessRun] = await Promise.allSettled([run(sql, value), run(sql, 'harmless')]);
    expect(hostileRun.status).toBe(harmlessRun.status);
    if (hostileRun.status === 'rejected' || harmlessRun.status === 'rejected') continue;
    expect(hostileRun.value.scannedRelationIds).toEqual(harmlessRun.value.scannedRelationIds);
    const cells = cellsIn(hostileRun.value);
    expect(cells).toHaveLength(chosen.length);
    for (const cell of cells) expect(cell).toContain(value);
  }
});

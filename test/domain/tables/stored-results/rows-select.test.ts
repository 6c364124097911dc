import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { QueryAnswer } from '../../../../domain/tables/query/pool/pool.ts';
import { rowsSelect, storeRows } from '../../../../domain/tables/stored-results/stored-results.ts';
import { createRandom, type Random } from '../../../faults/random.ts';
import { openTestQueries, type TestQueries } from '../query/support.ts';

let queries: TestQueries;

beforeAll(async () => {
  queries = await openTestQueries([]);
});

afterAll(() => queries?.close());

/** What a statement answers over the kept rows of another one. */
async function over(kept: QueryAnswer, sql: string): Promise<unknown[][]> {
  const objects = new Map<string, Uint8Array>();
  const rows = await storeRows(
    { put: async (key: string, body: Uint8Array) => void objects.set(key, body) },
    'key',
    kept,
  );
  const definition = await rowsSelect(
    { read: async (key: string) => Readable.from([Buffer.from(objects.get(key)!)]) },
    rows,
  );
  const input = { name: 'input', id: 'input', definition, reads: [] };
  return cellsOf(await queries.run(sql, { relations: [input] }));
}

const cellsOf = ({ rowsWithColumnOrderJson }: QueryAnswer): unknown[][] =>
  (JSON.parse(rowsWithColumnOrderJson!) as { value: unknown }[][]).map((row) =>
    row.map(({ value }) => value),
  );

/** A value of each type, and the type in which it comes back, if another. */
const values: [value: string, type?: string][] = [
  ['3000000000'],
  ['(-9223372036854775808)::BIGINT'],
  ['7::TINYINT', 'BIGINT'],
  ['4294967295::UINTEGER', 'BIGINT'],
  ['18446744073709551615::UBIGINT'],
  ['(-170141183460469231731687303715884105728)::HUGEINT'],
  ['340282366920938463463374607431768211455::UHUGEINT'],
  ["'123456789012345678901234567890123456789012345678901234567890'::BIGNUM"],
  ['0.1::FLOAT'],
  ['0.1::DOUBLE'],
  ['1e300::DOUBLE'],
  ["'-inf'::DOUBLE"],
  ["'nan'::DOUBLE"],
  ['1.50::DECIMAL(10,2)'],
  ['-12345678901234567890123456789.123456789::DECIMAL(38,9)'],
  ['true'],
  ["''::VARCHAR"],
  ["'it''s \"ü\" \\ \u{1f600}' || chr(10) || chr(0) || 'é'"],
  ["'null'::VARCHAR"],
  ["DATE '2024-02-29'"],
  ["DATE '0044-03-15 (BC)'"],
  ["'infinity'::DATE"],
  ["TIME '12:34:56.789012'"],
  ["TIME_NS '12:34:56.789012345'"],
  ["TIMETZ '12:34:56.789012+05:30'"],
  ["TIMESTAMP '2024-02-29 12:34:56.789012'"],
  ["'-infinity'::TIMESTAMP"],
  ["'2024-02-29 12:34:56'::TIMESTAMP_S"],
  ["'2024-02-29 12:34:56.789'::TIMESTAMP_MS"],
  ["'2024-02-29 12:34:56.789012345'::TIMESTAMP_NS"],
  ["TIMESTAMPTZ '2024-02-29 12:34:56.789012+02'"],
  ["INTERVAL '-14 months 3 days -4 hours 5 minutes 6.5 seconds'"],
  ["INTERVAL '5 minutes'"],
  ["INTERVAL '0 seconds'"],
  ["'\\x00\\xFFab'::BLOB"],
  ["''::BLOB"],
  ["'0101'::BIT"],
  ["'01234567-89ab-cdef-0123-456789abcdef'::UUID"],
  ["'it''s, (so)'::ENUM('it''s, (so)', 'b')"],
  [`'{"a":[1.1,12345678901234567890123.456]}'::JSON`],
  ['\'"text"\'::JSON'],
  ['[1, 2]', 'BIGINT[]'],
  ['[[1.5, NULL], NULL, []]', 'DECIMAL(2,1)[][]'],
  ['[1, 2, 3]::BIGINT[3]'],
  ["{'a': 1::BIGINT, 'B c\"d''e': ['x', NULL], 'n': NULL::DATE}"],
  ["MAP {2::BIGINT: 'b', 10: NULL}"],
  ["MAP {TIMESTAMPTZ '2024-02-29 12:00:00Z': [INTERVAL 1 DAY]}"],
  ["[{'a': 'ab'::BLOB, 'b': INTERVAL '1 month 2 minutes', 'c': ['\\xFF'::BLOB]}, NULL]"],
  ["MAP {'k': {'b': ''::BLOB}}"],
  ["['0101'::BIT]::BIT[1]"],
  ["['x'::ENUM('x', 'y')]", 'VARCHAR[]'],
  ["[TIMETZ '12:00:00+01']"],
  ['1.5::DOUBLE::VARIANT'],
];

test.each(values)('a kept %s is what it was', async (value, type) => {
  const kept = await queries.run(`SELECT ${value} AS "a ""b" UNION ALL SELECT NULL`);
  const of = type === undefined ? value : `(${value})::${type}`;
  const seen = await over(
    kept,
    `SELECT typeof("a ""b") = typeof(${of}), "a ""b" IS NOT DISTINCT FROM ${of}, "a ""b" IS NULL FROM input`,
  );
  expect(seen).toEqual([
    [true, true, false],
    [true, false, true],
  ]);
});

test.each([
  ["row(1, 'a')", 'STRUCT("1" BIGINT, "2" VARCHAR)', '{"1":1,"2":"a"}'],
  ['union_value(a := 1)', 'JSON', '1'],
  ["union_value(a := 'x')", 'JSON', '"x"'],
  ["{'u': union_value(a := 1)}", 'STRUCT(u JSON)', '{"u":1}'],
  ['MAP {[1]: 2}', 'JSON', '{"[1]":2}'],
])('%s is kept as its answer has it: %s', async (value, type, json) => {
  const kept = await queries.run(`SELECT ${value} AS a`);
  expect(await over(kept, 'SELECT typeof(a), to_json(a)::VARCHAR FROM input')).toEqual([[type, json]]);
});

/** A nested value of a random type; a part of it may be NULL. */
function nested(random: Random, depth: number): string {
  const kind = random.int(0, depth === 0 ? 0 : 3);
  const inner = depth === 0 ? '' : nested(random, depth - 1);
  const orNull = random.chance(0.2) ? ', NULL' : '';
  if (kind === 1) return `[${inner}${orNull}]`;
  if (kind === 2) return `{'${random.pick(['a', 'A b', 'STRUCT', '",'])}': ${inner}, 'z': NULL::INTERVAL}`;
  if (kind === 3) return `MAP {'${random.pick(['k', '1', ''])}': ${inner}}`;
  return random.pick([
    '1::BIGINT',
    "'t''x'",
    '1.25',
    "INTERVAL '1 year -3 seconds'",
    "'\\x00'::BLOB",
    "TIMESTAMPTZ '2024-01-01 00:00:00.5Z'",
    "'[1]'::JSON",
  ]);
}

test('whatever is nested in whatever, it is what it was', async () => {
  const random = createRandom(7, 'kept values');
  for (let round = 0; round < 25; round += 1) {
    const list = Array.from({ length: 4 }, () => nested(random, 3));
    const columns = list.map((value, index) => `${value} AS c${index}`).join(', ');
    const same = list.map((value, index) => `typeof(c${index}) = typeof(${value}) AND c${index} = ${value}`);
    const seen = await over(await queries.run(`SELECT ${columns}`), `SELECT ${same.join(', ')} FROM input`);
    expect(seen, columns).toEqual([[true, true, true, true]]);
  }
});

test('as many rows as a query gives are read, in their order, with their names', async () => {
  const kept = await queries.run(
    `SELECT range AS n, repeat('"', 700) AS "t", [range] AS "l" FROM range(10000)`,
    { limit: 10_000, rowFormat: 'rows_with_column_order' },
  );
  expect(kept.rowsWithColumnOrderJson!.length).toBeGreaterThan(14_000_000);
  const sql = 'SELECT count(*), sum(n), max(length(t)), sum(len(l)) FROM input';
  expect(await over(kept, sql)).toEqual([[10_000, 49_995_000, 700, 10_000]]);
  const none = await queries.run('SELECT 1 AS n WHERE false');
  expect(await over(none, 'SELECT count(n) FROM input')).toEqual([[0]]);
});

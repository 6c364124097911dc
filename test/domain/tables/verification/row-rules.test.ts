import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { identifier } from '../../../../data/lake/sql.ts';
import { columnsOfCondition } from '../../../../domain/tables/verification/condition-columns.ts';
import {
  countFailing,
  countSampled,
  failingWhere,
  fewValued,
  type RowRule,
  sampledSets,
} from '../../../../domain/tables/verification/row-rules.ts';

const names = [
  'a',
  'A "quoted" name',
  'n',
  'nulls',
  'rows of a',
  ...Array.from({ length: 60 }, (_, at) => `x${at}`),
];

/** Each column lacks values now and then, and has few of them. */
async function openRows(rows: number) {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const columns = names.map(
    (name, at) =>
      `CASE WHEN hash(i + ${at}) % ${at + 3} > 0 THEN CAST(hash(i * ${at + 1}) % 7 AS BIGINT) END AS ${identifier(name)}`,
  );
  await connection.run(`CREATE TABLE this AS SELECT ${columns.join(', ')} FROM range(${rows}) AS t(i)`);
  return async (sql: string) => {
    const [row] = (await connection.runAndReadAll(sql)).getRowObjects();
    return Object.fromEntries(Object.entries(row!).map(([name, value]) => [name, Number(value)]));
  };
}

const nulls = (...columns: string[]): RowRule => ({ by: 'nulls', columns });
const value = (column: string, below: number): RowRule => ({
  by: 'value',
  column,
  failing: `coalesce(${identifier(column)} < ${below}, true)`,
});
const condition = (holds: string, columns?: string[]): RowRule => ({ by: 'condition', holds, columns });

const many = (rules: number, make: (at: number) => RowRule): RowRule[] =>
  Array.from({ length: rules }, (_, at) => make(at));

const sets: Record<string, RowRule[]> = {
  'a few of each': [
    nulls('a'),
    nulls('a', 'n'),
    value('n', 3),
    condition('"nulls" > 2'),
    condition('CAST(NULL AS BOOLEAN)'),
  ],
  'on the nulls of no column': [nulls(), nulls('a'), nulls()],
  'only on the nulls of no column': [nulls(), nulls()],
  'many on the values of a column': names.slice(0, 5).flatMap((name) => many(7, (at) => value(name, at))),
  'many on the nulls of few columns': many(60, (at) => nulls(names[at % 5]!, names[(at * 3 + 1) % 5]!)),
  'on the nulls of as many columns as a pattern has': many(200, (at) =>
    nulls(names[at % 62]!, names[(at + 7) % 62]!),
  ),
  'many that are decided by the same columns, in any order': [
    ...many(9, (at) => condition(`a + n > ${at}`, ['a', 'n'])),
    ...many(9, (at) =>
      condition(`n * "rows of a" <> ${at}`, at % 2 === 0 ? ['n', 'rows of a'] : ['rows of a', 'n']),
    ),
    ...many(5, (at) => value('nulls', at)),
    ...many(5, (at) => condition(`"nulls" <> ${at}`, ['nulls'])),
    ...many(5, (at) => condition(`x1 <> ${at}`)),
  ],
  'on the nulls of more columns': many(200, (at) => nulls(names[at % 65]!, names[(at + 7) % 65]!)),
};

for (const [what, rules] of Object.entries(sets))
  for (const rows of [0, 1_000])
    test(`rules counted together are counted as each alone: ${what}, ${rows} rows`, async () => {
      const read = await openRows(rows);
      const alone = await Promise.all(
        rules.map((rule) => read(`SELECT count(*) AS n FROM this WHERE ${failingWhere(rule)}`)),
      );
      const expected = Object.fromEntries(alone.map(({ n }, at) => [`c${at}`, n]));
      expect(await read(countFailing(rules))).toEqual(expected);
      const keys = sampledSets(rules).map(({ key }) => key);
      expect(await read(countFailing(rules, new Set(keys)))).toEqual(expected);
    });

test('sets of columns that decide many rules are sampled, unless their values are counted anyway', async () => {
  const rules = [
    ...many(8, (at) => condition(`a > ${at}`, ['a'])),
    ...many(8, (at) => condition(`a < n + ${at}`, at % 2 === 0 ? ['a', 'n'] : ['n', 'a'])),
    ...many(7, (at) => condition(`n > ${at}`, ['n'])),
    ...many(8, (at) => condition(`x1 > ${at}`)),
    ...many(4, (at) => value('nulls', at)),
    ...many(8, (at) => condition(`"nulls" > ${at}`, ['nulls'])),
  ];
  const sets = sampledSets(rules);
  expect(sets.map(({ columns }) => columns)).toEqual([['a'], ['a', 'n']]);
  const read = await openRows(1_000);
  expect(await read(countSampled(sets))).toEqual({
    n: expect.any(Number),
    ...{ c0: expect.any(Number), c1: expect.any(Number) },
  });
});

test('values are few where they are at most three of ten rows, wherever they are in the table', async () => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run(`CREATE TABLE this AS SELECT i // 10 AS few, CASE WHEN i < 300000 THEN 0 ELSE i END AS later,
    i AS each FROM range(2000000) AS t(i)`);
  const names = ['few', 'later', 'each'];
  const sets = sampledSets(names.flatMap((name) => many(8, (at) => condition(`${name} > ${at}`, [name]))));
  const [row] = (await connection.runAndReadAll(countSampled(sets))).getRowObjects();
  expect(fewValued(sets, row)).toEqual(new Set([sets[0]!.key]));
  // Of a small table the sample may be empty.
  expect(fewValued(sets, { n: 0n, c0: 0n, c1: 3_000n, c2: 3_001n })).toEqual(
    new Set(sets.slice(0, 2).map(({ key }) => key)),
  );
});

test('zero and minus zero are decided alike by what is counted together', async () => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run(`CREATE TABLE this AS SELECT CASE i % 3 WHEN 0 THEN 0.0::DOUBLE WHEN 1 THEN -0.0::DOUBLE
    ELSE 'nan'::DOUBLE END AS ratio FROM range(99) AS t(i)`);
  const column = { name: 'ratio', dataType: 'DOUBLE', nullable: true, typing: 'declared' } as const;
  const holds = [
    ...['ratio = 0', 'ratio < 0', '-ratio >= 0', 'ratio * -2 < 0', 'ratio / 3 < 0', '0 - ratio = ratio'],
    ...['ratio > 1', 'ratio IN (0)', 'ratio <> ratio', 'ratio BETWEEN -1 AND 0'],
  ];
  const rules = holds.map((text) => condition(text, columnsOfCondition(text, [column])));
  const [set, ...more] = sampledSets(rules);
  expect(more).toEqual([]);
  const read = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson();
  expect(await read(countFailing(rules, new Set([set!.key])))).toEqual(await read(countFailing(rules)));
});

import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { identifier } from '../../../../data/lake/sql.ts';
import {
  countFailing,
  failingWhere,
  type RowRule,
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
const condition = (holds: string): RowRule => ({ by: 'condition', holds });

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
  'many on the values of a column': names.slice(0, 5).flatMap((name) => many(7, (at) => value(name, at))),
  'many on the nulls of few columns': many(60, (at) => nulls(names[at % 5]!, names[(at * 3 + 1) % 5]!)),
  'on the nulls of as many columns as a pattern has': many(200, (at) =>
    nulls(names[at % 62]!, names[(at + 7) % 62]!),
  ),
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
    });

import { expect, test } from 'vitest';
import { openPivots, withPivotValues } from '../../index.ts';

const resolved = (sql: string) =>
  withPivotValues(
    sql,
    openPivots(sql).map(({ at }) => ({ at, values: ['a', "it's"] })),
  );

test.each([
  ['PIVOT t ON kind USING sum(x)', "PIVOT t ON kind IN ('a', 'it''s') USING sum(x)"],
  ['PIVOT t ON kind', "PIVOT t ON kind IN ('a', 'it''s')"],
  [
    'pivot t on kind, year using sum(x);',
    "pivot t on kind IN ('a', 'it''s'), year IN ('a', 'it''s') using sum(x);",
  ],
  [
    'PIVOT t ON (a || b) USING count(*) GROUP BY c',
    "PIVOT t ON (a || b) IN ('a', 'it''s') USING count(*) GROUP BY c",
  ],
  ['FROM (PIVOT t ON kind USING sum(x)) p', "FROM (PIVOT t ON kind IN ('a', 'it''s') USING sum(x)) p"],
  [
    'PIVOT (SELECT * FROM a JOIN b ON a.i = b.i) ON "on" USING sum(x)',
    `PIVOT (SELECT * FROM a JOIN b ON a.i = b.i) ON "on" IN ('a', 'it''s') USING sum(x)`,
  ],
  [
    'PIVOT t ON year IN (2000), kind USING sum(x)',
    "PIVOT t ON year IN (2000), kind IN ('a', 'it''s') USING sum(x)",
  ],
])('%s gets a list of values', (sql, expected) => {
  expect(resolved(sql)).toBe(expected);
});

test.each([
  'SELECT 1',
  "SELECT 'PIVOT t ON kind' AS x",
  '-- PIVOT t ON kind\nSELECT 1',
  'PIVOT t ON year IN (2000, 2010) USING sum(x)',
  'FROM t PIVOT (sum(x) FOR year IN (2000, 2010))',
])('%s stays as it is', (sql) => {
  expect(openPivots(sql)).toEqual([]);
});

test('values are read from what the PIVOT reads, with the common table expressions before it', () => {
  expect(openPivots('WITH q AS (SELECT 1 AS k) PIVOT q ON k USING count(*)')[0]!.valuesSql).toBe(
    'WITH q AS (SELECT 1 AS k) SELECT CAST(v AS VARCHAR) AS v FROM (SELECT DISTINCT k AS v FROM q) AS listed WHERE v IS NOT NULL ORDER BY listed.v',
  );
});

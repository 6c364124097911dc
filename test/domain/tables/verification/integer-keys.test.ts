import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { compileTest } from '../../../../domain/tables/verification/compile.ts';
import { compareKey, surveyKey } from '../../../../domain/tables/verification/integer-keys.ts';

/** Whether the values are found to differ; undefined where it is not looked at. */
async function differ(values: string): Promise<unknown> {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run(`CREATE TABLE this AS ${values}`);
  const read = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjects()[0];
  const compare = compareKey('K "1"', await read(surveyKey('K "1"')), 200_000);
  return compare === undefined ? undefined : (await read(compare))?.['differ'];
}

const each = (value: string, type = 'BIGINT', rows = 200_000) =>
  `SELECT CAST(${value} AS ${type}) AS "k ""1""" FROM range(${rows}) AS t(i)`;

test.each([
  ['ascending', each('i')],
  ['with nulls', each('CASE WHEN i % 3 > 0 THEN i END')],
  ['descending from below zero', each('100000 - i')],
  ['of one byte, all that there are', each('i - 128', 'TINYINT', 256)],
  ['at the least BIGINT', each('i - 9223372036854775808')],
  ['at the greatest BIGINT', each('9223372036854775807 - i')],
  ['unsigned', each('i', 'UINTEGER')],
  ['of a wide range', each('i * 15')],
  ['a single one', each('5', 'INTEGER', 1)],
])('keys that differ: %s', async (_, values) => {
  expect(await differ(values)).toBe(true);
});

test.each([
  ['the last two', each('CASE WHEN i = 199999 THEN 199998 ELSE i END')],
  ['the last and the first, which the sample has', each('i % 199999')],
])('keys of which some repeat: %s', async (_, values) => {
  expect(await differ(values)).toBe(false);
});

test.each([
  ['no rows', each('i', 'BIGINT', 0)],
  ['nothing but null', each('NULL')],
  ['values that repeat from the start', each('i // 2')],
  ['a range so wide that bits would take longer', each('i * 17')],
  ['the widest range', each('CASE i WHEN 0 THEN 9223372036854775807 ELSE i - 9223372036854775808 END')],
])('keys that are not looked at: %s', async (_, values) => {
  expect(await differ(values)).toBeUndefined();
});

test('only a single column of integers, of many rows that are all looked at, is compared so', () => {
  const column = (name: string, dataType: string) =>
    ({ name, dataType, nullable: true, typing: 'declared' }) as const;
  const columns = [column('Id', 'INTEGER'), column('no', 'INTEGER'), column('code', 'STRING')];
  const subject = {
    columns,
    toTable: undefined,
    rowsBefore: undefined,
    versionAt: new Date(0),
    now: new Date(0),
  };
  const keyOf = (names: string[], more: object) =>
    compileTest({ kind: 'unique', params: { columns: names } }, { ...subject, ...more }).integerKey;
  expect(keyOf(['id'], { rows: 1_000_000 })).toBe('Id');
  expect(keyOf(['id'], { rows: 999_999 })).toBeUndefined();
  expect(keyOf(['id'], {})).toBeUndefined();
  expect(keyOf(['id', 'no'], { rows: 1_000_000 })).toBeUndefined();
  expect(keyOf(['code'], { rows: 1_000_000 })).toBeUndefined();
  expect(keyOf(['id'], { rows: 1_000_000, newRows: 'added' })).toBeUndefined();
});

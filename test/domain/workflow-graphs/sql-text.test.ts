import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { sqlPieces } from '../../../domain/workflow-graphs/sql-text.ts';
import { boundSql } from '../../../domain/workflow-graphs/sql-values.ts';
import { createRandom } from '../../faults/random.ts';

const given = '${params.x}';

test.each([
  [`SELECT ${given}`],
  [`SELECT 'it''s' || ${given}`],
  [`SELECT "a""b", ${given} -- none`],
  [`SELECT /* a /* b */ c */ ${given}`],
  [`SELECT $$ quoted ' $$ || ${given}`],
  [`SELECT $tag$ $$ ' $tag$ || ${given}`],
  [`SELECT E'it\\'s' || ${given}`],
  [`SELECT one${given}`],
])('a value may stand in %s', (sql) => {
  expect(sqlPieces(sql)).toContainEqual({ placeholder: 'params.x' });
});

test.each([
  [`SELECT '${given}'`],
  [`SELECT "${given}"`],
  [`SELECT 1 -- ${given}`],
  [`SELECT /* /* */ ${given} */ 1`],
  [`SELECT $$${given}$$`],
  [`SELECT $a$ $$ ${given} $a$`],
  [`SELECT E'\\'${given}'`],
  [`SELECT 'open ${given}`],
  [`SELECT /* open ${given}`],
  [`SELECT $$ open ${given}`],
])('it is refused in %s', (sql) => {
  expect(sqlPieces(sql)).toHaveProperty('message');
});

test('what a value holds stays one value to the engine, wherever it may stand', async () => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const places = [
    '%',
    "'a''b' || %",
    'E%',
    'x%',
    "/* /* ' */ */ %",
    '$$a$$ || %',
    '%::VARCHAR',
    "% || E'\\''",
  ];
  const hostile = [
    "'",
    "\\'",
    "''",
    "'; SELECT 2; --",
    '*/ 1 /*',
    '$$',
    '$a$',
    '\\',
    '"',
    "\n'--",
    "E'",
    'a',
    'ü',
    ' ',
  ];
  const random = createRandom(1, 'values');
  for (let round = 0; round < 500; round += 1) {
    const value = Array.from({ length: random.int(0, 5) }, () => random.pick(hostile)).join('');
    const place = random.pick(places).replace('%', () => given);
    const sql = boundSql(`SELECT ${place} AS v, 'whole' AS end`, () => value);
    const answered = await connection.runAndReadAll(sql).catch(() => undefined);
    // Where the place makes no sense the engine refuses it; it never reads the value as anything else.
    if (answered === undefined) continue;
    const [row] = answered.getRowObjectsJson();
    expect(row).toMatchObject({ end: 'whole' });
    expect(String(row!['v'])).toContain(value);
  }
  connection.closeSync();
});

test('numbers and booleans are what they are, and nothing is NULL', () => {
  const bound = (value: unknown) => boundSql(`SELECT ${given}`, () => value).trim();
  expect(bound(1.5)).toBe('SELECT  (1.5)');
  expect(bound(true)).toBe('SELECT  TRUE');
  expect(bound(null)).toBe('SELECT  NULL');
  expect(() => bound([1, 2])).toThrow('is not one value');
  expect(() => bound('a\0b')).toThrow('no text has');
});

import { beforeAll, describe, expect, it } from 'vitest';
import {
  applyNames,
  checkDraft,
  checkStatement,
  type Parser,
  type StatementToCheck,
  withParameters,
} from '../../index.ts';
import { openParser, refusalOf } from '../support.ts';

const relations = [
  { id: 't1', name: 'orders' },
  { id: 't2', name: 'Größe "x"' },
  { id: 'v1', name: 'large', definition: 'SELECT * FROM orders WHERE amount > 9 -- large ones' },
  { id: 't3', name: 'never built', refusal: 'It was never built.' },
];

let parser: Parser;
beforeAll(async () => {
  ({ parser } = await openParser());
});

const check = (sql: string, options: Partial<StatementToCheck> = {}) =>
  checkStatement(parser, { sql, relations, atVersions: new Map(), limit: undefined, ...options });

describe('a statement that may run', () => {
  it.each([
    ['SELECT amount FROM Orders', 'SELECT amount FROM lake.main."orders"'],
    ['FROM main.orders o', 'FROM lake.main."orders" o'],
    ['SELECT * FROM "größe ""X"""', 'SELECT * FROM lake.main."Größe ""x"""'],
    [
      'WITH orders AS (SELECT 1 AS a) SELECT * FROM orders',
      'WITH orders AS (SELECT 1 AS a) SELECT * FROM orders',
    ],
    ["SELECT 'orders' AS orders", "SELECT 'orders' AS orders"],
    ['DESCRIBE orders', 'DESCRIBE lake.main."orders"'],
  ])('%s has qualified tables', async (sql, expected) => {
    expect((await check(sql)).sql).toBe(expected);
  });

  it('reads what is behind a view, at the version of the view', async () => {
    const checked = await check('SELECT count(*) FROM large', { atVersions: new Map([['Large', 7]]) });
    expect(checked.scannedRelationIds).toEqual(['v1', 't1']);
    expect(checked.sql).toContain('(SELECT * FROM lake.main."orders" AT (VERSION => 7)');
    expect(checked.sql).toContain('AS "large"');
  });

  it('reads only added rows of a table at a version', async () => {
    const checked = await check('SELECT * FROM orders', {
      atVersions: new Map([['orders', 9]]),
      addedAfter: new Map([['orders', 7]]),
    });
    expect(checked.sql).toContain('AT (VERSION => 9) WHERE snapshot_id > 7');
  });

  it('stops after the wanted rows, unless it has a limit of its own', async () => {
    const limited = await check('SELECT * FROM orders;', { limit: 10 });
    expect(limited).toMatchObject({ sql: 'SELECT * FROM lake.main."orders"\nLIMIT 11', isBounded: true });
    expect((await check('FROM orders LIMIT 5', { limit: 10 })).isBounded).toBe(true);
    expect((await check('FROM orders LIMIT 50', { limit: 10 })).isBounded).toBe(false);
  });

  it('keeps the names of its columns', async () => {
    const { columnNames } = await check('SELECT 1 AS a, (SELECT max(id) FROM orders)');
    expect(applyNames(['a', 'b'], columnNames)).toEqual(['a', '(SELECT max(id) FROM orders)']);
  });

  it('lists the relations, and explains', async () => {
    expect((await check('SHOW TABLES')).sql).toContain(`('Größe "x"')`);
    expect((await check('EXPLAIN FROM orders', { mayExplain: true })).sql).toMatch(/^EXPLAIN +FROM lake/);
  });
});

describe('a statement that may not run', () => {
  it.each([
    ['DROP TABLE orders', /^query_not_read_only: Only one read-only SELECT/],
    ['SELECT 1; SELECT 2', /^query_not_read_only: Send exactly one/],
    [`SELECT * FROM read_csv('/etc/passwd')`, /"read_csv" doesn't exist, or isn't allowed/],
    [`SELECT * FROM '/etc/passwd'`, /doesn't exist, or isn't allowed/],
    ['SELECT * FROM other.main.orders', /"other\.main\.orders" doesn't exist/],
    ['SELECT * FROM nothing', /"nothing" doesn't exist/],
    ['SELECT * FROM duckdb_settings()', /"duckdb_settings" doesn't exist/],
    [`SELECT getenv('HOME')`, /"getenv" doesn't exist/],
    ['SELECT current_user', /"current_user" doesn't exist/],
    ['SELECT * FROM "never built"', /It was never built\./],
    ['SELECT $1', /has no value here/],
    ['SELECT * FROM orders AT (VERSION => null)', /AT takes a version as a whole number/],
    ['SELECT 1 \0', /NUL character/],
    ['SELECT *\nFROM', /^query_failed: Parser Error: .*\(line 2, column \d+\)/],
    ['EXPLAIN ANALYZE SELECT 1', /EXPLAIN takes no options here|Only one read-only/],
  ])('%j is refused', async (sql, message) => {
    expect(await refusalOf(check(sql, { mayExplain: true }))).toMatch(message);
  });

  it('is refused if it is nested too deeply', async () => {
    expect(await refusalOf(check(`SELECT ${'1+'.repeat(20_000)}1`))).toMatch(/^query_failed: /);
  });
});

describe('placeholders', () => {
  const fill = (sql: string, values: Record<string, unknown>) => {
    const filled = withParameters(sql, new Map(Object.entries(values)));
    return {
      filled,
      checked: check(filled.sql, { ...filled, relations: [...relations, ...filled.relations] }),
    };
  };

  it('become parameters and tables', async () => {
    const sql = 'SELECT * FROM ${table} WHERE amount > ${least}';
    const { filled, checked } = fill(sql, { '${table}': { table: 'orders' }, '${least}': 5 });
    expect(filled.parameters).toEqual([{ name: 'p1', source: '${least}', value: 5 }]);
    const { sql: rewritten, scannedRelationIds } = await checked;
    expect(rewritten).toMatch(/SELECT \* FROM lake\.main\."orders"[\s\S]*amount > +\$p1/);
    expect(scannedRelationIds).toEqual(['t1']);
  });

  it('are refused within quotes, and as names', async () => {
    expect(await refusalOf(fill(`SELECT '\${a}'`, { '${a}': 'x' }).checked)).toContain('inside quotes');
    expect(await refusalOf(fill('SELECT COLUMNS(${a}) FROM orders', { '${a}': 'x' }).checked)).toContain(
      'cannot choose the columns',
    );
    expect(await refusalOf(fill('SELECT * FROM ${a}', { '${a}': 'x' }).checked)).toContain(
      'A placeholder is a value',
    );
  });
});

it('tells the names that a draft needs', async () => {
  expect(await checkDraft(parser, { sql: 'FROM a JOIN main.b USING (id)' })).toEqual(['a', 'b']);
  expect(await refusalOf(checkDraft(parser, { sql: 'FROM other.x.a' }))).toContain('exist');
});

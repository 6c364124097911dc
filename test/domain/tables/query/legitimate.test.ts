import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import legitimate from './legitimate.json' with { type: 'json' };
import { openTestQueries, type TestQueries } from './support.ts';

const relations = [
  { name: 'orders', id: 'tbl_orders' },
  { name: 'regions', id: 'tbl_regions' },
  {
    name: 'cheap',
    id: 'view_cheap',
    definition: 'SELECT id, amount FROM orders WHERE amount < 5 -- cheap ones',
  },
  { name: 'nested', id: 'view_nested', definition: 'WITH c AS (FROM Cheap) SELECT id FROM c;' },
];

const tables = [
  `CREATE TABLE lake.main.orders AS SELECT range AS id, 'name' || range AS name, range * 1.5 AS amount,
     range % 4 AS region, DATE '2024-01-01' + range::INTEGER AS day, ['t' || range, 'x'] AS tags,
     json_object('k', range) AS doc FROM range(200)`,
  `CREATE TABLE lake.main.regions AS SELECT * FROM (VALUES (0, 'North'), (1, 'South')) r(region, label)`,
];
const views = [
  'CREATE VIEW cheap AS SELECT id, amount FROM orders WHERE amount < 5',
  'CREATE VIEW nested AS WITH c AS (FROM cheap) SELECT id FROM c',
];

let queries: TestQueries;
let bare: DuckDBInstance;

beforeAll(async () => {
  queries = await openTestQueries(relations);
  bare = await DuckDBInstance.create(':memory:');
  const connection = await bare.connect();
  await connection.run(`ATTACH ':memory:' AS lake; USE lake`);
  for (const name of ['json', 'icu', 'tpch']) {
    await connection.run(`LOAD '${queries.lake.extensionDir}/${name}.duckdb_extension'`);
  }
  for (const sql of tables) {
    await queries.lake.runAsWriter(sql);
    await connection.run(sql);
  }
  for (const sql of views) await connection.run(sql);
});

afterAll(async () => {
  await queries?.close();
  bare?.closeSync();
});

/** The engine's own answer to the statement, without the guard and its rewriting. */
async function bareAnswer(sql: string): Promise<{ names: string[]; rowCount: number; checksum: string }> {
  const connection = await bare.connect();
  await connection.run(`USE lake; SET TimeZone = 'UTC'`);
  const reader = await connection.runAndReadAll(sql.replace(/ AT \(VERSION => 1\)/, ''));
  const rows = reader.getRowsJson();
  return {
    names: reader.columnNames(),
    rowCount: rows.length,
    checksum: JSON.stringify(rows[0] ?? null).slice(0, 60),
  };
}

describe('runs as the bare engine does', () => {
  it.each(legitimate)('%s', async (sql) => {
    const answer = await queries.run(sql, { limit: 10_000 });
    const expected = await bareAnswer(sql);
    expect(answer.columns.map((column) => column.name)).toEqual(expected.names);
    expect(answer.rowCount).toBe(expected.rowCount);
    expect(JSON.parse(answer.rowsJson ?? '')).toHaveLength(expected.rowCount);
    expect(JSON.parse(answer.rowsWithColumnOrderJson ?? '')).toHaveLength(expected.rowCount);
  });

  it('takes spaces that are not ASCII', async () => {
    const answer = await queries.run(
      "SELECT\u00a0id,\u2003'a\u00a0b' AS\u3000t FROM\u00a0orders WHERE id = 1",
    );
    expect(answer.rowsJson).toBe('[{"id":1,"t":"a\u00a0b"}]');
  });
});

describe('runs the TPC-H queries', () => {
  const names = ['customer', 'lineitem', 'nation', 'orders', 'part', 'partsupp', 'region', 'supplier'];
  let tpch: TestQueries;
  let statements: string[];

  beforeAll(async () => {
    tpch = await openTestQueries(names.map((name) => ({ name, id: `tbl_${name}` })));
    await tpch.lake.runAsWriter('CREATE SCHEMA memory.tpch; USE memory.tpch; CALL dbgen(sf = 0.01)');
    for (const name of names) {
      await tpch.lake.runAsWriter(`CREATE TABLE lake.main.${name} AS FROM memory.tpch.${name}`);
    }
    const connection = await bare.connect();
    await connection.run('CREATE SCHEMA memory.tpch; USE memory.tpch; CALL dbgen(sf = 0.01)');
    const reader = await connection.runAndReadAll('SELECT query FROM tpch_queries() ORDER BY query_nr');
    statements = reader.getRows().map((row) => String(row[0]));
  });

  afterAll(() => tpch?.close());

  it('with the answers of the bare engine, all 22', async () => {
    const connection = await bare.connect();
    await connection.run('USE memory.tpch');
    expect(statements).toHaveLength(22);
    for (const sql of statements) {
      const answer = await tpch.run(sql, { limit: 10_000 });
      const expected = await connection.runAndReadAll(sql);
      expect(answer.columns.map((column) => column.name)).toEqual(expected.columnNames());
      const shown: { value: unknown }[][] = JSON.parse(answer.rowsWithColumnOrderJson ?? '');
      const got = shown.map((row) => row.map((cell) => Number(cell.value) || String(cell.value)));
      const wanted = expected.getRowsJson().map((row) => row.map((cell) => Number(cell) || String(cell)));
      expect(got).toEqual(wanted);
    }
  });
});

import { type DuckDBConnection, DuckDBInstance, VARCHAR } from '@duckdb/node-api';
import { beforeAll, expect, test } from 'vitest';
import {
  type Catalog,
  catalogStatement,
  contentTables,
  isCatalogStatement,
  openCatalog,
  refusedName,
  tokensOf,
} from '../index.ts';
import { corpus } from './corpus.ts';

let connection: DuckDBConnection;
let catalog: Catalog;

const settings = new Map([
  ['server_version', '18.0'],
  ['server_version_num', '180000'],
  ['search_path', 'main'],
]);
const session = { database: 'sales', user: 'somebody', processId: 7, settings };
const column = (name: string, oid: number, modifier = -1) => ({
  ...{ name, oid, modifier, isNullable: name !== 'id', description: '' },
});

beforeAll(async () => {
  connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
  const tables = contentTables([
    {
      ...{ id: 'tbl_1', name: 'orders', isView: false, description: 'One row an order.', keyColumns: ['id'] },
      columns: [column('id', 20), column('amount', 1700, ((18 << 16) | 2) + 4), column('tags', 1009)],
    },
    {
      ...{
        id: 'tbl_2',
        name: 'large',
        isView: true,
        description: '',
        keyColumns: [],
        definition: 'SELECT 1',
      },
      columns: [column('id', 20)],
    },
  ]);
  for (const { name, columns, rows } of tables) {
    const list = columns.map((each) => `${each.name} ${each.type}`).join(', ');
    await connection.run(`CREATE TABLE main.${name} (${list})`);
    for (const row of rows) {
      const values = row.map((value) => (value === null ? 'NULL' : `'${value}'`));
      await connection.run(`INSERT INTO main.${name} VALUES (${values.join(', ')})`);
    }
  }
  catalog = await openCatalog(connection);
});

async function ask(sql: string, values: readonly string[] = []): Promise<unknown[][]> {
  const { sql: rewritten, relations } = catalogStatement(sql, session.database);
  await catalog.prepare(relations, session);
  const named = Object.fromEntries(values.map((value, at) => [String(at + 1), value]));
  const types = Object.fromEntries(values.map((_, at) => [String(at + 1), VARCHAR]));
  const reader = await connection.runAndReadAll(rewritten, named, types);
  const plain = (value: unknown) => (typeof value === 'bigint' ? Number(value) : value);
  return reader.getRows().map((row) => row.map(plain));
}

test.each(corpus)('$client', async ({ sql, values, rows, isEmpty }) => {
  expect(isCatalogStatement(tokensOf(sql))).toBe(true);
  expect(refusedName(tokensOf(sql))).toBeUndefined();
  const found = await ask(sql, values);
  if (rows !== undefined) expect(found).toEqual(rows);
  else if (isEmpty === true) expect(found).toEqual([]);
  else expect(found.length).toBeGreaterThan(0);
});

test('a relation that does not exist is an error', async () => {
  await expect(ask(`SELECT 'nowhere'::regclass`)).rejects.toThrow('relation "nowhere" does not exist');
});

test('statements about own tables are none about the catalog', () => {
  for (const sql of [
    'SELECT * FROM orders',
    `SELECT 'pg_class', "version" FROM orders`,
    'SELECT pg_type FROM orders',
    'SELECT 1',
  ])
    expect(isCatalogStatement(tokensOf(sql)), sql).toBe(false);
});

test.each(['duckdb_settings()', 'json_execute_serialized_sql(1)', `"query"('SELECT 1')`, `read_text('/x')`])(
  'the engine itself is hidden: %s',
  (table) => {
    expect(refusedName(tokensOf(`SELECT * FROM ${table}, pg_class`))).toBeDefined();
  },
);

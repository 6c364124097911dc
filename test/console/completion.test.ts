import { CompletionContext } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import { expect, test } from 'vitest';
import { completeColumns } from '../../console/src/query/complete-columns.ts';
import { duckdb } from '../../console/src/query/dialect.ts';

const tables = { orders: ['city', 'amount', 'order'], 'Big shops': ['city', 'owner'] };

/** What is offered at the | of a statement. */
function offered(sql: string): unknown {
  const at = sql.indexOf('|');
  const state = EditorState.create({ doc: sql.replace('|', ''), extensions: duckdb.language });
  const found = completeColumns(tables)(new CompletionContext(state, at, false));
  return found?.options.map(({ apply }) => apply);
}

test('columns of the tables that a statement names are offered, and of all if it names none', () => {
  expect(offered('SELECT c|')).toEqual(['city', 'amount', '"order"', 'owner']);
  expect(offered('SELECT c| FROM Orders')).toEqual(['city', 'amount', '"order"']);
  expect(offered('SELECT c| FROM "big shops" JOIN orders')).toEqual(['city', 'owner', 'amount', '"order"']);
  expect(offered("SELECT c| FROM 'orders' -- orders\n")).toEqual(['city', 'amount', '"order"', 'owner']);
});

test('after FROM and JOIN no columns come before the tables', () => {
  for (const sql of ['SELECT * FROM o|', 'SELECT * FROM orders, B|', 'SELECT * FROM orders AS o JOIN b|'])
    expect(offered(sql), sql).toBeUndefined();
  expect(offered('SELECT * FROM orders WHERE c|')).toEqual(['city', 'amount', '"order"']);
});

test('nothing is offered after a point, in a text or in a comment', () => {
  for (const sql of ['SELECT orders.c| FROM orders', "SELECT 'a c|' FROM orders", '-- a c|', 'SELECT "c|'])
    expect(offered(sql), sql).toBeUndefined();
});

test('keywords are those of DuckDB', () => {
  expect(duckdb.spec.keywords).toMatch(/\bqualify\b/);
  expect(duckdb.spec.keywords).not.toMatch(/array_max_cardinality|family|\bname\b/);
});

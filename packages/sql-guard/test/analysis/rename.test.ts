import { beforeAll, expect, it } from 'vitest';
import { type Binder, followRenaming, type Parser, type Renaming } from '../../index.ts';
import { openBinder, openParser } from '../support.ts';

const relations = [
  {
    id: 't1',
    name: 'orders',
    columns: [
      { name: 'id', type: 'INTEGER' },
      { name: 'amount', type: 'DOUBLE' },
    ],
  },
  {
    id: 't2',
    name: 'refunds',
    columns: [
      { name: 'id', type: 'INTEGER' },
      { name: 'amount', type: 'DOUBLE' },
    ],
  },
];

let parser: Parser;
let binder: Binder;
beforeAll(async () => {
  ({ parser } = await openParser());
  binder = await openBinder();
});

const followed = async (query: string, renaming: Renaming) =>
  (await followRenaming(parser, binder, { query, relations }, renaming))?.query;

it('writes the new name of a table, and keeps the old one as an alias', async () => {
  const renaming = { relationId: 't1', to: 'sales' };
  expect(await followed('SELECT orders.id FROM orders -- all', renaming)).toBe(
    'SELECT orders.id FROM "sales" AS "orders" -- all',
  );
  expect(await followed('SELECT id FROM refunds', renaming)).toBeUndefined();
});

it('writes the new name of a column where that column is meant', async () => {
  const renaming = { relationId: 't1', column: 'amount', to: 'total' };
  expect(
    await followed('SELECT o.amount, r.amount AS back FROM orders o JOIN refunds r ON o.id = r.id', renaming),
  ).toBe('SELECT o."total" AS "amount", r.amount AS back FROM orders o JOIN refunds r ON o.id = r.id');
});

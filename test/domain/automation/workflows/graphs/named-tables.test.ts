import { expect, test } from 'vitest';
import { mentions } from '../../../../../domain/automation/workflows/graphs/named-tables.ts';

test.each([
  ['SELECT * FROM orders', 'orders', true],
  ['SELECT * FROM ORDERS o', 'orders', true],
  ['SELECT * FROM "Daily orders"', 'daily orders', true],
  ['SELECT * FROM "a""b"', 'a"b', true],
  ['SELECT * FROM main.orders, other', 'orders', true],
  ['SELECT orders_of_today FROM x', 'orders', false],
  ['SELECT * FROM reorders', 'orders', false],
  ['SELECT * FROM reorders JOIN orders USING (id)', 'orders', true],
  ['SELECT * FROM größe', 'größ', false],
  ['', 'orders', false],
])('%s mentions %s: %s', (text, name, expected) => {
  expect(mentions(text, name)).toBe(expected);
});

import { expect, it } from 'vitest';
import { camelCase } from '../src/camel-case.ts';

it.each([
  ['order_id', 'orderId'],
  ['ORDER_ID', 'ORDERID'],
  ['_sm_created_at', '_smCreatedAt'],
  ['__a_b', '__aB'],
  ['a__b', 'a_B'],
  ['a_', 'a_'],
  ['a_1', 'a1'],
  ['a_-b', 'a_-b'],
  ['größe_ü', 'größeÜ'],
  ['count_star()', 'countStar()'],
  ['a b', 'a b'],
  ['_', '_'],
  ['', ''],
])('turns %s into %s', (source, key) => {
  expect(camelCase(source)).toBe(key);
});

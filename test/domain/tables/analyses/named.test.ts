import { expect, test } from 'vitest';
import { namedIn } from '../../../../domain/tables/analyses/named.ts';
import { mayName } from '../../../../domain/tables/query/guard/relations.ts';
import { foldName } from '../../../../domain/tables/query/guard/tree.ts';

const names = [
  'orders',
  'Order',
  't',
  'ab',
  'a "quoted" one',
  '"',
  'orders_2',
  'rde',
  'ÄPFEL',
  'städte',
  '日本',
  '日本語表',
];
const relations = names.map((name, index) => ({
  id: `tbl_${index}`,
  name,
  kind: 'data' as const,
  isUnbuilt: false,
}));

test.each([
  '',
  't',
  'SELECT * FROM ORDERS',
  'SELECT x FROM "a ""quoted"" one"',
  'select äpfel from Städte, 日本語表',
  'FROM ab JOIN orders_2',
])('finds the same relations in %j as a search for each of them, in their order', (text) => {
  const folded = foldName(text);
  expect(namedIn(relations)(text)).toEqual(relations.filter(({ name }) => mayName(folded, name)));
});

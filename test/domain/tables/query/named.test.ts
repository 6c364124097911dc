import { expect, test } from 'vitest';
import { namedIn } from '../../../../domain/tables/query/named.ts';

const names = [
  ...['orders', 'Order', 't', 'ab', 'a "quoted" one', '"', 'orders_2', 'rde', 'sales 2024', "it's"],
  ...['ÄPFEL', 'städte', '日本', '日本語表', 'one-two', '$'],
];
const relations = names.map((name, index) => ({
  id: `tbl_${index}`,
  name,
  kind: 'data' as const,
  isUnbuilt: false,
}));
/** Without a word, so they may be anywhere. */
const wordless = ['"', '$'];

test.each([
  ['', []],
  ['t', ['t']],
  ['SELECT * FROM ORDERS', ['orders']],
  ['SELECT x FROM main."order"', ['Order']],
  ['SELECT x FROM "a ""quoted"" one"', ['a "quoted" one']],
  ['SELECT one, quoted AS a FROM ab', ['ab', 'a "quoted" one']],
  ["FROM 'it''s'", ["it's"]],
  ['FROM "Sales 2024"', ['sales 2024']],
  ['FROM "sales 20245"', []],
  ['FROM ab JOIN/**/orders_2', ['ab', 'orders_2']],
  ['FROM "one-two"', ['one-two']],
  ['select ÄPFEL from STäDTE,日本語表', ['ÄPFEL', 'städte', '日本語表']],
  // Other letters have their case, as in the engine.
  ['FROM äpfel', []],
  // The parser takes these for spaces.
  ['FROM\u00a0日本\u3000JOIN\u2003t\u200bJOIN\ufeffab', ['t', 'ab', '日本']],
])('%j may name %j', (text, expected) => {
  const found = namedIn(relations)(text).map(({ name }) => name);
  expect(found).toEqual(names.filter((name) => expected.includes(name) || wordless.includes(name)));
});

test('a long text and many names are not searched for in each other', () => {
  const many = Array.from({ length: 10_000 }, (_, at) => ({ ...relations[0]!, name: `other_${at}` }));
  const find = namedIn(many);
  // A search for each name would compare 5 billion characters.
  expect(find(`SELECT 1 -- ${'other_ '.repeat(70_000)}`)).toEqual([]);
  expect(find(`SELECT * FROM Other_7 -- ${'other_ '.repeat(70_000)}`)).toHaveLength(1);
});

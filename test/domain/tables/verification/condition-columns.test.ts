import { expect, test } from 'vitest';
import type { LakeColumn } from '../../../../domain/tables/tables/columns.ts';
import { columnsOfCondition } from '../../../../domain/tables/verification/condition-columns.ts';

const column = (name: string, dataType: string): LakeColumn => ({
  ...{ name, dataType, nullable: true, typing: 'declared' },
});
const columns = [
  column('amount', 'DECIMAL(18,2)'),
  column('Name', 'STRING'),
  column('a "b', 'INTEGER'),
  column('ratio', 'DOUBLE'),
  column('day', 'DATE'),
  column('seen_at', 'TIMESTAMP'),
  column('isOpen', 'BOOLEAN'),
  column('took', 'INTERVAL'),
  column('more', 'JSON'),
  column('random', 'INTEGER'),
  column('e', 'STRING'),
];

test.each([
  ['amount >= 0', ['amount']],
  ['AMOUNT>=.5 and amount < 1.', ['amount']],
  [`name IN ('a', 'it''s', '')`, ['Name']],
  ['"a ""b" + 1 <> amount', ['a "b', 'amount']],
  [`day >= DATE '2025-12-01' + 3 OR NOT isopen`, ['day', 'isOpen']],
  [`seen_at BETWEEN TIMESTAMP '2026-01-01' AND TIMESTAMP '2027-01-01'`, ['seen_at']],
  ['ratio <= 5 / 100', ['ratio']],
  ['ratio / 100 IS NOT NULL', ['ratio']],
])('%s reads %j alone', (condition, expected) => {
  expect(columnsOfCondition(condition, columns)).toEqual(expected);
});

test.each([
  ['reads no column', '1 = 1'],
  ['has a word that is not known', 'amount > 0 AND other'],
  ['calls a function', 'length(Name) > 1'],
  ['calls a function that has the name of a column', 'random() < 0.5 AND amount > 0'],
  ['calls it by a quoted name', '"random" () < 0.5'],
  ['has a statement in it', 'amount IN (SELECT amount FROM this)'],
  ['names the table', 'this.amount > 0'],
  ['divides by a column, which may be minus zero', '1 / ratio > 0'],
  ['divides by zero', 'ratio / 0 > 1'],
  ['divides by a bracket', '1 / (ratio) > 0'],
  ['raises to a power', 'ratio ** -1 > 0'],
  ['raises to a power with a space', 'ratio * * -1 > 0'],
  ['compares a number with a text in a row', `(ratio, amount) IN (('0.0', 1))`],
  ['compares a number with a text', `ratio = '-0.0'`],
  ['divides without a rest', '1 // ratio > 0'],
  ['makes a text of a number', `ratio || '' = '-0.0'`],
  ['compares a text with a number', 'Name = ratio'],
  ['has a column whose equal values differ', `took > '30 days'`],
  ['has a column of JSON', `more = '1'`],
  ['hides a column behind a comment', `amount > 1 -- '\n AND ratio > 2 -- '`],
  ['hides it in a longer comment', `amount > 1 /* ' */ AND ratio > 2 /* ' */`],
  ['has a text with escapes', `Name = e'\\'' AND amount > 1 AND Name <> '\\''`],
  ['has a text between dollars', `Name = $$'$$ AND ratio > 1 AND Name <> $$'$$`],
  ['has an open text', `Name = 'a`],
  ['has a parameter', 'amount > ?'],
])('a condition that %s is not looked into: %s', (_, condition) => {
  expect(columnsOfCondition(condition, columns)).toBeUndefined();
});

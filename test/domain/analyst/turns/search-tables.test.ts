import { expect, test } from 'vitest';
import { rate, searchWords } from '../../../../domain/analyst/turns/tools/search-tables.ts';

const table = (name: string, columns: readonly string[], description = '') =>
  ({
    name,
    description,
    note: '',
    columns: columns.map((column) => ({ name: column, dataType: 'STRING', nullable: true })),
  }) as never;

const ratingOf = (of: never, words: string) => rate(of, undefined, searchWords(words)).rating;

test('names are words, however they are written', () => {
  expect(searchWords('orderDate')).toEqual(['order', 'date']);
  expect(searchWords('Order dates, of_2024')).toEqual(['order', 'date', 'of', '2024']);
  expect(searchWords('')).toEqual([]);
});

test('a table is found by its name, before its columns, before what is written about it', () => {
  const words = 'flights';
  const named = ratingOf(table('flights', []), words);
  const held = ratingOf(table('plans', ['flight']), words);
  const noted = ratingOf(table('plans', [], 'What a flight costs'), words);
  expect(named).toBeGreaterThan(held);
  expect(held).toBeGreaterThan(noted);
  expect(noted).toBeGreaterThan(0);
  expect(ratingOf(table('plans', ['cost']), words)).toBe(0);
});

test('a word counts once, and its beginning for half', () => {
  const one = ratingOf(table('t', ['delay']), 'delay');
  expect(ratingOf(table('t', ['dep_delay', 'arr_delay', 'delay']), 'delay')).toBe(one);
  expect(ratingOf(table('t', ['dep']), 'departure')).toBe(one / 2);
  expect(rate(table('t', ['id', 'arr_delay', 'delay_code']), undefined, ['delay']).columns).toEqual([
    'arr_delay',
    'delay_code',
  ]);
});

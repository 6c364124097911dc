import { expect, test } from 'vitest';
import { filledIn, namesIn } from '../../../../domain/analyst/playbooks/parameters.ts';

test('a value is filled in wherever its parameter is named, and never read again', () => {
  const params = { a: '${b}', b: 7, none: null };
  expect(filledIn('${a} and ${b}, ${none}.', params)).toBe('${b} and 7, .');
});

test('what only looks like a parameter stays', () => {
  expect(filledIn('$a {a} ${1a} ${a b} $${a}', { a: 'x' })).toBe('$a {a} ${1a} ${a b} $x');
});

test('names are found once each', () => {
  expect(namesIn('${a} ${b} ${a}')).toEqual(['a', 'b']);
});

test('a name of every object is no parameter', () => {
  expect(filledIn('${constructor}', {})).toBe('');
});

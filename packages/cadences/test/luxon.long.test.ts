import { describe, test } from 'vitest';
import { expectRandomCadences, expectYear, years } from './like-luxon.ts';

describe('a year of every kind is what luxon makes of the rules', () => {
  test.each(years)('in %s', (...year) => expectYear(year));
});

test('a thousand cadences at any instant, in any zone', () => expectRandomCadences(1_000));

import { describe, expect, test } from 'vitest';
import { expectRandomCadences, expectYear, years } from './like-luxon.ts';

describe('a year of every kind is what luxon makes of the rules', () => {
  const some = years.filter(([zoneId]) => zoneId === 'Australia/Lord_Howe');
  test.each(some)('in %s', (...year) => expectYear(year));
  test('in a zone that is known', () => expect(some).toHaveLength(1));
});

test('eighty cadences at any instant, in any zone', () => expectRandomCadences(80));

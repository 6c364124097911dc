import { expect, test } from 'vitest';
import { randomNumbers, readMutated } from './conversations.ts';

test('a hundred thousand mutated conversations are read or refused', () => {
  const random = randomNumbers(7);
  const outcomes = Array.from({ length: 100_000 }, () => readMutated(random));
  expect(new Set(outcomes)).toEqual(new Set(['read', 'refused']));
});

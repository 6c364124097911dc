import { expect, test } from 'vitest';
import { randomNumbers, readMutated } from './conversations.ts';

test('mutated conversations are read or refused', () => {
  const random = randomNumbers(42);
  const outcomes = Array.from({ length: 5_000 }, () => readMutated(random));
  expect(new Set(outcomes)).toEqual(new Set(['read', 'refused']));
});

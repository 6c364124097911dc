import { expect, test } from 'vitest';
import { directedParts, isRightToLeft, mirrored, turned, visualOrder } from '../src/bidi.ts';

test('parts of one direction come in the order in which they are read', () => {
  const parts = directedParts('שלום 12 abc');
  expect(parts.map(({ text }) => text).join('')).toBe('שלום 12 abc');
  expect(parts.map(({ level }) => level % 2)).toEqual([1, 0, 1, 0]);
  expect(directedParts('abc')).toEqual([{ text: 'abc', level: 0, from: 0 }]);
});

test('a text is read from right to left by its first letter', () => {
  expect(['שלום abc', 'abc שלום', '123', '1. שלום'].map(isRightToLeft)).toEqual([true, false, false, true]);
});

test('parts of a line change places by their levels', () => {
  expect(visualOrder([0, 0, 0])).toEqual([0, 1, 2]);
  expect(visualOrder([1, 1, 1])).toEqual([2, 1, 0]);
  expect(visualOrder([0, 1, 1, 0])).toEqual([0, 2, 1, 3]);
  expect(visualOrder([1, 2, 2, 1])).toEqual([3, 1, 2, 0]);
});

test('brackets are turned, and nothing else', () => {
  expect(mirrored('(שלום) [a] 1<2')).toBe(')שלום( ]a[ 1>2');
  expect(turned('!?')).toBe('?!');
});

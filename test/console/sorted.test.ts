import { expect, test } from 'vitest';
import { sorted } from '../../console/src/parts/sorted.ts';

/** The values of a column of this type, in order. */
function inOrder(dataType: string, values: readonly unknown[], isDescending = false): unknown[] {
  const rows = values.map((value) => [value]);
  return sorted(rows, [{ dataType }], { at: 0, isDescending }).map((at) => values[at]);
}

test('integers that a double cannot tell apart are put in their order', () => {
  const big = ['9007199254740993', '9007199254740992', 5, '-9007199254740993', '9007199254740994', null];
  const small = ['-9007199254740993', 5, '9007199254740992', '9007199254740993', '9007199254740994'];
  expect(inOrder('BIGINT', big)).toEqual([...small, null]);
  expect(inOrder('HUGEINT', big, true)).toEqual([...small.reverse(), null]);
});

test('decimals are compared by all of their digits, whether they come as numbers or texts', () => {
  const values = ['12345678901234567890.02', 0.5, '12345678901234567890.01', '-0.25', -3, '10.00'];
  expect(inOrder('DECIMAL(38,2)', values)).toEqual([
    ...[-3, '-0.25', 0.5, '10.00'],
    ...['12345678901234567890.01', '12345678901234567890.02'],
  ]);
});

test('doubles that are no finite numbers have places too, and texts are compared as texts', () => {
  expect(inOrder('DOUBLE', ['NaN', 1e300, 'Infinity', '-Infinity', -1e-300, null])).toEqual([
    ...['-Infinity', -1e-300, 1e300, 'Infinity', 'NaN'],
    null,
  ]);
  expect(inOrder('VARCHAR', ['10', '9', 'a'])).toEqual(['10', '9', 'a']);
});

import { expect, test } from 'vitest';
import { parseExactJson } from '../../data/exact-json.ts';

test.each([
  '12345678901234567890',
  '-0.12345678901234567',
  '1e400',
  '-1.5E-400',
  '123456789012345678e2',
  '0.1000000000000000055511151231257827',
])('the number %s keeps its value wherever it stands', (number) => {
  for (const text of [number, `[${number}]`, `[1,${number}]`, `{"a":${number}}`, `{"a": [ ${number} ]}`]) {
    const written = JSON.stringify(parseExactJson(text));
    expect(written).toContain(number);
  }
});

test('ids and texts that look like numbers are texts', () => {
  const value = {
    id: 'tbl_01m87e5e9',
    text: '12345678901234567890',
    list: ['1e5', ':1e5', ', 99999999999999999'],
  };
  expect(parseExactJson(JSON.stringify(value))).toEqual(value);
});

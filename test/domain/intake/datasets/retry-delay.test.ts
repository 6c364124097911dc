import { expect, test } from 'vitest';
import { retryDelayOf } from '../../../../domain/intake/datasets/pages/retry-delay.ts';

const now = new Date('2026-01-01T00:00:00Z');

test.each([
  [200, {}, 0],
  [200, { 'retry-after': '5' }, 0],
  [429, { 'retry-after': '5' }, 5_000],
  [503, { 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT' }, 60_000],
  [429, { 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 0],
  [429, { 'retry-after': 'soon' }, 4_000],
  [429, {}, 4_000],
  [200, { 'ratelimit-remaining': '0', 'ratelimit-reset': '30' }, 30_000],
  [200, { 'ratelimit-remaining': '1', 'ratelimit-reset': '30' }, 0],
  [200, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1767225610' }, 10_000],
  [200, { ratelimit: '"default";r=0;t=7' }, 7_000],
  [200, { ratelimit: 'limit=10, remaining=0, reset=8' }, 8_000],
  [200, { ratelimit: '"default";r=3;t=7' }, 0],
  [429, { 'retry-after': '2', 'ratelimit-remaining': '0', 'ratelimit-reset': '9' }, 9_000],
] as const)('%i with %o asks for %i ms', (status, headers, ms) => {
  expect(retryDelayOf({ status, headers: new Headers(headers) }, now, 2)).toBe(ms);
});

test('without a word of it the pauses grow, to a minute', () => {
  const headers = new Headers();
  const pauses = [0, 1, 5, 6, 1_000].map((refusals) => retryDelayOf({ status: 429, headers }, now, refusals));
  expect(pauses).toEqual([1_000, 2_000, 32_000, 60_000, 60_000]);
});

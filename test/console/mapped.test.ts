import { expect, test } from 'vitest';
import { mapped } from '../../console/src/parts/mapped.ts';

const bar = 7_999_500;
const all = 600_000_000 - 500;

test('each place on the bar is one among all rows and back, both ends are reached, and none comes before another', () => {
  expect([mapped(0, bar, all), mapped(bar, bar, all), mapped(all, all, bar)]).toEqual([0, all, bar]);
  let before = -1;
  for (let place = 0; place <= bar; place += 1_499.5) {
    const among = mapped(place, bar, all);
    expect(among).toBeGreaterThan(before);
    expect(mapped(among, all, bar)).toBeCloseTo(place, 3);
    before = among;
  }
});

test('near both ends every row has a place of its own', () => {
  for (const near of [30, 300, 9_990]) {
    expect(mapped(near, bar, all)).toBe(near);
    expect(all - mapped(bar - near, bar, all)).toBe(near);
  }
});

test('a bar hardly longer than its frame has both ends too', () => {
  for (const [from, onto] of [
    [8, 900],
    [900, 8],
    [0, 0],
  ] as const)
    expect([mapped(0, from, onto), mapped(from, from, onto)]).toEqual([0, onto]);
});

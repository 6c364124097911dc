import { expect, test } from 'vitest';
import { addressGroup } from '../../api/plugins/address-group.ts';
import { tokenBuckets } from '../../api/plugins/token-buckets.ts';

/** Buckets with a clock that the test moves. */
function onClock(perMinute: number, maxNames?: number) {
  const clock = { ms: 1_800_000_000_000 };
  const options = maxNames === undefined ? {} : { maxNames };
  return { clock, buckets: tokenBuckets(perMinute, { ...options, now: () => clock.ms }) };
}

test('a bucket has its tokens, says when the next one is there, and fills up again', () => {
  const { clock, buckets } = onClock(10);
  const taken = Array.from({ length: 11 }, () => buckets.take('a'));
  expect(taken.map(({ admitted }) => admitted)).toEqual([...Array(10).fill(true), false]);
  expect(taken[0]).toEqual({ admitted: true, remaining: 9, waitSeconds: 0 });
  expect(taken[10]).toEqual({ admitted: false, remaining: 0, waitSeconds: 6 });
  expect(buckets.peek('a').admitted).toBe(false);
  clock.ms += 6_000;
  expect([buckets.take('a').admitted, buckets.take('a').admitted]).toEqual([true, false]);
  clock.ms += 60_000;
  expect(buckets.take('a').remaining).toBe(9);
  buckets.giveBack('a');
  expect(buckets.peek('a').remaining).toBe(10);
});

test('however many names come, a drained bucket stays drained until it filled up by itself', () => {
  const { clock, buckets } = onClock(10, 100);
  for (let index = 0; index < 10; index += 1) buckets.take('drained');
  for (let index = 0; index < 10_000; index += 1) buckets.take(`other ${index}`);
  expect(buckets.take('drained').admitted).toBe(false);
  // Names beyond the memory limit share one bucket, so that they are limited too.
  expect(buckets.take('one more').admitted).toBe(false);
  clock.ms += 59_000;
  for (let index = 0; index < 10_000; index += 1) buckets.take(`another ${index}`);
  expect(buckets.take('drained').remaining).toBe(8);
  clock.ms += 61_000;
  expect(buckets.take('drained').remaining).toBe(9);
  clock.ms += 121_000;
  expect(buckets.take('one more').remaining).toBe(9);
});

test('what is to be told to other processes never exceeds what the bucket itself lacks', () => {
  const { clock, buckets } = onClock(10);
  expect(buckets.takenSince(10)).toEqual([]);
  for (let minute = 0; minute < 10; minute += 1) {
    for (let index = 0; index < 10; index += 1) buckets.take('a');
    const told = buckets.takenSince(10);
    expect(told).toEqual([{ name: 'a', ms: 60_000 }]);
    for (const { name, ms } of told) buckets.restore(name, ms);
    clock.ms += 60_000;
  }
  buckets.take('a');
  expect(buckets.takenSince(10)).toEqual([{ name: 'a', ms: 6_000 }]);
  buckets.learn('a', 600_000);
  expect(buckets.peek('a')).toEqual({ admitted: false, remaining: 0, waitSeconds: 6 });
  clock.ms += 60_000;
  expect(buckets.peek('a').remaining).toBe(10);
});

test('the names that are to be told are limited, and those that filled up are forgotten', () => {
  const { clock, buckets } = onClock(10, 100);
  buckets.takenSince(1);
  for (let index = 0; index < 1_000; index += 1) buckets.restore(`name ${index}`, 6_000);
  buckets.take('late');
  expect(buckets.takenSince(1_000)).toEqual([]);
  buckets.take('early');
  clock.ms += 6_000;
  buckets.take('late');
  expect(buckets.takenSince(1)).toEqual([{ name: 'late', ms: 6_000 }]);
});

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
  ['2001:db8::9', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['64:ff9b::203.0.113.7', '64:ff9b:0:0::/64'],
  ['1:2:3:4:5:6:203.0.113.7', '1:2:3:4::/64'],
  ['nonsense', 'nonsense'],
])('the address %s is counted as %s', (address, group) => {
  expect(addressGroup(address)).toBe(group);
});

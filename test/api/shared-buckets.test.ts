import { expect, test } from 'vitest';
import { shareBuckets } from '../../api/plugins/shared-buckets.ts';
import { type TokenBuckets, tokenBuckets } from '../../api/plugins/token-buckets.ts';
import { useWorkspace } from '../support/workspace.ts';

const workspace = useWorkspace();
const perMinute = 100;
/** The process's own clock stands still, so that nothing refills while the test runs. */
const clock = { ms: 1_800_000_000_000 };
const stopped = { now: () => clock.ms };

function twoProcesses() {
  const warnings: unknown[] = [];
  const logger = { warn: (line: unknown) => void warnings.push(line) };
  const processes = [0, 1].map(() => {
    const buckets = tokenBuckets(perMinute, stopped);
    const shared = shareBuckets(workspace.deps.db, { callers: buckets }, logger);
    shared.stop();
    return { buckets, exchange: shared.exchange };
  });
  const [one, other] = processes as [(typeof processes)[0], (typeof processes)[0]];
  return { one, other, warnings };
}

const take = (buckets: TokenBuckets, name: string, times: number) =>
  Array.from({ length: times }, () => buckets.take(name)).filter(({ admitted }) => admitted).length;

test('what one process admits is taken from the other', async () => {
  const { one, other, warnings } = twoProcesses();
  await Promise.all([one.exchange(), other.exchange()]);
  expect(take(one.buckets, 'ada', 90)).toBe(90);
  await one.exchange();
  expect(take(other.buckets, 'ada', 1)).toBe(1);
  await other.exchange();
  // The database's clock goes on: at most the few tokens that refilled meanwhile come on top.
  const left = take(other.buckets, 'ada', 200);
  expect(left).toBeLessThan(90);
  expect(take(other.buckets, 'grace', 100)).toBe(100);
  expect(warnings).toEqual([]);
});

test('what is taken while an exchange is under way is not lost', async () => {
  const { one, other } = twoProcesses();
  await one.exchange();
  take(one.buckets, 'joan', 40);
  const exchanged = one.exchange();
  take(one.buckets, 'joan', 40);
  await exchanged;
  await one.exchange();
  await other.exchange();
  take(other.buckets, 'joan', 1);
  await other.exchange();
  expect(other.buckets.peek('joan').remaining).toBeLessThan(95);
});

test('a token that is given back is given back to all', async () => {
  const { one, other } = twoProcesses();
  await Promise.all([one.exchange(), other.exchange()]);
  take(one.buckets, 'mary', 100);
  for (let time = 0; time < 100; time += 1) one.buckets.giveBack('mary');
  await one.exchange();
  take(other.buckets, 'mary', 1);
  await other.exchange();
  expect(other.buckets.peek('mary').remaining).toBe(99);
});

test('without the database each process limits by itself, and tells the rest later', async () => {
  const { one, other, warnings } = twoProcesses();
  await Promise.all([one.exchange(), other.exchange()]);
  const { catalogPool } = workspace.deps.lake;
  take(one.buckets, 'rosa', 100);
  await catalogPool.query('ALTER TABLE rate_buckets RENAME TO rate_buckets_away');
  await one.exchange();
  await catalogPool.query('ALTER TABLE rate_buckets_away RENAME TO rate_buckets');
  expect(warnings).toHaveLength(1);
  expect(take(one.buckets, 'rosa', 1)).toBe(0);
  await one.exchange();
  take(other.buckets, 'rosa', 1);
  await other.exchange();
  expect(other.buckets.peek('rosa').remaining).toBeLessThan(95);
});

test('after the database was away for long, nobody waits longer than a bucket takes to fill', async () => {
  const { one, other } = twoProcesses();
  await Promise.all([one.exchange(), other.exchange()]);
  const { catalogPool } = workspace.deps.lake;
  await catalogPool.query('ALTER TABLE rate_buckets RENAME TO rate_buckets_away');
  for (let minute = 0; minute < 5; minute += 1) {
    expect(take(one.buckets, 'nelly', 40)).toBe(40);
    expect(take(one.buckets, 'drained', 200)).toBe(100);
    await one.exchange();
    clock.ms += 60_000;
  }
  await catalogPool.query('ALTER TABLE rate_buckets_away RENAME TO rate_buckets');
  expect(take(one.buckets, 'nelly', 1)).toBe(1);
  await one.exchange();
  expect(one.buckets.peek('nelly').remaining).toBe(99);
  expect(one.buckets.peek('drained').remaining).toBe(100);
});

test('however much several processes take at once, the bucket is full again a minute later', async () => {
  const { one, other } = twoProcesses();
  await Promise.all([one.exchange(), other.exchange()]);
  for (const { buckets } of [one, other]) take(buckets, 'burst', 100);
  await one.exchange();
  await other.exchange();
  const { rows } = await workspace.deps.lake.catalogPool.query(
    "SELECT 1 FROM rate_buckets WHERE full_at > now() + interval '1 minute'",
  );
  expect(rows).toEqual([]);
  clock.ms += 60_000;
  expect(other.buckets.peek('burst').remaining).toBe(100);
});

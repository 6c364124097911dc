import { describe, expect, test } from 'vitest';
import type { ReplicationLimits } from '../../../../domain/intake/data-connections/replication-policy.ts';
import {
  noUsage,
  type RequestUsage,
  releasePermit,
  renewRequest,
  takeRequest,
} from '../../../../domain/intake/data-connections/request-limits.ts';
import { createRandom } from '../../../faults/random.ts';

interface Sent {
  at: number;
  bytes: number;
  endedAt: number;
}

/**
 * Requests as fast as they are admitted, by several workers of varying speed; returns what the source sees.
 */
function simulate(limits: ReplicationLimits, seed: number, spanMs: number, workers = 3): Sent[] {
  const random = createRandom(seed, 'requests');
  const integer = (max: number) => random.int(0, max - 1);
  const sent: Sent[] = [];
  let usage: RequestUsage = noUsage;
  const busy: { id: string; takenAt: number; unused: number; until: number }[] = [];
  for (let now = 1_700_000_000_000 + integer(1e9), end = now + spanMs, id = 0; now < end; ) {
    for (const one of busy.filter(({ until }) => until <= now)) {
      busy.splice(busy.indexOf(one), 1);
      usage = releasePermit(usage, {
        id: one.id,
        now,
        takenAt: one.takenAt,
        unusedBytes: one.unused,
        blockedForMs: 0,
      });
    }
    let waitMs = 5;
    if (busy.length < workers) {
      id += 1;
      const request = { id: String(id), now, leaseMs: 200_000, maxBytes: 5_000, minBytes: 1 };
      const taken = takeRequest(usage, limits, request);
      if ('usage' in taken) {
        usage = JSON.parse(JSON.stringify(taken.usage)) as RequestUsage;
        const bytes = Math.min(taken.maxBytes, 1 + integer(5_000));
        const at = now + integer(20);
        const endedAt = at + 1 + integer(spanMs > 1e6 ? 30_000 : 60);
        busy.push({ id: String(id), takenAt: now, unused: taken.maxBytes - bytes, until: endedAt });
        sent.push({ at, bytes, endedAt });
        waitMs = 0;
      } else waitMs = taken.waitMs;
    }
    const next = Math.min(now + Math.max(waitMs, 1), ...busy.map(({ until }) => until));
    now = Math.max(next, now + (waitMs === 0 ? 0 : 1));
  }
  return sent;
}

function mostWithin(sent: readonly Sent[], spanMs: number, of: (one: Sent) => number): number {
  const times = sent.toSorted((a, b) => a.at - b.at);
  let most = 0;
  let sum = 0;
  let from = 0;
  for (const one of times) {
    sum += of(one);
    while (times[from]!.at <= one.at - spanMs) {
      sum -= of(times[from]!);
      from += 1;
    }
    most = Math.max(most, sum);
  }
  return most;
}

describe.each([1, 2, 3, 4, 5])('requests let out at random, seed %i', (seed) => {
  test('are never more in any second or minute than allowed, and nearly as many', () => {
    const sent = simulate({ requests_per_second: 20, requests_per_minute: 600 }, seed, 180_000);
    expect(mostWithin(sent, 1_000, () => 1)).toBeLessThanOrEqual(20);
    expect(mostWithin(sent, 60_000, () => 1)).toBeLessThanOrEqual(600);
    expect(sent.length).toBeGreaterThan(3 * 600 * 0.95);
  });

  test('are never more in any day, nor more bytes in any hour', () => {
    const limits = { requests_per_day: 2_000, response_bytes_per_hour: 1_000_000 };
    const sent = simulate(limits, seed, 3 * 86_400_000);
    expect(mostWithin(sent, 86_400_000, () => 1)).toBeLessThanOrEqual(2_000);
    expect(mostWithin(sent, 3_600_000, ({ bytes }) => bytes)).toBeLessThanOrEqual(1_000_000);
    expect(sent.length).toBeGreaterThan(2_000 * 2.8);
  });

  test('are never more at once', () => {
    const sent = simulate({ max_concurrency: 2 }, seed, 30_000, 5);
    for (const { at } of sent)
      expect(sent.filter((other) => other.at <= at && other.endedAt > at).length).toBeLessThanOrEqual(2);
  });
});

const ask = { id: 'a', now: 1_000_000, leaseMs: 1_000, maxBytes: 100, minBytes: 1 };

test('a source that asked for it is left alone, by all', () => {
  const usage = releasePermit(noUsage, { ...ask, takenAt: 0, unusedBytes: 0, blockedForMs: 5_000 });
  expect(takeRequest(usage, {}, { ...ask, now: 1_004_000 })).toEqual({
    waitMs: 1_000,
    waitsFor: 'source',
  });
  expect(takeRequest(usage, {}, { ...ask, now: 1_005_000 })).toHaveProperty('usage');
  const forEver = releasePermit(noUsage, { ...ask, takenAt: 0, unusedBytes: 0, blockedForMs: 1e15 });
  expect(takeRequest(forEver, {}, ask)).toEqual({ waitMs: 86_400_000, waitsFor: 'source' });
});

test('a request whose worker was lost counts until its time is over', () => {
  const taken = takeRequest(noUsage, { max_concurrency: 1 }, ask);
  if (!('usage' in taken)) throw new Error('It was not let out.');
  const next = { ...ask, id: 'b' };
  expect(takeRequest(taken.usage, { max_concurrency: 1 }, { ...next, now: 1_000_999 })).toHaveProperty(
    'waitMs',
  );
  expect(takeRequest(taken.usage, { max_concurrency: 1 }, { ...next, now: 1_001_000 })).toHaveProperty(
    'usage',
  );
  const renewed = renewRequest(taken.usage, { id: 'a', now: 1_000_900, leaseMs: 1_000 });
  expect(takeRequest(renewed, { max_concurrency: 1 }, { ...next, now: 1_001_800 })).toHaveProperty('waitMs');
  const settled = releasePermit(renewed, { ...ask, takenAt: 0, unusedBytes: 0, blockedForMs: 0 });
  expect(renewRequest(settled, { id: 'a', now: 1_000_900, leaseMs: 1_000 }).leases).toEqual([]);
});

test('what is kept is bounded, and a clock that is set back frees what lies ahead', () => {
  const limits = { requests_per_second: 1_000, requests_per_minute: 60_000, requests_per_day: 10_000_000 };
  let usage = noUsage;
  for (let now = 0; now < 2 * 86_400_000; now += 60_000) {
    const taken = takeRequest(usage, { ...limits, response_bytes_per_hour: 1e12 }, { ...ask, now });
    if ('usage' in taken)
      usage = releasePermit(taken.usage, { ...ask, now, takenAt: now, unusedBytes: 0, blockedForMs: 0 });
  }
  expect(JSON.stringify(usage).length).toBeLessThan(8_000);
  expect(takeRequest(usage, { requests_per_day: 1 }, { ...ask, now: 0 })).toHaveProperty('usage');
});

import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';

/** The only way in which tests wait. A machine that does other work is slow: no wait times out sooner. */
const leastMs = 180_000;
/** Between two looks: soon after the first, which find most of what is waited for, then less and less often. */
const firstIntervalMs = 20;
const mostIntervalMs = 150;

/** A longer timeout than the minimum, or a fixed interval. */
interface Patience {
  timeoutMs?: number;
  everyMs?: number;
}

/** Polls until `until` holds, and reports the last value if that never happens. */
export async function eventually<T>(
  look: () => T | Promise<T>,
  until: (seen: T) => boolean,
  { timeoutMs = leastMs, everyMs }: Patience = {},
): Promise<T> {
  const giveUpAt = Date.now() + Math.max(timeoutMs, leastMs);
  for (let intervalMs = everyMs ?? firstIntervalMs; ; ) {
    const seen = await look();
    if (until(seen)) return seen;
    if (Date.now() > giveUpAt) throw new Error(`Never came; last seen: ${JSON.stringify(seen)}`);
    await wait(intervalMs);
    if (everyMs === undefined) intervalMs = Math.min(intervalMs * 1.5, mostIntervalMs);
  }
}

/** The same with an expectation about the final value: `await expectEventually(count).toBe(2)`. */
export function expectEventually<T>(
  look: () => T | Promise<T>,
  { timeoutMs = leastMs, everyMs = 60 }: Patience = {},
) {
  return expect.poll(look, { timeout: Math.max(timeoutMs, leastMs), interval: everyMs });
}

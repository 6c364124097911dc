import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';

/** The only way in which tests wait. A machine that does other work is slow: no wait times out sooner. */
const leastMs = 180_000;
const intervalMs = 20;

/** A longer timeout than the minimum, or a longer polling interval. */
interface Patience {
  timeoutMs?: number;
  everyMs?: number;
}

/** Polls until `until` holds, and reports the last value if that never happens. */
export async function eventually<T>(
  look: () => T | Promise<T>,
  until: (seen: T) => boolean,
  { timeoutMs = leastMs, everyMs = intervalMs }: Patience = {},
): Promise<T> {
  for (const giveUpAt = Date.now() + Math.max(timeoutMs, leastMs); ; ) {
    const seen = await look();
    if (until(seen)) return seen;
    if (Date.now() > giveUpAt) throw new Error(`Never came; last seen: ${JSON.stringify(seen)}`);
    await wait(everyMs);
  }
}

/** The same with an expectation about the final value: `await expectEventually(count).toBe(2)`. */
export function expectEventually<T>(
  look: () => T | Promise<T>,
  { timeoutMs = leastMs, everyMs = intervalMs }: Patience = {},
) {
  return expect.poll(look, { timeout: Math.max(timeoutMs, leastMs), interval: everyMs });
}

import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';

/**
 * The one way in which tests wait. A machine that does other work beside them is slow: nothing gives up
 * sooner.
 */
const leastMs = 50_000;
const intervalMs = 20;

/** More than the least, or a look that is not to be made so often. */
interface Patience {
  timeoutMs?: number;
  everyMs?: number;
}

/** Looks again and again until `until` holds, and tells what it saw last where that never comes. */
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

/** The same with an expectation of what is seen at last: `await expectEventually(count).toBe(2)`. */
export function expectEventually<T>(
  look: () => T | Promise<T>,
  { timeoutMs = leastMs, everyMs = intervalMs }: Patience = {},
) {
  return expect.poll(look, { timeout: Math.max(timeoutMs, leastMs), interval: everyMs });
}

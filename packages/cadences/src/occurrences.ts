import type { Cadence } from './cadence.ts';
import { nextOccurrence, type Occurrence } from './next.ts';

const maxOccurrences = 100;

/**
 * The next fires strictly after an instant, 100 at most; fewer than `limit` if the cadence ends.
 *
 * @throws UnreadableCadence
 */
export function occurrences(
  cadence: Cadence,
  afterMs: number,
  createdAtMs: number,
  limit: number,
): Occurrence[] {
  const found: Occurrence[] = [];
  let sinceMs = afterMs;
  while (found.length < Math.min(limit, maxOccurrences)) {
    const next = nextOccurrence(cadence, sinceMs, createdAtMs);
    if (!next) break;
    found.push(next);
    sinceMs = next.atMs;
  }
  return found;
}

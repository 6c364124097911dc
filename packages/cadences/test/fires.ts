import type { Cadence } from '../src/cadence.ts';
import { occurrences } from '../src/occurrences.ts';

export const createdAtMs = Date.UTC(2026, 0, 15, 12, 3, 27, 500);

/** Instant, local time and note of the next fires. */
export function fires(cadence: Cadence, after: string, limit: number, createdMs = createdAtMs) {
  return occurrences(cadence, Date.parse(after), createdMs, limit).map(({ atMs, localTime, note }) => [
    new Date(atMs).toISOString().replace('.000Z', 'Z'),
    localTime,
    note,
  ]);
}

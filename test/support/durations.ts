import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const recorded = fileURLToPath(new URL('../durations.json', import.meta.url));
const root = fileURLToPath(new URL('../../', import.meta.url));

/** Shorter files fill the end of a run in any order. */
const leastSeconds = 30;

/** Seconds by file, as last recorded; those of shorter files are left out. */
export type Durations = Readonly<Record<string, number>>;

export function readDurations(): Durations {
  return JSON.parse(readFileSync(recorded, 'utf8')) as Durations;
}

/** Replaces what is known of these files, and drops files that are gone. */
export function recordDurations(measured: Durations): void {
  const known = { ...readDurations(), ...measured };
  const kept = Object.entries(known)
    .filter(([file, seconds]) => seconds >= leastSeconds && existsSync(`${root}${file}`))
    .map(([file, seconds]) => [file, Math.round(seconds)] as const)
    .toSorted(([left], [right]) => (left < right ? -1 : 1));
  writeFileSync(recorded, `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`);
}

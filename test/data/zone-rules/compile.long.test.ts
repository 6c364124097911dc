import { expect, test } from 'vitest';
import { newestZones, samplesOf, transitionsOf } from './newest.ts';

test('every zone says in each month from 1900 to 2100 what the database says', async () => {
  const toMs = Date.UTC(2100, 0, 1);
  const transitions = await transitionsOf(await newestZones(), Date.UTC(1900, 0, 2), toMs);
  const samples = samplesOf(transitions, toMs);
  const clocks = new Map<string, Intl.DateTimeFormat>();
  const wrong = samples.filter(([zone, at, offset]) => {
    if (!clocks.has(zone)) clocks.set(zone, clockOf(zone));
    return shownBy(clocks.get(zone)!, at) - at !== offset;
  });
  expect(wrong.slice(0, 20)).toEqual([]);
  expect(samples.length).toBeGreaterThan(1_500_000);
}, 600_000);

/** Not by the cadences' own zones, which know no time before 1970. */
const clockOf = (timeZone: string) =>
  new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: timeZone === 'Factory' ? 'UTC' : timeZone, hourCycle: 'h23' },
    ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });

function shownBy(clock: Intl.DateTimeFormat, at: number): number {
  const parts = Object.fromEntries(
    clock.formatToParts(at * 1_000).map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) / 1_000;
}

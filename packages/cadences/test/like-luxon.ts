import { expect } from 'vitest';
import { type Cadence, weekdays } from '../src/cadence.ts';
import { nextOccurrence, type Occurrence } from '../src/next.ts';
import { luxonFires } from './luxon.ts';
import { createRandom } from './random.ts';

function firesUntil(cadence: Cadence, afterMs: number, untilMs: number): Occurrence[] {
  const found: Occurrence[] = [];
  let next = nextOccurrence(cadence, afterMs, afterMs);
  while (next && next.atMs <= untilMs) {
    found.push(next);
    next = nextOccurrence(cadence, next.atMs, afterMs);
  }
  return found;
}

/** Zones with a year, and the times of day that its transitions repeat or skip. */
export const years: readonly (readonly [zoneId: string, start: string, times: readonly string[]])[] = [
  ['Europe/Berlin', '2027-01-01', ['02:30', '02:00']],
  ['America/New_York', '2027-01-01', ['01:30', '02:15:30']],
  ['Australia/Lord_Howe', '2027-01-01', ['01:45', '02:15']],
  ['Asia/Gaza', '2023-01-01', ['01:30', '02:30']],
  ['Pacific/Apia', '2011-07-01', ['00:00', '03:30']],
  ['Africa/Casablanca', '2023-01-01', ['02:30', '03:00']],
];

function everyDatedKind(zoneId: string, anchorDate: string, timeOfDay: string): Cadence[] {
  const at = { zoneId, timeOfDay };
  return [
    { ...at, type: 'one_time', runDate: anchorDate },
    { ...at, type: 'daily' },
    { ...at, type: 'daily', anchorDate, interval: 3 },
    { ...at, type: 'weekly', daysOfWeek: ['SUNDAY', 'SATURDAY', 'FRIDAY'] },
    { ...at, type: 'weekly', daysOfWeek: ['SUNDAY', 'WEDNESDAY'], anchorDate, interval: 3 },
    { ...at, type: 'monthly', dayOfMonth: 31 },
    { ...at, type: 'monthly', dayOfMonth: 29, anchorDate, interval: 2 },
    { ...at, type: 'biweekly', daysOfWeek: ['SUNDAY', 'MONDAY'], anchorDate },
    { ...at, type: 'month_end' },
  ];
}

function withoutTimeOfDay(zoneId: string, anchorDate: string): Cadence[] {
  return [
    { type: 'interval', zoneId, everyMinutes: 110, anchorDate },
    { type: 'cron', zoneId, cronExpression: '10,30,50 0,1,2,3 * * *' },
  ];
}

/** Every kind of cadence fires for a year as luxon makes of the rules. */
export function expectYear([zoneId, start, times]: (typeof years)[number]): void {
  const afterMs = Date.parse(start);
  const untilMs = afterMs + 366 * 86_400_000;
  const dated = times.flatMap((timeOfDay) => everyDatedKind(zoneId, start, timeOfDay));
  for (const cadence of [...dated, ...withoutTimeOfDay(zoneId, start)]) {
    const fires = firesUntil(cadence, afterMs, untilMs);
    expect({ cadence, fires }).toEqual({ cadence, fires: luxonFires(cadence, afterMs, untilMs) });
    expect(new Set(fires.map(({ localTime }) => localTime)).size).toBe(fires.length);
  }
}

/** So many random cadences fire next as luxon says, at any instant, in any zone. */
export function expectRandomCadences(count: number): void {
  const random = createRandom(20_270_328, 'cadences');
  const zones = Intl.supportedValuesOf('timeZone');
  const two = (number: number) => String(number).padStart(2, '0');
  for (let round = 0; round < count; round += 1) {
    const afterMs = random.int(Date.UTC(1990, 0, 1), Date.UTC(2060, 0, 1));
    const anchorDate = new Date(afterMs - random.int(0, 4_000) * 86_400_000).toISOString().slice(0, 10);
    const at = {
      zoneId: random.pick(zones),
      timeOfDay: `${two(random.pick([0, 1, 2, 3, random.int(0, 23)]))}:${two(random.int(0, 59))}`,
      anchorDate,
      interval: random.int(1, 4),
    };
    const cadence = random.pick<Cadence>([
      { ...at, type: 'daily' },
      { ...at, type: 'weekly', daysOfWeek: random.shuffle(weekdays).slice(0, random.int(1, 7)) },
      { ...at, type: 'monthly', dayOfMonth: random.int(1, 31) },
      { ...at, type: 'month_end' },
    ]);
    const firstWithin = (days: number) => luxonFires(cadence, afterMs, afterMs + days * 86_400_000)[0];
    const expected = firstWithin(5) ?? firstWithin(160);
    expect({ cadence, next: nextOccurrence(cadence, afterMs, 0) }).toEqual({ cadence, next: expected });
  }
}

import { DateTime, IANAZone } from 'luxon';
import type { Cadence } from '../src/cadence.ts';
import type { Occurrence } from '../src/next.ts';

/**
 * The contract's rules a second time, using luxon: slow, day by day, and without any code of the module under
 * test. Anchors and creation are dates, because cadences in these tests have an anchorDate wherever it
 * matters.
 */

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;
/** Luxon has offsets in minutes; none changes twice within this time. */
const reachMs = 36 * 60 * minuteMs;

interface Said {
  clockMs: number;
  movedToMonthEnd: boolean;
}

const secondsOf = (timeOfDay: string) => {
  const [hours, minutes, seconds = 0] = timeOfDay.split(':').map(Number);
  return hours! * 3_600 + minutes! * 60 + seconds;
};

/** The local times of a cadence on a date, given as that date's midnight in UTC. */
function saidOn(cadence: Cadence, midnightMs: number): Said[] {
  const date = DateTime.fromMillis(midnightMs, { zone: 'utc' });
  const anchor = 'anchorDate' in cadence ? DateTime.fromISO(cadence.anchorDate!, { zone: 'utc' }) : date;
  const at = (seconds: number, movedToMonthEnd = false) => ({
    clockMs: midnightMs + seconds * 1_000,
    movedToMonthEnd,
  });
  const each = 'interval' in cadence ? cadence.interval! : 1;
  const isIn = (passed: number, period: number) => Math.round(passed) % period === 0;
  const weeks = () => date.startOf('week').diff(anchor.startOf('week'), 'weeks').weeks;
  const months = () => date.startOf('month').diff(anchor.startOf('month'), 'months').months;
  const isOneOf = (days: readonly string[]) => days.includes(date.setLocale('en').weekdayLong!.toUpperCase());
  if ('anchorDate' in cadence && date < anchor) return [];
  switch (cadence.type) {
    case 'one_time':
      return date.toISODate() === cadence.runDate ? [at(secondsOf(cadence.timeOfDay))] : [];
    case 'daily':
      return isIn(date.diff(anchor, 'days').days, each) ? [at(secondsOf(cadence.timeOfDay))] : [];
    case 'weekly':
      return isOneOf(cadence.daysOfWeek) && isIn(weeks(), each) ? [at(secondsOf(cadence.timeOfDay))] : [];
    case 'biweekly':
      return isOneOf(cadence.daysOfWeek!) && isIn(weeks(), 2) ? [at(secondsOf(cadence.timeOfDay))] : [];
    case 'monthly': {
      const day = Math.min(cadence.dayOfMonth, date.daysInMonth!);
      const moved = day < cadence.dayOfMonth;
      return date.day === day && isIn(months(), each) ? [at(secondsOf(cadence.timeOfDay), moved)] : [];
    }
    case 'month_end':
      return date.day === date.daysInMonth && isIn(months(), each) ? [at(secondsOf(cadence.timeOfDay))] : [];
    case 'interval': {
      const minutes = Array.from({ length: 1_440 }, (_, minute) => minute);
      const sinceAnchor = date.diff(anchor, 'minutes').minutes;
      return minutes
        .filter((minute) => (sinceAnchor + minute) % cadence.everyMinutes === 0)
        .map((minute) => at(minute * 60));
    }
    case 'cron': {
      // Only what the tests write: lists of minutes and hours.
      const [minutes, hours] = cadence.cronExpression.split(' ').map((field) => field.split(',').map(Number));
      return hours!.flatMap((hour) => minutes!.map((minute) => at(hour * 3_600 + minute * 60)));
    }
  }
}

function fireOf(zone: IANAZone, { clockMs, movedToMonthEnd }: Said): Occurrence & { isShown: boolean } {
  const clockAt = (atMs: number) => atMs + zone.offset(atMs) * minuteMs;
  const localTime = DateTime.fromMillis(clockMs, { zone: 'utc' }).toFormat("yyyy-MM-dd'T'HH:mm:ss");
  const offsets = new Set([zone.offset(clockMs - reachMs), zone.offset(clockMs + reachMs)]);
  const exact = [...offsets]
    .map((offset) => clockMs - offset * minuteMs)
    .filter((atMs) => clockAt(atMs) === clockMs);
  if (exact.length > 0) {
    const note = exact.length > 1 ? 'overlap' : movedToMonthEnd ? 'month_end' : null;
    return { atMs: Math.min(...exact), localTime, note, isShown: true };
  }
  let before = clockMs - reachMs;
  let after = clockMs + reachMs;
  const offset = zone.offset(after);
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (zone.offset(middle) === offset) after = middle;
    else before = middle;
  }
  return { atMs: after, localTime, note: 'gap', isShown: false };
}

/** Every fire between two instants. */
export function luxonFires(cadence: Cadence, afterMs: number, untilMs: number): Occurrence[] {
  const zone = IANAZone.create(cadence.zoneId);
  const fires = new Map<number, Occurrence & { isShown: boolean }>();
  const firstMs = Math.floor(afterMs / dayMs) * dayMs - 2 * dayMs;
  for (let midnightMs = firstMs; midnightMs < untilMs + 2 * dayMs; midnightMs += dayMs)
    for (const said of saidOn(cadence, midnightMs)) {
      const fire = fireOf(zone, said);
      const known = fires.get(fire.atMs);
      if (!known || (fire.isShown && !known.isShown)) fires.set(fire.atMs, fire);
    }
  return [...fires.values()]
    .filter(({ atMs }) => atMs > afterMs && atMs <= untilMs)
    .map(({ atMs, localTime, note }) => ({ atMs, localTime, note }));
}

import { Temporal } from 'temporal-polyfill';
import { type Cadence, firstYear, type IntervalCadence, lastYear } from './cadence.ts';
import { nextCronTime } from './cron.ts';
import { firstDateFrom, type RecurringCadence } from './dates.ts';
import { clockAt, instantOf, latestClockUntil } from './zones.ts';

export interface Occurrence {
  /** When it fires. */
  atMs: number;
  /** The local time named by the cadence, 2027-03-28T02:30:00: identifies the fire within the cadence. */
  localTime: string;
  /**
   * What is unusual about it. A fire that was moved to the last day of the month and falls into a gap or an
   * overlap has the latter note; the move can be seen from its date.
   */
  note: null | 'gap' | 'overlap' | 'month_end';
}

const firstClockMs = Date.UTC(firstYear, 0, 1);
const lastClockMs = Date.UTC(lastYear + 1, 0, 1) - 1;

const dayMs = 86_400_000;

interface ClockTime {
  clockMs: number;
  /** Whether its month is too short for the day in the cadence. */
  movedToMonthEnd: boolean;
}

/**
 * The first fire strictly after an instant. Periods are counted from the cadence's anchorDate, or from the
 * date of `createdAtMs` in its zone. Undefined if it fires no more.
 *
 * @throws UnreadableCadence
 */
export function nextOccurrence(
  cadence: Cadence,
  afterMs: number,
  createdAtMs: number,
): Occurrence | undefined {
  if (afterMs > lastClockMs) return undefined;
  const sinceMs = Math.max(afterMs, firstClockMs);
  const said = nextClockTime(cadence, latestClockUntil(cadence.zoneId, sinceMs), createdAtMs);
  if (!said || said.clockMs > lastClockMs) return undefined;
  const { atMs, note } = instantOf(cadence.zoneId, said.clockMs);
  if (note === 'gap') {
    // All times in a gap fire once, at its end: as the local time at that instant if the cadence includes it.
    const shownMs = clockAt(cadence.zoneId, atMs);
    const shown = nextClockTime(cadence, shownMs - 1, createdAtMs);
    if (shown?.clockMs === shownMs) return occurrence(shown, instantOf(cadence.zoneId, shownMs));
  }
  return occurrence(said, { atMs, note });
}

function occurrence(said: ClockTime, { atMs, note }: Pick<Occurrence, 'atMs' | 'note'>): Occurrence {
  return {
    atMs,
    localTime: new Date(said.clockMs).toISOString().slice(0, 19),
    note: note ?? (said.movedToMonthEnd ? 'month_end' : null),
  };
}

/** The first local time after another one that the cadence includes. */
function nextClockTime(cadence: Cadence, afterMs: number, createdAtMs: number): ClockTime | undefined {
  if (afterMs > lastClockMs) return undefined;
  switch (cadence.type) {
    case 'one_time': {
      const clockMs = clockOf(Temporal.PlainDate.from(cadence.runDate)) + timeOfDayMs(cadence.timeOfDay);
      return clockMs > afterMs ? plain(clockMs) : undefined;
    }
    case 'cron': {
      const clockMs = nextCronTime(cadence.cronExpression, afterMs);
      return clockMs === undefined ? undefined : plain(clockMs);
    }
    case 'interval':
      return plain(nextInterval(cadence, afterMs, createdAtMs));
    default:
      return nextDate(cadence, afterMs, createdAtMs);
  }
}

const plain = (clockMs: number): ClockTime => ({ clockMs, movedToMonthEnd: false });

function nextInterval(cadence: IntervalCadence, afterMs: number, createdAtMs: number): number {
  const createdMs = Math.floor(clockAt(cadence.zoneId, createdAtMs) / 1_000) * 1_000;
  const { anchorDate, timeOfDay } = cadence;
  const dateMs = anchorDate ? clockOf(Temporal.PlainDate.from(anchorDate)) : dayStart(createdMs);
  const anchorMs = timeOfDay || anchorDate ? dateMs + timeOfDayMs(timeOfDay ?? '00:00') : createdMs;
  const stepMs = cadence.everyMinutes * 60_000;
  const steps = Math.floor((afterMs - anchorMs) / stepMs) + 1;
  return anchorMs + (anchorDate ? Math.max(steps, 0) : steps) * stepMs;
}

function nextDate(cadence: RecurringCadence, afterMs: number, createdAtMs: number): ClockTime {
  const timeMs = timeOfDayMs(cadence.timeOfDay);
  const from = dateOf(dayStart(afterMs - timeMs) + dayMs);
  const anchor = anchorOf(cadence, createdAtMs) ?? from;
  const isBeforeStart = cadence.anchorDate && Temporal.PlainDate.compare(from, anchor) < 0;
  const date = firstDateFrom(cadence, isBeforeStart ? anchor : from, anchor);
  const movedToMonthEnd = cadence.type === 'monthly' && date.day < cadence.dayOfMonth;
  return { clockMs: clockOf(date) + timeMs, movedToMonthEnd };
}

/** Undefined if every period counts: the anchor then makes no difference. */
function anchorOf(cadence: RecurringCadence, createdAtMs: number): Temporal.PlainDate | undefined {
  if (cadence.anchorDate) return Temporal.PlainDate.from(cadence.anchorDate);
  if (cadence.type !== 'biweekly' && (cadence.interval ?? 1) === 1) return undefined;
  return dateOf(clockAt(cadence.zoneId, createdAtMs));
}

const dayStart = (clockMs: number) => Math.floor(clockMs / dayMs) * dayMs;

function dateOf(clockMs: number): Temporal.PlainDate {
  const date = new Date(clockMs);
  return new Temporal.PlainDate(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate());
}

function clockOf(date: Temporal.PlainDate): number {
  return Date.UTC(date.year, date.month - 1, date.day);
}

function timeOfDayMs(timeOfDay: string): number {
  const [hours, minutes, seconds = 0] = timeOfDay.split(':').map(Number);
  return ((hours! * 60 + minutes!) * 60 + seconds) * 1_000;
}

import { Temporal } from 'temporal-polyfill';
import {
  type BiweeklyCadence,
  type DailyCadence,
  type MonthEndCadence,
  type MonthlyCadence,
  type WeeklyCadence,
  weekdays,
} from './cadence.ts';

/** The types that recur on dates, at one time of day. */
export type RecurringCadence =
  | DailyCadence
  | WeeklyCadence
  | MonthlyCadence
  | BiweeklyCadence
  | MonthEndCadence;

/** The first of its dates on or after `from`; periods are counted from `anchor`, in both directions. */
export function firstDateFrom(
  cadence: RecurringCadence,
  from: Temporal.PlainDate,
  anchor: Temporal.PlainDate,
): Temporal.PlainDate {
  switch (cadence.type) {
    case 'daily': {
      const days = periodsToNext(anchor.until(from).days, cadence.interval);
      return days === 0 ? from : from.add({ days });
    }
    case 'weekly':
      return inWeeks(cadence.daysOfWeek.map(isoDay), cadence.interval, from, anchor);
    case 'biweekly': {
      const days = cadence.daysOfWeek?.length ? cadence.daysOfWeek.map(isoDay) : [anchor.dayOfWeek];
      return inWeeks(days, 2, from, anchor);
    }
    case 'monthly':
      return inMonths(cadence.dayOfMonth, cadence.interval, from, anchor);
    case 'month_end':
      return inMonths(31, cadence.interval, from, anchor);
  }
}

function inWeeks(
  days: readonly number[],
  interval: number | undefined,
  from: Temporal.PlainDate,
  anchor: Temporal.PlainDate,
): Temporal.PlainDate {
  const today = from.dayOfWeek;
  const mondays = anchor.until(from).days + anchor.dayOfWeek - today;
  const weeks = periodsToNext(mondays / 7, interval);
  const later = weeks === 0 ? days.filter((day) => day >= today) : days;
  // No days are left this week: the next counted week is a whole interval away.
  const add = later.length > 0 ? weeks : (interval ?? 1);
  const day = Math.min(...(later.length > 0 ? later : days));
  return from.add({ days: add * 7 + day - today });
}

function inMonths(
  dayOfMonth: number,
  interval: number | undefined,
  from: Temporal.PlainDate,
  anchor: Temporal.PlainDate,
): Temporal.PlainDate {
  const passed = (from.year - anchor.year) * 12 + from.month - anchor.month;
  const first = new Temporal.PlainDate(from.year, from.month, 1);
  const dateIn = (months: number) =>
    first.add({ months }).with({ day: dayOfMonth }, { overflow: 'constrain' });
  const months = periodsToNext(passed, interval);
  const date = dateIn(months);
  const isOver = Temporal.PlainDate.compare(date, from) < 0;
  return isOver ? dateIn(interval ?? 1) : date;
}

/** The number of periods from a period, numbered relative to the anchor's, to the next counted one. */
function periodsToNext(passed: number, interval = 1): number {
  const over = ((passed % interval) + interval) % interval;
  return over === 0 ? 0 : interval - over;
}

const isoDay = (day: (typeof weekdays)[number]) => weekdays.indexOf(day) + 1;

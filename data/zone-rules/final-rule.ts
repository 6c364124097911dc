import { daysOfMonth, type RuleDay, type YearlyRule } from './posix-rule.ts';

/** A yearly rule as ICU's `SimpleTimeZone` takes it. */
export interface FinalRule {
  /** Seconds, without savings. */
  raw: number;
  /** Month (0 to 11), day, weekday, seconds and mode of the start, the same of the end, and the savings. */
  values: readonly number[];
}

/** In which time the seconds of a rule's day are meant. */
const modes = { wall: 0, standard: 1, utc: 2 } as const;

const day = 86_400;

/**
 * Undefined for a zone without changes, or whose rule ICU cannot express. Its times lie within a day, in
 * local time, standard time or UTC; its days are the first of a weekday from a date on, or the last one up to
 * it.
 */
export function finalRuleOf({ standard, daylight }: YearlyRule): FinalRule | undefined {
  if (daylight === undefined) return undefined;
  const { type, start, end } = daylight;
  const isWinter = type.offset < standard.offset;
  const raw = isWinter ? type.offset : standard.offset;
  const summer = isWinter ? standard.offset : type.offset;
  const from = ruleDayOf(isWinter ? end : start, { before: raw, raw });
  const to = ruleDayOf(isWinter ? start : end, { before: summer, raw });
  return from && to && { raw, values: [...from, ...to, summer - raw] };
}

/** `before` is the offset in force before the change. */
function ruleDayOf(
  { month, week, weekday, seconds }: RuleDay,
  { before, raw }: { before: number; raw: number },
): number[] | undefined {
  const candidates = [
    { mode: modes.wall, time: seconds },
    { mode: modes.standard, time: seconds - before + raw },
    { mode: modes.utc, time: seconds - before },
  ].map(({ mode, time }) => ({ mode, time, shift: Math.floor(time / day) }));
  // A leap year's month of 29 days is the longest.
  const length = daysOfMonth(2024, month);
  for (const { mode, time, shift } of candidates.toSorted((a, b) => Math.abs(a.shift) - Math.abs(b.shift))) {
    const date = (week === 5 ? length : 1 + 7 * (week - 1)) + shift;
    if (date < 1 || date > length) continue;
    // A month of another length in other years would move the days before its end.
    if (week === 5 && shift !== 0 && month === 2) continue;
    const sunday = 1 + ((((weekday + shift) % 7) + 7) % 7);
    return [month - 1, week === 5 ? -date : date, -sunday, time - shift * day, mode];
  }
  return undefined;
}

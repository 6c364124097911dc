import type { Change, LocalTimeType } from './tzif.ts';

/** What a POSIX TZ string says of every year. */
export interface YearlyRule {
  standard: LocalTimeType;
  /** Undefined for a zone whose clocks do not change. */
  daylight?: { type: LocalTimeType; start: RuleDay; end: RuleDay };
}

/** The `week`-th `weekday` of `month` (week 5: the last), `seconds` of the local time before the change. */
export interface RuleDay {
  /** 1 to 12. */
  month: number;
  week: number;
  /** 0 is Sunday. */
  weekday: number;
  /** Seconds after local midnight; may be negative or more than a day. */
  seconds: number;
}

const offsets = /^(?:[A-Za-z]+|<[^>]+>)([+-]?[\d:]+)(?:(?:[A-Za-z]+|<[^>]+>)([+-]?[\d:]+)?)?$/;
const ruleDay = /^M(\d{1,2})\.([1-5])\.([0-6])(?:\/([+-]?[\d:]+))?$/;

/** @throws Error for a form that no zone uses today, such as days counted from January */
export function readPosixRule(text: string): YearlyRule {
  const [names = '', start, end] = text.split(',');
  const [, standardText, daylightText] = offsets.exec(names) ?? [];
  if (standardText === undefined) throw new Error(`The rule ${text} has an unknown form.`);
  const standard = { offset: -secondsOf(standardText), isDst: false };
  if (start === undefined || end === undefined) return { standard };
  const offset = daylightText === undefined ? standard.offset + 3_600 : -secondsOf(daylightText);
  return { standard, daylight: { type: { offset, isDst: true }, start: dayOf(start), end: dayOf(end) } };
}

/** The changes that begin in the given years (of UTC), ascending. */
export function changesOf({ standard, daylight }: YearlyRule, from: number, to: number): Change[] {
  if (daylight === undefined) return [];
  const { type, start, end } = daylight;
  const changes: Change[] = [];
  // A year more at each end, as a change near New Year may be in another year of UTC.
  for (let year = from - 1; year <= to + 1; year += 1)
    changes.push(
      { at: dayIn(year, start) + start.seconds - standard.offset, to: type },
      { at: dayIn(year, end) + end.seconds - type.offset, to: standard },
    );
  return changes.filter(({ at }) => yearOf(at) >= from && yearOf(at) <= to).toSorted((a, b) => a.at - b.at);
}

export const yearOf = (at: number): number => new Date(at * 1_000).getUTCFullYear();

export const daysOfMonth = (year: number, month: number): number =>
  new Date(Date.UTC(year, month, 0)).getUTCDate();

/** Seconds from 1970 to its midnight, as if the zone were UTC. */
function dayIn(year: number, { month, week, weekday }: RuleDay): number {
  const firstWeekday = new Date(Date.UTC(year, month - 1, 1)).getUTCDay();
  const first = 1 + ((weekday - firstWeekday + 7) % 7);
  const length = daysOfMonth(year, month);
  let date = first + 7 * (week - 1);
  while (date > length) date -= 7;
  return Date.UTC(year, month - 1, date) / 1_000;
}

function dayOf(text: string): RuleDay {
  const [whole, month, week, weekday, time = '2'] = ruleDay.exec(text) ?? [];
  if (whole === undefined) throw new Error(`The day ${text} of a rule has an unknown form.`);
  return { month: Number(month), week: Number(week), weekday: Number(weekday), seconds: secondsOf(time) };
}

function secondsOf(text: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = text.replace(/^[+-]/, '').split(':').map(Number);
  const size = hours * 3_600 + minutes * 60 + seconds;
  return text.startsWith('-') ? -size : size;
}

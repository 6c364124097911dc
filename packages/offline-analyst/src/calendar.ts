import type { Column, Table } from './catalog.ts';
import type { Range } from './question.ts';
import { plain } from './words.ts';

/** Columns of whole numbers that stand for a part of a date or a time. */
const parts: ReadonlySet<string> = new Set(
  'year quarter month week weekday day hour minute second'.split(' '),
);

export function isCalendarPart({ name, kind }: Column): boolean {
  return kind === 'number' && parts.has(plain(name));
}

export function calendarColumn({ columns }: Table, part: 'year' | 'month'): Column | undefined {
  return columns.find((column) => isCalendarPart(column) && plain(column.name) === part);
}

/** The year, or the year and the month, that a range is; undefined if it is anything else. */
export function wholeRange({ from, to }: Range): { year: number; month?: number } | undefined {
  if (from === undefined || to === undefined) return undefined;
  const [year, month] = [Number(from.slice(0, 4)), Number(from.slice(5, 7))];
  if (from === `${year}-01-01` && to === `${year + 1}-01-01`) return { year };
  const next = new Date(Date.UTC(year, month, 1)).toISOString().slice(0, 10);
  return from.endsWith('-01') && to === next ? { year, month } : undefined;
}

/** The only year in which a column of dates has values. */
export function onlyYear({ min, max }: Column): number | undefined {
  const [first, last] = [min, max].map((value) => Number(value?.slice(0, 4)));
  return first === last && Number.isInteger(first) ? first : undefined;
}

export function monthRange(year: number, month: number): Range {
  const day = (of: number) => new Date(Date.UTC(year, of, 1)).toISOString().slice(0, 10);
  return { from: day(month - 1), to: day(month) };
}

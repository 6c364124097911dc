import { monthOf } from './lexicon.ts';
import type { Range } from './question.ts';
import type { Token } from './words.ts';

export interface DateSpan {
  length: number;
  ranges: Range[];
  said: string;
  /** A month without a year: the data may have only one. */
  month?: number;
  problem?: string;
}

interface Unit {
  length: number;
  /** Set for a whole month. */
  month?: number;
  /** Set only if a year is given. */
  year?: number;
  from(year: number): string;
  to(year: number): string;
}

const day = (year: number, month: number, date: number): string =>
  new Date(Date.UTC(year, month - 1, date)).toISOString().slice(0, 10);

export function dayAfter(date: string): string {
  return new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10);
}

/**
 * The date span that begins at `at`, if any: "in March 2025", "since 2025-03-01", "between … and …", "Q1
 * 2025", a year.
 */
export function dateAt(tokens: readonly Token[], at: number): DateSpan | undefined {
  const opener = tokens[at]!.word;
  const isUpTo = opener === 'up' && tokens[at + 1]?.word === 'to';
  const isOpener = isUpTo || openers.has(opener);
  let start = at + (isUpTo ? 2 : isOpener ? 1 : 0);
  while (isOpener && fillers.has(tokens[start]?.word ?? '')) start += 1;
  const first = unitAt(tokens, start);
  if (first === undefined) return undefined;
  const after = start + first.length;
  const said = (end: number) =>
    tokens
      .slice(at, end)
      .map(({ text }) => text)
      .join(' ');
  const result = (end: number, ranges: Range[]): DateSpan => ({
    length: end - at,
    ranges,
    said: said(end),
  });
  const isSpan = opener === 'between' || connectors.has(tokens[after]?.word ?? '');
  const second = isSpan ? unitAt(tokens, after + 1) : undefined;
  const isList = opener !== 'between' && listers.has(tokens[after]?.word ?? '');
  if (second !== undefined && !isList) {
    const end = after + 1 + second.length;
    const year = first.year ?? second.year;
    if (year === undefined) return { ...result(end, []), problem: withoutYear(said(end)) };
    return result(end, [{ from: first.from(year), to: second.to(second.year ?? year) }]);
  }
  if (opener === 'between') return undefined;
  if (limits.has(opener) || isUpTo)
    return limited(isUpTo ? 'until' : opener, first, result, after, said(after));
  return listed(tokens, start, result, isOpener);
}

const openers = new Set(
  'in during for of on from since before after until till through between within starting'.split(' '),
);
const limits = new Set('since from before after until till through starting'.split(' '));
const fillers = new Set(['the', 'of', 'on', 'from', 'in', 'year', 'month', 'end']);
const connectors = new Set(['to', 'until', 'till', 'through', 'and', 'or', ',']);
const listers = new Set(['and', 'or', ',']);

type Result = (end: number, ranges: Range[]) => DateSpan;

function limited(opener: string, unit: Unit, result: Result, end: number, said: string): DateSpan {
  const { year } = unit;
  if (year === undefined) return { ...result(end, []), problem: withoutYear(said) };
  if (opener === 'before') return result(end, [{ to: unit.from(year) }]);
  if (opener === 'after') return result(end, [{ from: unit.to(year) }]);
  if (opener === 'since' || opener === 'from' || opener === 'starting')
    return result(end, [{ from: unit.from(year) }]);
  return result(end, [{ to: unit.to(year) }]);
}

/** One unit, or several: "in 2024 and 2025". The last year applies to months before it. */
function listed(
  tokens: readonly Token[],
  start: number,
  result: Result,
  isOpened: boolean,
): DateSpan | undefined {
  const units: Unit[] = [];
  let end = start;
  let at = start;
  for (;;) {
    const unit = unitAt(tokens, at);
    if (unit === undefined) break;
    units.push(unit);
    end = at + unit.length;
    if (!listers.has(tokens[end]?.word ?? '')) break;
    at = end + 1;
  }
  let year: number | undefined;
  const ranges: Range[] = [];
  for (const unit of units.reverse()) {
    year = unit.year ?? year;
    if (year === undefined) {
      if (!isOpened) return undefined;
      const span = result(end, []);
      const [only, second] = units;
      if (only?.month !== undefined && second === undefined) return { ...span, month: only.month };
      return { ...span, problem: withoutYear(span.said) };
    }
    ranges.unshift({ from: unit.from(year), to: unit.to(year) });
  }
  return result(end, ranges);
}

export function withoutYear(said: string): string {
  return `“${said}” needs a year, as in “March 2025”.`;
}

function unitAt(tokens: readonly Token[], at: number): Unit | undefined {
  const token = tokens[at];
  if (token === undefined) return undefined;
  if (token.kind === 'date') return isoUnit(token.text);
  return quarterUnit(tokens, at) ?? monthUnit(tokens, at) ?? yearUnit(token);
}

function isoUnit(text: string): Unit | undefined {
  const [year, month, date] = text.split('-').map(Number) as [number, number, number?];
  if (month < 1 || month > 12) return undefined;
  if (date === undefined)
    return { length: 1, year, from: () => day(year, month, 1), to: () => day(year, month + 1, 1) };
  if (day(year, month, date) !== text) return undefined;
  return { length: 1, year, from: () => text, to: () => dayAfter(text) };
}

function yearOf(token: Token | undefined): number | undefined {
  if (token?.kind !== 'number' || !/^(?:19|20)\d\d$/.test(token.text)) return undefined;
  return token.value;
}

function yearUnit(token: Token): Unit | undefined {
  const year = yearOf(token);
  if (year === undefined) return undefined;
  return { length: 1, year, from: (of) => day(of, 1, 1), to: (of) => day(of + 1, 1, 1) };
}

const ordinals = ['first', 'second', 'third', 'fourth'];

function quarterUnit(tokens: readonly Token[], at: number): Unit | undefined {
  const year = yearOf(tokens[at]);
  const word = tokens[at + (year === undefined ? 0 : 1)]?.word ?? '';
  let quarter = /^q[1-4]$/.test(word) ? Number(word[1]) : 0;
  let length = 1;
  if (quarter === 0 && tokens[at + 1]?.word === 'quarter') {
    quarter = ordinals.indexOf(word) + 1;
    length = 2;
  }
  if (quarter === 0) return undefined;
  const from = (of: number) => day(of, quarter * 3 - 2, 1);
  const to = (of: number) => day(of, quarter * 3 + 1, 1);
  if (year !== undefined) return { length: length + 1, year, from, to };
  const gap = tokens[at + length]?.word === 'of' ? 1 : 0;
  const later = yearOf(tokens[at + length + gap]);
  return later === undefined ? { length, from, to } : { length: length + gap + 1, year: later, from, to };
}

/** "March", "March 2025", "March 3, 2025", "3 March 2025", "3rd of March 2025". */
function monthUnit(tokens: readonly Token[], at: number): Unit | undefined {
  let length = 0;
  const next = () => tokens[at + length];
  const skip = (...words: string[]) => {
    if (words.includes(next()?.word ?? '')) length += 1;
  };
  let date = dateOf(next());
  if (date !== undefined) {
    length += 1;
    skip('of');
  }
  const month = monthOf.get(next()?.word ?? '');
  if (month === undefined) return undefined;
  length += 1;
  if (date === undefined && dateOf(next()) !== undefined) {
    date = dateOf(next());
    length += 1;
  }
  const before = length;
  skip(',', 'of');
  const year = yearOf(next());
  length = year === undefined ? before : length + 1;
  if (date === undefined)
    return { length, year, month, from: (of) => day(of, month, 1), to: (of) => day(of, month + 1, 1) };
  const on = date;
  return { length, year, from: (of) => day(of, month, on), to: (of) => day(of, month, on + 1) };
}

function dateOf(token: Token | undefined): number | undefined {
  const figures = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(token?.word ?? '')?.[1];
  const date = Number(figures ?? 0);
  return date >= 1 && date <= 31 ? date : undefined;
}

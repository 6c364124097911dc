/** A date format, split so that DATE columns can use its date part and TIME columns its time part. */
export interface DatePattern {
  /** In the engine's strptime syntax. */
  full: string;
  date: string | undefined;
  time: string | undefined;
}

const letters: Record<string, string> = {
  yyyy: '%Y',
  uuuu: '%Y',
  y: '%Y',
  u: '%Y',
  yy: '%y',
  uu: '%y',
  M: '%m',
  MM: '%m',
  L: '%m',
  LL: '%m',
  MMM: '%b',
  LLL: '%b',
  MMMM: '%B',
  LLLL: '%B',
  d: '%d',
  dd: '%d',
  D: '%j',
  DDD: '%j',
  E: '%a',
  EEE: '%a',
  EEEE: '%A',
  H: '%H',
  HH: '%H',
  h: '%I',
  hh: '%I',
  m: '%M',
  mm: '%M',
  s: '%S',
  ss: '%S',
  a: '%p',
  X: '%z',
  XX: '%z',
  XXX: '%z',
  x: '%z',
  xx: '%z',
  xxx: '%z',
  Z: '%z',
  ZZZ: '%z',
};

const dateSpecifiers = new Set([...'aAbBdjmyY']);
const timeSpecifiers = new Set([...'HIMSfgnpz']);

/**
 * Parses a Unicode pattern such as dd/MM/yyyy, or strptime if it contains `%`; a fault is worded for the
 * caller.
 */
export function parseDatePattern(pattern: string): DatePattern | { fault: string } {
  const tokens = pattern.includes('%') ? strptimeTokens(pattern) : unicodeTokens(pattern);
  if (!Array.isArray(tokens)) return tokens;
  const isDate = (token: string): boolean => token.length > 1 && dateSpecifiers.has(token.at(-1)!);
  const isTime = (token: string): boolean => token.length > 1 && timeSpecifiers.has(token.at(-1)!);
  const dates = tokens.flatMap((token, index) => (isDate(token) ? [index] : []));
  const times = tokens.flatMap((token, index) => (isTime(token) ? [index] : []));
  if (dates.length + times.length === 0) return { fault: 'The date format has no date or time fields.' };
  const between = (indexes: number[]): string | undefined =>
    indexes.length === 0 ? undefined : tokens.slice(indexes[0], indexes.at(-1)! + 1).join('');
  const areMixed =
    dates.length > 0 && times.length > 0 && dates.at(-1)! > times[0]! && times.at(-1)! > dates[0]!;
  if (areMixed) return { fault: 'The date format mixes the fields of date and time.' };
  return { full: tokens.join(''), date: between(dates), time: between(times) };
}

const shownFields: Record<string, string> = {
  ...{ '%Y': 'yyyy', '%m': 'MM', '%d': 'dd', '%H': 'HH', '%M': 'mm', '%S': 'ss' },
};

/** The pattern as people write it, dd/MM/yyyy, or in the engine's syntax if it has other fields. */
export function shownPattern({ full }: DatePattern): string {
  const shown = full.replaceAll(/%[YmdHMS]/g, (field) => shownFields[field]!);
  const others = full.replaceAll(/%[YmdHMS]/g, '');
  return /[%A-Za-z']/.test(others) ? full : shown;
}

/** Fields as `%Y`, everything else as single characters. */
function unicodeTokens(pattern: string): string[] | { fault: string } {
  const tokens: string[] = [];
  for (const match of pattern.matchAll(/'((?:[^']|'')*)'|([A-Za-z])\2*|[\s\S]/gu)) {
    const [text, quoted] = match;
    if (quoted !== undefined) tokens.push(...(quoted === '' ? "'" : quoted.replaceAll("''", "'")));
    else if (/^S{1,9}$/.test(text)) tokens.push('%f');
    else if (/^[A-Za-z]/.test(text) && text !== 'T') {
      const field = letters[text];
      if (field === undefined) return { fault: `"${text}" isn't a field of a date format.` };
      tokens.push(field);
    } else tokens.push(text);
  }
  return tokens;
}

function strptimeTokens(pattern: string): string[] | { fault: string } {
  const tokens: string[] = [];
  for (const match of pattern.matchAll(/%-?([\s\S])?|[\s\S]/gu)) {
    const [text, field] = match;
    if (!text.startsWith('%')) tokens.push(text);
    else if (field === '%') tokens.push('%%');
    else if (field === 'T') tokens.push('%H', ':', '%M', ':', '%S');
    else if (field === 'F') tokens.push('%Y', '-', '%m', '-', '%d');
    else if (field === undefined || !(dateSpecifiers.has(field) || timeSpecifiers.has(field))) {
      return { fault: `"${text}" isn't a field of a date format.` };
    } else tokens.push(`%${field}`);
  }
  return tokens;
}

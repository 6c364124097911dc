import { literal } from '../sql.ts';
import { castText, plainNumber, type TextForm } from './cast.ts';

/** Classes of values; a column's type is inferred from the set of its values' classes. */
export const valueClass = {
  /** Integer of at most 15 digits, exact as a double. */
  small: 0,
  int64: 1,
  /** Integer of at most 38 digits. */
  wide: 2,
  /** With decimals, and exact as a double: it has few digits or is written back identically. */
  double: 3,
  /** With more digits than a double holds. */
  decimal: 4,
  exponent: 5,
  boolean: 6,
  date: 7,
  timestamp: 8,
  time: 9,
  patternDate: 10,
  patternTimestamp: 11,
  document: 12,
  other: 13,
  /** A timestamp with an offset from UTC. */
  instant: 14,
  /**
   * 5E1 and 12E5: a number with an exponent, or a code. Only in texts without types, and without point and
   * sign.
   */
  code: 15,
  /** First of 27 classes for dates like 31/12/2024: separator × 9, order × 3, precision of the time × 1. */
  ordered: 16,
} as const;

export const dateSeparators = ['/', '-', '.'] as const;
export const dateOrders = ['%d%m', '%m%d', 'either'] as const;
export const clockFormats = ['', ' %H:%M', ' %H:%M:%S'] as const;

const bit = (index: number): string => String(2n ** BigInt(index));
const full = (text: string, pattern: string): string => `regexp_full_match(${text}, ${literal(pattern)})`;

/**
 * SQL for the class of a text as a single bit, NULL for NULL. `tag` is the column with the source's type of
 * the value (n number, s string, b boolean, d date, o object or array); undefined for CSV.
 */
export function classBit(text: string, tag: string | undefined, form: TextForm): string {
  const number = plainNumber(text, form);
  const numeric = tag === undefined ? '' : `${tag} = 'n' AND `;
  const textual = tag === undefined ? '' : `${tag} IN ('s', 'd') AND `;
  const truth = tag === undefined ? '' : `${tag} = 'b' AND `;
  const asDouble = `TRY_CAST(${number} AS DOUBLE)`;
  const branches = [
    form.keepsEmpty === true ? `nullif(${text}, '') IS NULL THEN NULL` : `${text} IS NULL THEN NULL`,
    ...(tag === undefined ? [] : [`${tag} = 'o' THEN ${bit(valueClass.document)}`]),
    `${numeric}${full(number, '-?(0|[1-9]\\d{0,14})')} THEN ${bit(valueClass.small)}`,
    `${numeric}${full(number, '-?[1-9]\\d{15,18}')} AND TRY_CAST(${number} AS BIGINT) IS NOT NULL THEN ${bit(valueClass.int64)}`,
    `${numeric}${full(number, '-?[1-9]\\d{15,37}')} THEN ${bit(valueClass.wide)}`,
    `${numeric}${full(number, '-?(0|[1-9]\\d*)\\.\\d+')} THEN CASE
      WHEN length(${number}) <= 16 OR CAST(${asDouble} AS VARCHAR) = ${number} THEN ${bit(valueClass.double)} ELSE ${bit(valueClass.decimal)} END`,
    ...(tag === undefined
      ? [`${full(text, '[1-9]\\d{0,5}[eE]\\d{1,3}')} AND isfinite(${asDouble}) THEN ${bit(valueClass.code)}`]
      : []),
    `${numeric}${full(number, '-?(0|[1-9]\\d*)(\\.\\d+)?[eE][+-]?\\d+')} AND isfinite(${asDouble}) THEN ${bit(valueClass.exponent)}`,
    `${truth}lower(${text}) IN ('true', 'false') THEN ${bit(valueClass.boolean)}`,
    ...temporalBranches(text, form).map((branch) => textual + branch),
  ];
  return `CASE ${branches.map((branch) => `WHEN ${branch}`).join('\n')} ELSE ${bit(valueClass.other)} END`;
}

function temporalBranches(text: string, form: TextForm): string[] {
  const plain: TextForm = { thousands: '', pattern: undefined };
  const fits = (kind: 'DATE' | 'TIMESTAMP' | 'TIME', with_: TextForm = plain): string =>
    `${castText(text, { kind }, with_)} IS NOT NULL`;
  const given: string[] = [];
  if (form.pattern?.date !== undefined) {
    const dateOnly = {
      thousands: '',
      pattern: { ...form.pattern, full: form.pattern.date, time: undefined },
    };
    given.push(`${fits('DATE', dateOnly)} THEN ${bit(valueClass.patternDate)}`);
    if (form.pattern.time !== undefined)
      given.push(`${fits('TIMESTAMP', form)} THEN ${bit(valueClass.patternTimestamp)}`);
  }
  const clock = '\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?';
  return [
    ...given,
    `${full(text, '\\d{4}-\\d{2}-\\d{2}')} AND ${fits('DATE')} THEN ${bit(valueClass.date)}`,
    `${full(text, `\\d{4}-\\d{2}-\\d{2}[ T]${clock}(Z|[+-]\\d{2}(:?\\d{2})?)?`)} AND ${fits('TIMESTAMP')}
      THEN CASE WHEN regexp_matches(substring(${text}, 12), '[Z+-]') THEN ${bit(valueClass.instant)} ELSE ${bit(valueClass.timestamp)} END`,
    `${full(text, clock)} AND ${fits('TIME')} THEN ${bit(valueClass.time)}`,
    ...(form.pattern === undefined ? [orderedBranch(text)] : []),
  ];
}

function orderedBranch(text: string): string {
  const part = (pattern: string): string => `regexp_extract(${text}, ${literal(pattern)}, 1)`;
  const first = `CAST(${part('^(\\d+)')} AS INTEGER)`;
  const second = `CAST(${part('^\\d+.(\\d+)')} AS INTEGER)`;
  const formats = dateSeparators.flatMap((separator) =>
    clockFormats.flatMap((clock) =>
      ['%d|%m|%Y', '%m|%d|%Y'].map((order) => literal(order.replaceAll('|', separator) + clock)),
    ),
  );
  return `${full(text, '\\d{1,2}[-/.]\\d{1,2}[-/.]\\d{4}( \\d{1,2}:\\d{2}(:\\d{2})?)?')}
    AND try_strptime(${text}, [${formats.join(', ')}]) IS NOT NULL
    THEN CAST(1 AS BIGINT) << (${valueClass.ordered}
      + 9 * (strpos(${literal(dateSeparators.join(''))}, ${part('^\\d+(.)')}) - 1)
      + 3 * (CASE WHEN ${first} > 12 THEN 0 WHEN ${second} > 12 THEN 1 ELSE 2 END)
      + (length(${text}) - length(replace(${text}, ':', ''))))`;
}

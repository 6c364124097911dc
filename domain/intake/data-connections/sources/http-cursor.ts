import { Temporal } from 'temporal-polyfill';
import { isRawNumber, type JsonValue, parseDecimal } from '../../../../data/exact-json.ts';
import { RemoteFailure } from '../../../../data/outgoing/failure.ts';
import type { cursorFormats, ReplicatedResource } from '../replication-policy.ts';
import { fieldOf, type JsonRecord } from './http-records.ts';

export type CursorPolicy = NonNullable<ReplicatedResource['cursor']>;
type Format = (typeof cursorFormats)[number];

/**
 * How far a source was read, as text from the source: the greatest cursor, and the greatest tie breaker among
 * the records that have it.
 */
export interface Reached {
  cursor: string;
  tieBreaker: string | null;
}

/**
 * The later of the position before and a record's. @throws RemoteFailure if the record has no valid cursor
 */
export function laterOf(before: Reached | null, record: JsonRecord, policy: CursorPolicy): Reached {
  const { field, format, tie_breaker_field: tieField, tie_breaker_format: tieFormat } = policy;
  const cursor = textIn(record, field, 'cursor');
  const tieBreaker = tieField === undefined ? null : textIn(record, tieField, 'tie breaker');
  const rank = rankOf(cursor, format);
  if (tieBreaker !== null) rankOf(tieBreaker, tieFormat!);
  if (before === null) return { cursor, tieBreaker };
  const beforeRank = rankOf(before.cursor, format);
  if (rank !== beforeRank) return rank > beforeRank ? { cursor, tieBreaker } : before;
  if (tieBreaker === null || before.tieBreaker === null) return { cursor, tieBreaker };
  return rankOf(tieBreaker, tieFormat!) > rankOf(before.tieBreaker, tieFormat!)
    ? { cursor, tieBreaker }
    : before;
}

/**
 * Start position of a source that is not read from its beginning. @throws RemoteFailure if the cursor is no
 * time
 */
export function reachedAt(now: Date, { format }: CursorPolicy): Reached {
  const cursors: Partial<Record<Format, string>> = {
    iso8601: now.toISOString(),
    epoch_seconds: String(Math.floor(now.getTime() / 1_000)),
    epoch_millis: String(now.getTime()),
  };
  const cursor = cursors[format];
  if (cursor === undefined)
    throw new RemoteFailure(
      'request',
      `A cursor of the format ${format} cannot start from now, because it isn't a time.`,
    );
  return { cursor, tieBreaker: null };
}

/** Replaces `${cursor}` and `${tie_breaker}` in query parameters. */
export function withReached(
  parameters: Readonly<Record<string, string>>,
  { cursor, tieBreaker }: Reached,
  policy: CursorPolicy,
): Record<string, string> {
  const style = policy.literal_style ?? 'raw';
  const isText = policy.tie_breaker_format === 'string' || policy.tie_breaker_format === 'iso8601';
  const tie = literalOf(tieBreaker ?? (isText ? '' : '0'), isText ? style : 'raw');
  const placed = { '${cursor}': literalOf(cursor, style), '${tie_breaker}': tie };
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [
      name,
      value.replace(/\$\{(?:cursor|tie_breaker)\}/g, (place) => placed[place as keyof typeof placed]),
    ]),
  );
}

function literalOf(text: string, style: NonNullable<CursorPolicy['literal_style']>): string {
  switch (style) {
    case 'raw':
      return text;
    case 'single_quoted':
      return `'${text.replaceAll("'", "''")}'`;
    case 'double_quoted':
      return JSON.stringify(text);
  }
}

function textIn(record: JsonRecord, field: string, what: string): string {
  const value: JsonValue | undefined = fieldOf(record, field);
  if (typeof value === 'string' && value !== '') return value;
  if (typeof value === 'number') return String(value);
  if (isRawNumber(value)) return value.rawJSON;
  throw new RemoteFailure(
    'request',
    `A record has no ${what}: its field ${field} is ${value === undefined ? 'missing' : 'empty or not a text or number'}.`,
  );
}

/** A value that compares in the format's order: times and numbers as integers in billionths. */
function rankOf(text: string, format: Format): bigint | string {
  const rank = rankIn(text, format);
  if (rank === undefined)
    throw new RemoteFailure(
      'request',
      `The cursor ${JSON.stringify(text.slice(0, 100))} doesn't have the format ${format}.`,
    );
  return rank;
}

function rankIn(text: string, format: Format): bigint | string | undefined {
  switch (format) {
    case 'string':
      return text;
    case 'iso8601':
      return nanosecondsOf(text);
    case 'integer':
      return /^-?\d{1,1000}$/.test(text) ? BigInt(text) : undefined;
    case 'epoch_seconds':
    case 'epoch_millis':
      return billionthsOf(text);
  }
}

function nanosecondsOf(text: string): bigint | undefined {
  // `Date.parse` is fast, but reads 30 February as a day in March.
  if (/^\d{4}-\d\d-(?:[01]\d|2[0-8])T\d\d:\d\d:\d\d(?:\.\d{3})?Z$/.test(text)) {
    const time = Date.parse(text);
    return Number.isNaN(time) ? undefined : BigInt(time) * 1_000_000n;
  }
  const time = text.trim().replace(' ', 'T');
  try {
    return Temporal.Instant.from(time).epochNanoseconds;
  } catch {
    // A time without an offset is in UTC.
  }
  try {
    return Temporal.PlainDateTime.from(time).toZonedDateTime('UTC').epochNanoseconds;
  } catch {
    return undefined;
  }
}

const scale = 9;

function billionthsOf(text: string): bigint | undefined {
  const decimal = text.length > 100 ? undefined : parseDecimal(text);
  if (decimal === undefined) return undefined;
  const { negative, digits, exponent } = decimal;
  const power = exponent + scale;
  if (digits === '') return 0n;
  if (power > 100 || digits.length + power <= 0) return power > 100 ? undefined : 0n;
  const whole = power >= 0 ? digits + '0'.repeat(power) : digits.slice(0, power);
  return negative ? -BigInt(whole) : BigInt(whole);
}

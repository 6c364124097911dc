import { parse } from 'lossless-json';

/**
 * JSON whose numbers keep their exact decimal value. A number that a double holds exactly, or whose shortest
 * form is the literal itself, stays a JavaScript number; any other becomes a `JSON.rawJSON` object, which
 * `JSON.stringify` writes back unchanged.
 */
export interface RawNumber {
  readonly rawJSON: string;
}

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | RawNumber
  | JsonValue[]
  | { [key: string]: JsonValue };

interface RawJson {
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
}

const raw = JSON as unknown as RawJson;

/**
 * A literal of at most 15 significant digits survives a double; only longer ones need a closer check. A
 * number follows a bracket, a colon, a comma or a space, which ids in strings do not.
 */
const longNumber = /(?:^|[[:,\s])-?\d(?:[\d.]{15}|[\d.]{0,14}[eE])/;

/**
 * Parses a JSON text. Parsing recurses where numbers may be long, so the caller bounds the depth; a caller
 * that already knows there are no long numbers may pass `false`.
 */
export function parseExactJson(text: string, mayHaveLongNumber = longNumber.test(text)): JsonValue {
  if (!mayHaveLongNumber) return JSON.parse(text) as JsonValue;
  return parse(text, null, {
    parseNumber: exactNumber,
    onDuplicateKey: ({ newValue }) => newValue,
  }) as JsonValue;
}

function exactNumber(literal: string): number | RawNumber {
  const value = Number(literal);
  return keepsValue(literal, value) ? value : raw.rawJSON(literal);
}

export function isRawNumber(value: unknown): value is RawNumber {
  return raw.isRawJSON(value);
}

/**
 * Sign, significant digits without leading and trailing zeros, and the power of ten of the last digit. Equal
 * values have equal parts.
 */
export interface Decimal {
  negative: boolean;
  digits: string;
  exponent: number;
}

export function parseDecimal(literal: string): Decimal | undefined {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,6}))?$/.exec(literal);
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = '', power = '0'] = match;
  if (whole === '' && fraction === '') return undefined;
  const all = whole + fraction;
  let start = 0;
  let end = all.length;
  while (start < end && all[start] === '0') start += 1;
  while (end > start && all[end - 1] === '0') end -= 1;
  if (start === end) return { negative: false, digits: '', exponent: 0 };
  const exponent = Number(power) - fraction.length + (all.length - end);
  return { negative: sign === '-', digits: all.slice(start, end), exponent };
}

function keepsValue(source: string, value: number): boolean {
  if (!Number.isFinite(value)) return false;
  if (source.length <= 15 && !/[eE]/.test(source)) return true;
  const before = parseDecimal(source);
  const after = parseDecimal(String(value));
  return (
    before !== undefined &&
    after !== undefined &&
    before.digits === after.digits &&
    before.exponent === after.exponent &&
    before.negative === after.negative
  );
}

/**
 * A raw number in transit between threads, where `JSON.rawJSON` objects cannot be cloned. No JSON value is a
 * set, so a set is unambiguous.
 */
type SentNumber = Set<string>;

/**
 * Prepares a value in place for transfer to another thread; returns false if nothing had to change. The
 * caller bounds the depth.
 */
export function packRawNumbers(value: object): boolean {
  return replaceMembers(value, isRawNumber, ({ rawJSON }): SentNumber => new Set([rawJSON]));
}

/** Reverses `packRawNumbers`. */
export function unpackRawNumbers(value: object): void {
  replaceMembers(
    value,
    (member): member is SentNumber => member instanceof Set,
    (sent) => raw.rawJSON([...sent][0]!),
  );
}

function replaceMembers<T>(
  value: object,
  isMeant: (member: unknown) => member is T,
  replacement: (member: T) => unknown,
): boolean {
  let hasReplaced = false;
  const look = (member: unknown, key: string | number) => {
    if (isMeant(member)) {
      Object.defineProperty(value, key, { value: replacement(member) });
      hasReplaced = true;
    } else if (typeof member === 'object' && member !== null)
      hasReplaced = replaceMembers(member, isMeant, replacement) || hasReplaced;
  };
  if (Array.isArray(value)) value.forEach(look);
  else for (const [key, member] of Object.entries(value)) look(member, key);
  return hasReplaced;
}

import { isRawNumber, type JsonValue, parseDecimal } from './exact-json.ts';

/**
 * Canonical JSON: RFC 8785's order of members (by UTF-16 code unit) and its strings, but numbers by their
 * exact decimal value, in the form ECMAScript gives a number of those digits. Where a double holds the value
 * exactly the text is RFC 8785's own.
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value === 'number') return canonicalNumber(String(value));
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isRawNumber(value)) return canonicalNumber(value.rawJSON);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.keys(value)
    .toSorted(byCodeUnit)
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name]!)}`);
  return `{${members.join(',')}}`;
}

/**
 * Half of a surrogate pair, as `JSON.stringify` writes it; a backslash that was sent is doubled before it.
 */
const loneSurrogate = /((?<!\\)(?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/gi;

/** Whether a JSON text that `JSON.stringify` wrote holds half of a surrogate pair, which is no character. */
export function hasLoneSurrogate(json: string): boolean {
  return json.includes('\\ud') && json.search(loneSurrogate) !== -1;
}

/** The same text with the replacement character instead. */
export function replaceLoneSurrogates(json: string): string {
  return json.replace(loneSurrogate, '$1\\ufffd');
}

/** The order RFC 8785 gives to the members of an object. */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * ECMAScript's Number::toString over any number of digits. A literal no decimal can be read from stays as it
 * is.
 */
export function canonicalNumber(literal: string): string {
  const decimal = parseDecimal(literal);
  if (decimal === undefined) return literal;
  const { digits, exponent } = decimal;
  if (digits === '') return '0';
  const sign = decimal.negative ? '-' : '';
  const count = digits.length;
  /** Where the point stands, counted from before the first digit. */
  const point = count + exponent;
  if (point > 21 || point <= -6) {
    const fraction = count === 1 ? '' : `.${digits.slice(1)}`;
    return `${sign}${digits[0]}${fraction}e${point > 0 ? '+' : '-'}${Math.abs(point - 1)}`;
  }
  if (count <= point) return sign + digits + '0'.repeat(point - count);
  if (point > 0) return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
  return `${sign}0.${'0'.repeat(-point)}${digits}`;
}

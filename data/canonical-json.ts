import { isRawNumber, type JsonValue, parseDecimal } from './exact-json.ts';

/**
 * Canonical JSON: member order (by UTF-16 code unit) and strings as in RFC 8785, but numbers by their exact
 * decimal value, in ECMAScript's number format. Where a double holds the value exactly, the text is the same
 * as RFC 8785's.
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

/** A lone surrogate as `JSON.stringify` writes it; the first group skips escaped backslashes. */
const loneSurrogate = /((?<!\\)(?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/gi;

/** Whether a JSON text written by `JSON.stringify` contains a lone surrogate, which is not a character. */
export function hasLoneSurrogate(json: string): boolean {
  return json.includes('\\ud') && json.search(loneSurrogate) !== -1;
}

const nul = /(?<!\\)(?:\\\\)*\\u0000/;

/** Whether a JSON text written by `JSON.stringify` contains the NUL character. */
export function hasNul(json: string): boolean {
  return json.includes('\\u0000') && nul.test(json);
}

/** Replaces each lone surrogate with the replacement character. */
export function replaceLoneSurrogates(json: string): string {
  return json.replace(loneSurrogate, '$1\\ufffd');
}

/** RFC 8785's order of object members. */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * ECMAScript's Number::toString for any number of digits. A literal that cannot be parsed as a decimal is
 * returned unchanged.
 */
export function canonicalNumber(literal: string): string {
  const decimal = parseDecimal(literal);
  if (decimal === undefined) return literal;
  const { digits, exponent } = decimal;
  if (digits === '') return '0';
  const sign = decimal.negative ? '-' : '';
  const count = digits.length;
  /** Position of the decimal point, counted from before the first digit. */
  const point = count + exponent;
  if (point > 21 || point <= -6) {
    const fraction = count === 1 ? '' : `.${digits.slice(1)}`;
    return `${sign}${digits[0]}${fraction}e${point > 0 ? '+' : '-'}${Math.abs(point - 1)}`;
  }
  if (count <= point) return sign + digits + '0'.repeat(point - count);
  if (point > 0) return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
  return `${sign}0.${'0'.repeat(-point)}${digits}`;
}

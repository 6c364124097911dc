import { isRawNumber, type JsonValue, parseDecimal } from '../../../data/exact-json.ts';

/** The type determined by a first value, in the service's type names. */
export type InferredType = 'BOOLEAN' | 'INTEGER' | 'DECIMAL(38,0)' | 'DOUBLE' | 'STRING' | 'JSON';

const int64Max = 9_223_372_036_854_775_807n;
const int64Min = -9_223_372_036_854_775_808n;
const decimalMax = 10n ** 38n;

/** The integer a JSON number is, or undefined when it has a fraction or more digits than 38. */
export function integerOf(value: JsonValue): bigint | undefined {
  // From its shortest form, which is what was sent; the double itself may be slightly off.
  if (typeof value === 'number')
    return Number.isInteger(value) && Math.abs(value) < 1e21 ? BigInt(String(value)) : undefined;
  if (!isRawNumber(value)) return undefined;
  const decimal = parseDecimal(value.rawJSON);
  if (decimal === undefined || decimal.exponent < 0 || decimal.digits.length + decimal.exponent > 38)
    return undefined;
  const magnitude = BigInt(decimal.digits === '' ? '0' : decimal.digits) * 10n ** BigInt(decimal.exponent);
  return decimal.negative ? -magnitude : magnitude;
}

export function fitsInt64(integer: bigint): boolean {
  return integer >= int64Min && integer <= int64Max;
}

export function isSafeInDouble(integer: bigint): boolean {
  return integer >= -(2n ** 53n) && integer <= 2n ** 53n;
}

/**
 * The type of one value for which no column type is known; undefined for a number that no type holds exactly.
 */
export function typeOfValue(value: Exclude<JsonValue, null>): InferredType | undefined {
  if (typeof value === 'boolean') return 'BOOLEAN';
  if (typeof value === 'string') return 'STRING';
  if (typeof value === 'number' || isRawNumber(value)) {
    const integer = integerOf(value);
    if (integer !== undefined) {
      if (fitsInt64(integer)) return 'INTEGER';
      return integer < decimalMax && integer > -decimalMax ? 'DECIMAL(38,0)' : undefined;
    }
    return typeof value === 'number' ? 'DOUBLE' : undefined;
  }
  return 'JSON';
}

/**
 * The narrowest type that holds both without loss; undefined if there is none. INTEGER to DOUBLE also
 * requires every stored integer to be within 2^53, which only the data can show.
 */
export function widen(from: string, to: InferredType): string | undefined {
  if (from === to || from === 'JSON') return from;
  if (from === 'INTEGER' && (to === 'DOUBLE' || to === 'DECIMAL(38,0)')) return to;
  if ((from === 'DOUBLE' || from === 'DECIMAL(38,0)') && to === 'INTEGER') return from;
  return undefined;
}

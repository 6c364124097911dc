import { parse } from 'lossless-json';

/** A number that a double would change. `JSON.stringify` writes it back as it was. */
export interface RawNumber {
  readonly rawJSON: string;
}

/** JSON whose numbers keep their exact decimal value. */
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

export const isRawNumber = (value: unknown): value is RawNumber => raw.isRawJSON(value);

/**
 * Parses a JSON text. Parsing recurses where numbers may be long, so the caller bounds the depth.
 *
 * @param mayHaveLongNumber whether a number may have more than 15 digits or an exponent
 * @throws SyntaxError
 */
export function parseExactJson(text: string, mayHaveLongNumber: boolean): JsonValue {
  if (!mayHaveLongNumber) return JSON.parse(text) as JsonValue;
  return parse(text, null, {
    parseNumber: exactNumber,
    onDuplicateKey: ({ newValue }) => newValue,
  }) as JsonValue;
}

function exactNumber(literal: string): number | RawNumber {
  const value = Number(literal);
  const isShort = literal.length <= 15 && !/[eE]/.test(literal);
  const isKept = Number.isFinite(value) && (isShort || normal(literal) === normal(String(value)));
  return isKept ? value : raw.rawJSON(literal);
}

/** The same text for all literals of one value: sign, significant digits, and the power of the last one. */
function normal(literal: string): string | undefined {
  const match = /^(-?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,6}))?$/.exec(literal);
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = '', power = '0'] = match;
  const all = whole + fraction;
  let [start, end] = [0, all.length];
  while (start < end && all[start] === '0') start += 1;
  while (end > start && all[end - 1] === '0') end -= 1;
  if (start === end) return '0';
  return `${sign}${all.slice(start, end)}e${Number(power) - fraction.length + all.length - end}`;
}

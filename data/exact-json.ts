/**
 * JSON whose numbers keep their exact decimal value. A number that a double holds exactly, or whose shortest
 * form is the literal itself, stays a JavaScript number; any other becomes a `JSON.rawJSON` object, which
 * `JSON.stringify` writes back as it came.
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

interface ExactJson {
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
}

const exact = JSON as unknown as ExactJson;

/** Any literal of at most 15 significant digits survives a double: only longer ones need a second look. */
const longNumber = /[\d.]{16}|\d[eE]/;

export function parseExactJson(text: string): JsonValue {
  if (!longNumber.test(text)) return JSON.parse(text) as JsonValue;
  return exact.parse(text, (_key, value, { source }) => {
    if (typeof value !== 'number' || source === undefined) return value;
    return keepsValue(source, value) ? value : exact.rawJSON(source);
  }) as JsonValue;
}

export function isRawNumber(value: unknown): value is RawNumber {
  return exact.isRawJSON(value);
}

/** Sign, significant digits without outer zeros, and the power of ten of the last one: equal exactly for equal values. */
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
  const all = (whole + fraction).replace(/^0+/, '');
  const digits = all.replace(/0+$/, '');
  if (digits === '') return { negative: false, digits: '', exponent: 0 };
  const exponent = Number(power) - fraction.length + (all.length - digits.length);
  return { negative: sign === '-', digits, exponent };
}

function keepsValue(source: string, value: number): boolean {
  if (!Number.isFinite(value)) return false;
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

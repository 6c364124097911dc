import { hasLoneSurrogate, hasNul } from '../../../data/canonical-json.ts';
import { isRawNumber, type JsonValue, parseDecimal } from '../../../data/exact-json.ts';
import { fitsInt64, integerOf } from './types.ts';

/** A request's value as JSON text that the engine casts exactly, or why it does not fit, with a remedy. */
export type Encoded = { text: string } | { fault: string };

export type Encoder = (value: Exclude<JsonValue, null>) => Encoded;

const datePattern = /^(\d{4})-(\d\d)-(\d\d)$/;
const timePattern = /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?$/;
const timestampPattern =
  /^(\d{4}-\d\d-\d\d)(?:[T ]((?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?)(Z|[+-]\d\d:?\d\d)?)?$/;

function fault(expected: string, value: JsonValue): Encoded {
  return { fault: `${describe(value)} is not allowed here: ${expected}` };
}

function describe(value: JsonValue): string {
  if (value === null) return 'The value null';
  if (typeof value === 'string') return `The string ${JSON.stringify(value.slice(0, 40))}`;
  if (typeof value === 'number' || typeof value === 'boolean') return `The ${typeof value} ${value}`;
  if (isRawNumber(value)) return `The number ${value.rawJSON.slice(0, 40)}`;
  return Array.isArray(value) ? 'An array' : 'An object';
}

function isDate(text: string): boolean {
  const match = datePattern.exec(text);
  if (match === null) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (year === 0) return false;
  const date = new Date(Date.UTC(year, month - 1, day));
  date.setUTCFullYear(year);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

const encoders: Record<string, Encoder> = {
  BOOLEAN: (value) =>
    typeof value === 'boolean'
      ? { text: String(value) }
      : fault('the column is BOOLEAN. Send true or false.', value),
  INTEGER: (value) => {
    if (typeof value === 'number' && Number.isSafeInteger(value)) return { text: String(value) };
    const integer = integerOf(value);
    return integer !== undefined && fitsInt64(integer)
      ? { text: String(integer) }
      : fault('the column is INTEGER (64-bit). Send a whole number, or retype the column.', value);
  },
  DOUBLE: (value) => {
    // A number that a double cannot hold exactly arrives as a raw number.
    if (typeof value === 'number') return { text: String(value) };
    if (isRawNumber(value)) {
      return fault(
        'the column is DOUBLE and would round it. Send a number that a double holds exactly, or retype the column to DECIMAL.',
        value,
      );
    }
    return value === 'NaN' || value === 'Infinity' || value === '-Infinity'
      ? { text: `"${value}"` }
      : fault('the column is DOUBLE. Send a number.', value);
  },
  STRING: (value) => {
    if (typeof value !== 'string')
      return fault('the column is STRING. Send a string, or retype the column.', value);
    return withoutBadText(value, JSON.stringify(value));
  },
  DATE: (value) =>
    typeof value === 'string' && isDate(value)
      ? { text: `"${value}"` }
      : fault('the column is DATE. Send "YYYY-MM-DD".', value),
  TIME: (value) =>
    typeof value === 'string' && timePattern.test(value)
      ? { text: `"${value.length === 5 ? `${value}:00` : value}"` }
      : fault('the column is TIME. Send "hh:mm:ss" with up to six fraction digits.', value),
  TIMESTAMP: (value) => encodeTimestamp(value, 'TIMESTAMP'),
  TIMESTAMPTZ: (value) => encodeTimestamp(value, 'TIMESTAMPTZ'),
  // As text inside a string, because the engine's JSON reader would round long numbers to doubles.
  JSON: (value) => {
    const text = JSON.stringify(value);
    const checked = withoutBadText(value, text);
    return 'text' in checked ? { text: JSON.stringify(text) } : checked;
  },
};

/**
 * The value as JSON text. Neither half of a surrogate pair nor NUL can be written in a statement of
 * PostgreSQL, where the catalog of the lake is asked for the files that may hold a value.
 */
function withoutBadText(value: JsonValue, json: string): Encoded {
  if (hasLoneSurrogate(json)) return fault('it contains half of a surrogate pair.', value);
  return hasNul(json) ? fault('it contains a NUL character.', value) : { text: json };
}

/** A time as the engine writes it: without zeros at the end of a fraction. */
function withoutZeros(time: string): string {
  const [whole, fraction = ''] = time.split('.');
  const digits = fraction.replace(/0{1,6}$/, '');
  return digits === '' ? whole! : `${whole}.${digits}`;
}

/** A value with an offset is stored as the instant in UTC; one without is stored unchanged. */
function encodeTimestamp(value: JsonValue, type: string): Encoded {
  const match = typeof value === 'string' ? timestampPattern.exec(value) : null;
  if (match === null || !isDate(match[1]!)) {
    return fault(
      `the column is ${type}. Send "YYYY-MM-DDThh:mm:ss", with up to six fraction digits and an optional offset.`,
      value,
    );
  }
  const [, date, time = '00:00:00', offset] = match;
  const seconds = withoutZeros(time.length === 5 ? `${time}:00` : time);
  if (offset === undefined || offset === 'Z')
    return { text: `"${date} ${seconds}${type === 'TIMESTAMPTZ' ? '+00' : ''}"` };
  // Offsets are whole minutes, so fraction digits beyond the millisecond are unaffected by the shift.
  const [whole, fraction = ''] = seconds.split('.');
  const withColon = offset.includes(':') ? offset : `${offset.slice(0, 3)}:${offset.slice(3)}`;
  const instant = new Date(`${date}T${whole}${withColon}`);
  if (Number.isNaN(instant.getTime())) return fault("its offset isn't valid.", value);
  const iso = instant.toISOString();
  if (iso.startsWith('+') || iso.startsWith('-') || iso.startsWith('0000')) {
    return fault('in UTC, it is outside the years 0001 to 9999.', value);
  }
  const utc = iso.slice(0, 19).replace('T', ' ');
  return { text: `"${utc}${fraction === '' ? '' : `.${fraction}`}${type === 'TIMESTAMPTZ' ? '+00' : ''}"` };
}

function decimalEncoder(precision: number, scale: number): Encoder {
  const expected = `the column is DECIMAL(${precision},${scale}). Send a number or numeric string of at most ${
    precision - scale
  } digits before and ${scale} after the point.`;
  return (value) => {
    const text = typeof value === 'number' ? String(value) : isRawNumber(value) ? value.rawJSON : value;
    const decimal = typeof text === 'string' ? parseDecimal(text) : undefined;
    if (decimal === undefined) return fault(expected, value);
    const fits = decimal.exponent >= -scale && decimal.digits.length + decimal.exponent <= precision - scale;
    return fits ? { text: `"${plainDecimal(decimal)}"` } : fault(expected, value);
  };
}

function plainDecimal(decimal: { negative: boolean; digits: string; exponent: number }): string {
  const sign = decimal.negative ? '-' : '';
  if (decimal.digits === '') return '0';
  if (decimal.exponent >= 0) return sign + decimal.digits + '0'.repeat(decimal.exponent);
  const padded = decimal.digits.padStart(1 - decimal.exponent, '0');
  return `${sign}${padded.slice(0, decimal.exponent)}.${padded.slice(decimal.exponent)}`;
}

/** The encoder of a column type; undefined for a type that only imports create and rows cannot carry. */
export function encoderOf(dataType: string): Encoder | undefined {
  const decimal = /^DECIMAL\((\d+),(\d+)\)$/.exec(dataType);
  if (decimal !== null) return decimalEncoder(Number(decimal[1]), Number(decimal[2]));
  return encoders[dataType];
}

/**
 * The JSON type in which the encoded text of a type is passed, and the cast that makes it a value of the
 * column.
 */
export function transportOf(dataType: string): { jsonType: string; cast: string | undefined } {
  if (dataType === 'INTEGER') return { jsonType: 'BIGINT', cast: undefined };
  if (dataType === 'BOOLEAN' || dataType === 'DOUBLE') return { jsonType: dataType, cast: undefined };
  return { jsonType: 'VARCHAR', cast: dataType === 'STRING' ? undefined : dataType };
}

import type { IcebergType } from './schema.ts';

/** Texts that are longer are left out: an upper bound can't be cut. */
const longestText = 256;

/**
 * A bound of a column in Iceberg's binary form; undefined where there is none, or where the text can't be
 * read with certainty: without a bound an engine reads the file.
 *
 * @param text as DuckLake's catalog has it
 */
export function boundOf(type: IcebergType, text: string | null): Buffer | undefined {
  if (text === null || typeof type !== 'string') return undefined;
  const decimal = /^decimal\(\d+, (\d+)\)$/.exec(type);
  if (decimal !== null) return decimalBound(text, Number(decimal[1]));
  switch (type) {
    case 'boolean':
      return text === 'true' || text === 'false' ? Buffer.from([text === 'true' ? 1 : 0]) : undefined;
    case 'int':
      return int32(text);
    case 'long':
      return /^-?\d{1,19}$/.test(text) ? int64(BigInt(text)) : undefined;
    case 'float':
    case 'double':
      return floating(type, text);
    case 'date':
      return days(text);
    case 'time':
    case 'timestamp':
    case 'timestamptz': {
      const found = type === 'time' ? microsOfDay(text) : micros(text);
      return found === undefined ? undefined : int64(found);
    }
    case 'string':
      return text.length > longestText ? undefined : Buffer.from(text);
    case 'uuid':
      return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
        ? Buffer.from(text.replaceAll('-', ''), 'hex')
        : undefined;
    default:
      return undefined;
  }
}

function int32(text: string): Buffer | undefined {
  const value = Number(text);
  if (!/^-?\d{1,10}$/.test(text) || value !== (value | 0)) return undefined;
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}

function int64(value: bigint): Buffer | undefined {
  if (BigInt.asIntN(64, value) !== value) return undefined;
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(value);
  return bytes;
}

function floating(type: 'float' | 'double', text: string): Buffer | undefined {
  const value = Number(text);
  // Engines differ in how they order zeros by their sign.
  if (text.trim() === '' || !Number.isFinite(value) || value === 0) return undefined;
  const bytes = Buffer.alloc(type === 'float' ? 4 : 8);
  if (type === 'float') bytes.writeFloatLE(value);
  else bytes.writeDoubleLE(value);
  return bytes;
}

function days(text: string): Buffer | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const at = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(at) ? undefined : int32(String(at / 86_400_000));
}

function micros(text: string): bigint | undefined {
  const [, date, time, fraction = '', zone] =
    /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?(\+00(?::00)?|Z)?$/.exec(text) ?? [];
  if (date === undefined) return undefined;
  const at = Date.parse(`${date}T${time}Z`);
  // A zone other than UTC is not written by the service.
  return Number.isNaN(at) || zone === '' ? undefined : BigInt(at) * 1_000n + fractionMicros(fraction);
}

function microsOfDay(text: string): bigint | undefined {
  const [, hours, minutes, seconds, fraction = ''] =
    /^(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,6}))?$/.exec(text) ?? [];
  if (hours === undefined) return undefined;
  const whole = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return BigInt(whole) * 1_000_000n + fractionMicros(fraction);
}

const fractionMicros = (fraction: string): bigint => BigInt(fraction.padEnd(6, '0'));

/** The unscaled value as the shortest two's complement, most significant byte first. */
function decimalBound(text: string, scale: number): Buffer | undefined {
  const [, sign, whole, fraction = ''] = /^(-?)(\d{1,38})(?:\.(\d{0,38}))?$/.exec(text) ?? [];
  if (whole === undefined || fraction.length > scale) return undefined;
  const unscaled = BigInt(whole + fraction.padEnd(scale, '0')) * (sign === '-' ? -1n : 1n);
  let length = 1;
  while (BigInt.asIntN(length * 8, unscaled) !== unscaled) length += 1;
  return Buffer.from(
    BigInt.asUintN(length * 8, unscaled)
      .toString(16)
      .padStart(length * 2, '0'),
    'hex',
  );
}

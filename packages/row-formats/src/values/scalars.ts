import {
  type DuckDBBlobValue,
  type DuckDBDateValue,
  type DuckDBDecimalValue,
  type DuckDBIntervalValue,
  type DuckDBTimeNSValue,
  type DuckDBTimestampMillisecondsValue,
  type DuckDBTimestampNanosecondsValue,
  type DuckDBTimestampSecondsValue,
  type DuckDBTimestampTZValue,
  type DuckDBTimestampValue,
  type DuckDBTimeTZValue,
  type DuckDBTimeValue,
  type DuckDBType,
  DuckDBTypeId,
  type DuckDBValue,
} from '@duckdb/node-api';
import { isoDate } from './calendar.ts';
import {
  instantText,
  intervalText,
  microsecondTimestampText,
  nanosecondTimeText,
  timestampText,
  timeText,
  zonedTimeText,
} from './temporal.ts';

/** Encodes one non-null value of a column as JSON text. */
type Encode<T> = (value: T) => string;
export type ValueEncoder = Encode<DuckDBValue>;

/** The cast every encoder below relies on: the binding returns a column's values in the class of its type. */
export function of<T>(encode: Encode<T>): ValueEncoder {
  return encode as Encode<unknown> as ValueEncoder;
}

const quoted = (text: string): string => `"${text}"`;
const plainText = of(String);
const asString: ValueEncoder = (value) => JSON.stringify(String(value));
const maxExact = 2n ** 53n;
const endOfTime = 2n ** 63n - 1n;
const endOfDates = 2 ** 31 - 1;

/** Beyond 2^53 as a string, because a reader's double could not hold it. */
const integerText = (value: bigint): string =>
  value > maxExact || value < -maxExact ? quoted(value.toString()) : value.toString();
const integer = of<bigint>(integerText);

const encoders: Partial<Record<DuckDBTypeId, ValueEncoder>> = {
  [DuckDBTypeId.BOOLEAN]: plainText,
  [DuckDBTypeId.TINYINT]: plainText,
  [DuckDBTypeId.SMALLINT]: plainText,
  [DuckDBTypeId.INTEGER]: plainText,
  [DuckDBTypeId.UTINYINT]: plainText,
  [DuckDBTypeId.USMALLINT]: plainText,
  [DuckDBTypeId.UINTEGER]: plainText,
  [DuckDBTypeId.BIGINT]: integer,
  [DuckDBTypeId.UBIGINT]: integer,
  [DuckDBTypeId.HUGEINT]: integer,
  [DuckDBTypeId.UHUGEINT]: integer,
  [DuckDBTypeId.BIGNUM]: integer,
  [DuckDBTypeId.DECIMAL]: of<DuckDBDecimalValue>(({ value, scale }) =>
    scale === 0 ? integerText(value) : quoted(decimalText(value, scale)),
  ),
  [DuckDBTypeId.DOUBLE]: of<number>((value) =>
    Number.isFinite(value) ? String(value) : quoted(String(value)),
  ),
  [DuckDBTypeId.FLOAT]: of<number>((value) =>
    Number.isFinite(value) ? singleText(value) : quoted(String(value)),
  ),
  [DuckDBTypeId.VARCHAR]: of<string>((value) => JSON.stringify(value)),
  [DuckDBTypeId.ENUM]: of<string>((value) => JSON.stringify(value)),
  [DuckDBTypeId.BLOB]: of<DuckDBBlobValue>((value) => quoted(base64(value.bytes))),
  [DuckDBTypeId.DATE]: of<DuckDBDateValue>((value) =>
    Math.abs(value.days) === endOfDates ? infinity(value.days > 0) : quoted(isoDate(value.days)),
  ),
  [DuckDBTypeId.TIME]: of<DuckDBTimeValue>((value) => quoted(timeText(value))),
  [DuckDBTypeId.TIME_NS]: of<DuckDBTimeNSValue>((value) => quoted(nanosecondTimeText(value))),
  [DuckDBTypeId.TIME_TZ]: of<DuckDBTimeTZValue>((value) => quoted(zonedTimeText(value))),
  [DuckDBTypeId.TIMESTAMP]: of<DuckDBTimestampValue>(
    (value) => finite(value.micros) ?? quoted(microsecondTimestampText(value.micros)),
  ),
  [DuckDBTypeId.TIMESTAMP_TZ]: of<DuckDBTimestampTZValue>(
    (value) => finite(value.micros) ?? quoted(instantText(value)),
  ),
  [DuckDBTypeId.TIMESTAMP_S]: of<DuckDBTimestampSecondsValue>(
    (value) => finite(value.seconds) ?? quoted(timestampText(value.seconds, 0, 6)),
  ),
  [DuckDBTypeId.TIMESTAMP_MS]: of<DuckDBTimestampMillisecondsValue>(
    (value) => finite(value.millis) ?? quoted(timestampText(value.millis, 3, 6)),
  ),
  [DuckDBTypeId.TIMESTAMP_NS]: of<DuckDBTimestampNanosecondsValue>(
    (value) => finite(value.nanos) ?? quoted(timestampText(value.nanos, 9, 9)),
  ),
  [DuckDBTypeId.INTERVAL]: of<DuckDBIntervalValue>((value) => quoted(intervalText(value))),
};

/** The text of an infinite value, or undefined for a finite one. */
function finite(units: bigint): string | undefined {
  return units === endOfTime || units === -endOfTime ? infinity(units > 0n) : undefined;
}

const infinity = (isPositive: boolean): string => (isPositive ? '"infinity"' : '"-infinity"');
const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');

export function decimalText(value: bigint, scale: number): string {
  const asNumber = Number(value);
  if (asNumber >= 0 && Number.isSafeInteger(asNumber)) {
    // The same with doubles, several times faster; nearly all decimals fit.
    const text = String(asNumber).padStart(scale + 1, '0');
    return `${text.slice(0, -scale)}.${text.slice(-scale)}`;
  }
  const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** The shortest text that parses to the same single: 0.1, not the double's 0.10000000149011612. */
export function singleText(value: number): string {
  for (let digits = 6; digits < 9; digits += 1) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return String(shorter);
  }
  return String(value);
}

/**
 * A JSON document is written unchanged, digits included, provided it is valid JSON: the engine also accepts
 * NaN.
 */
const embeddedJson = of<string>((value) => {
  try {
    JSON.parse(value);
    return value;
  } catch {
    return JSON.stringify(value);
  }
});

/** The encoder of a scalar type. Types without a rule are written as the engine's own text. */
export function scalarEncoder(type: DuckDBType): ValueEncoder {
  return type.alias === 'JSON' ? embeddedJson : (encoders[type.typeId] ?? asString);
}

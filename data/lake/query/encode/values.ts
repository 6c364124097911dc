import {
  DuckDBArrayType,
  type DuckDBArrayValue,
  type DuckDBBlobValue,
  type DuckDBDateValue,
  type DuckDBDecimalValue,
  type DuckDBIntervalValue,
  DuckDBListType,
  type DuckDBListValue,
  DuckDBMapType,
  type DuckDBMapValue,
  DuckDBStructType,
  type DuckDBStructValue,
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
  DuckDBUnionType,
  type DuckDBUnionValue,
  type DuckDBValue,
  type DuckDBVariantValue,
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

/** Turns one non-null value of a column into JSON text. */
type Encode<T> = (value: T) => string;
export type ValueEncoder = Encode<DuckDBValue>;

/** The cast every encoder below rests on: the binding gives a column's values in its type's own class. */
function of<T>(encode: Encode<T>): ValueEncoder {
  return encode as Encode<unknown> as ValueEncoder;
}

const quoted = (text: string): string => `"${text}"`;
const plainText = of(String);
const asString: ValueEncoder = (value) => JSON.stringify(String(value));
const maxExact = 2n ** 53n;
const endOfTime = 2n ** 63n - 1n;
const endOfDates = 2 ** 31 - 1;

/** Beyond 2^53 a reader's double could not hold it. */
const integer64 = of<bigint>((value) =>
  value > maxExact || value < -maxExact ? quoted(value.toString()) : value.toString(),
);

const encoders: Partial<Record<DuckDBTypeId, ValueEncoder>> = {
  [DuckDBTypeId.BOOLEAN]: plainText,
  [DuckDBTypeId.TINYINT]: plainText,
  [DuckDBTypeId.SMALLINT]: plainText,
  [DuckDBTypeId.INTEGER]: plainText,
  [DuckDBTypeId.UTINYINT]: plainText,
  [DuckDBTypeId.USMALLINT]: plainText,
  [DuckDBTypeId.UINTEGER]: plainText,
  [DuckDBTypeId.BIGINT]: integer64,
  [DuckDBTypeId.UBIGINT]: integer64,
  [DuckDBTypeId.HUGEINT]: of<bigint>((value) => quoted(value.toString())),
  [DuckDBTypeId.UHUGEINT]: of<bigint>((value) => quoted(value.toString())),
  [DuckDBTypeId.BIGNUM]: of<bigint>((value) => quoted(value.toString())),
  [DuckDBTypeId.DECIMAL]: of<DuckDBDecimalValue>((value) => quoted(decimalText(value.value, value.scale))),
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
  [DuckDBTypeId.VARIANT]: of<DuckDBVariantValue>((value) =>
    value.value === null || value.type === undefined ? 'null' : encoderFor(value.type)(value.value),
  ),
};

/** The text of an infinite value, or undefined for a finite one. */
function finite(units: bigint): string | undefined {
  return units === endOfTime || units === -endOfTime ? infinity(units > 0n) : undefined;
}

const infinity = (isPositive: boolean): string => (isPositive ? '"infinity"' : '"-infinity"');
const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');

function decimalText(value: bigint, scale: number): string {
  if (scale === 0) return value.toString();
  const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** The shortest text that is the same single: 0.1, not the 0.10000000149011612 that the double would show. */
function singleText(value: number): string {
  for (let digits = 6; digits < 9; digits += 1) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return String(shorter);
  }
  return String(value);
}

/** A document goes out as it is, digits and all, provided that it is JSON: the engine also accepts NaN. */
const embeddedJson = of<string>((value) => {
  try {
    JSON.parse(value);
    return value;
  } catch {
    return JSON.stringify(value);
  }
});

/**
 * The encoder of a column. Fields of structs are read by position (see `positional.ts`), because their names
 * may be empty, equal or `__proto__`.
 */
export function encoderFor(type: DuckDBType): ValueEncoder {
  if (type.alias === 'JSON') return embeddedJson;
  if (type instanceof DuckDBListType || type instanceof DuckDBArrayType) {
    const item = nullable(encoderFor(type.valueType));
    return of<DuckDBListValue | DuckDBArrayValue>((value) => `[${value.items.map(item).join(',')}]`);
  }
  if (type instanceof DuckDBStructType) return structEncoder(type);
  if (type instanceof DuckDBMapType) return mapEncoder(type);
  if (type instanceof DuckDBUnionType) {
    const members = new Map(
      type.memberTypes.map((member, index) => [type.memberTags[index], nullable(encoderFor(member))]),
    );
    return of<DuckDBUnionValue>((value) => members.get(value.tag)?.(value.value) ?? 'null');
  }
  return encoders[type.typeId] ?? asString;
}

function nullable(encode: ValueEncoder): (value: DuckDBValue) => string {
  return (value) => (value === null ? 'null' : encode(value));
}

function structEncoder(type: DuckDBStructType): ValueEncoder {
  const fields = type.entryTypes.map((entry, index) => {
    const name = type.entryNames[index] ?? '';
    const key = JSON.stringify(name === '' ? String(index + 1) : name);
    return { key, position: String(index), encode: nullable(encoderFor(entry)) };
  });
  return of<DuckDBStructValue>((value) => {
    const written = fields.map(
      ({ key, position, encode }) => `${key}:${encode(value.entries[position] ?? null)}`,
    );
    return `{${written.join(',')}}`;
  });
}

function mapEncoder(type: DuckDBMapType): ValueEncoder {
  const encodeKey = encoderFor(type.keyType);
  const encodeValue = nullable(encoderFor(type.valueType));
  return of<DuckDBMapValue>((value) => {
    const written = value.entries.map((entry) => {
      const key = entry.key === null ? 'null' : encodeKey(entry.key);
      return `${key.startsWith('"') ? key : JSON.stringify(key)}:${encodeValue(entry.value)}`;
    });
    return `{${written.join(',')}}`;
  });
}

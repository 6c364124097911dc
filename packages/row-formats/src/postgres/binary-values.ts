import {
  type DuckDBArrayValue,
  type DuckDBBlobValue,
  type DuckDBDateValue,
  type DuckDBIntervalValue,
  type DuckDBListValue,
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
import { writeNumeric } from './numeric.ts';
import type { Sink } from './sink.ts';
import { postgresText } from './text-values.ts';
import { itemType, postgresType } from './types.ts';

/** Writes one value, without its length. */
export type WriteValue = (sink: Sink, value: DuckDBValue) => void;

/** The cast that all of them rely on: the binding returns values in the class of the column's type. */
const as = <T>(write: (sink: Sink, value: T) => void): WriteValue => write as unknown as WriteValue;

/** The function that writes a value of a type in PostgreSQL's binary format. */
export function postgresBinary(type: DuckDBType, hasOids = false): WriteValue {
  const item = itemType(type);
  if (item !== undefined) return arrayBinary(item, hasOids);
  const { oid } = postgresType(type, hasOids);
  if (hasOids && oid === 26) return (sink, value) => sink.int32(Number(value));
  const text = postgresText(type);
  if (oid === numeric) return (sink, value) => writeNumeric(sink, text(value));
  return scalars[type.typeId] ?? ((sink, value) => sink.text(text(value)));
}

/** Integers of another size than the column has: as a client expects them after it was told of a type. */
export const integersOf: Readonly<Record<number, WriteValue>> = {
  21: as<number | bigint>((sink, value) => sink.int16(Number(value))),
  23: as<number | bigint>((sink, value) => sink.int32(Number(value))),
  20: as<number | bigint>((sink, value) => sink.int64(BigInt(value))),
};

const numeric = 1700;
/** From 1970 to 2000, where PostgreSQL's times begin. */
const epochDays = 10_957;
const epochMicros = 946_684_800_000_000n;
const endOfDates = 2 ** 31 - 1;
const endOfTime = 2n ** 63n - 1n;

const small = integersOf[21]!;
const medium = integersOf[23]!;
const large = integersOf[20]!;

const scalars: Partial<Record<DuckDBTypeId, WriteValue>> = {
  [DuckDBTypeId.BOOLEAN]: as<boolean>((sink, value) => sink.byte(value ? 1 : 0)),
  [DuckDBTypeId.TINYINT]: small,
  [DuckDBTypeId.SMALLINT]: small,
  [DuckDBTypeId.UTINYINT]: small,
  [DuckDBTypeId.INTEGER]: medium,
  [DuckDBTypeId.USMALLINT]: medium,
  [DuckDBTypeId.BIGINT]: large,
  [DuckDBTypeId.UINTEGER]: large,
  [DuckDBTypeId.FLOAT]: as<number>((sink, value) => sink.float4(value)),
  [DuckDBTypeId.DOUBLE]: as<number>((sink, value) => sink.float8(value)),
  [DuckDBTypeId.BLOB]: as<DuckDBBlobValue>((sink, { bytes }) => sink.bytes(bytes)),
  [DuckDBTypeId.DATE]: as<DuckDBDateValue>((sink, { days }) => sink.int32(dateDays(days))),
  [DuckDBTypeId.TIME]: as<DuckDBTimeValue>((sink, { micros }) => sink.int64(micros)),
  [DuckDBTypeId.TIME_NS]: as<DuckDBTimeNSValue>((sink, { nanos }) => sink.int64(nanos / 1_000n)),
  [DuckDBTypeId.TIME_TZ]: as<DuckDBTimeTZValue>((sink, { micros, offset }) => {
    sink.int64(micros);
    sink.int32(-offset);
  }),
  [DuckDBTypeId.TIMESTAMP]: as<DuckDBTimestampValue>((sink, { micros }) => moment(sink, micros, micros)),
  [DuckDBTypeId.TIMESTAMP_TZ]: as<DuckDBTimestampTZValue>((sink, { micros }) => moment(sink, micros, micros)),
  [DuckDBTypeId.TIMESTAMP_S]: as<DuckDBTimestampSecondsValue>((sink, { seconds }) =>
    moment(sink, seconds, seconds * 1_000_000n),
  ),
  [DuckDBTypeId.TIMESTAMP_MS]: as<DuckDBTimestampMillisecondsValue>((sink, { millis }) =>
    moment(sink, millis, millis * 1_000n),
  ),
  [DuckDBTypeId.TIMESTAMP_NS]: as<DuckDBTimestampNanosecondsValue>((sink, { nanos }) =>
    moment(sink, nanos, nanos < 0n && nanos % 1_000n !== 0n ? nanos / 1_000n - 1n : nanos / 1_000n),
  ),
  [DuckDBTypeId.INTERVAL]: as<DuckDBIntervalValue>((sink, { micros, days, months }) => {
    sink.int64(micros);
    sink.int32(days);
    sink.int32(months);
  }),
  [DuckDBTypeId.UUID]: (sink, value) => sink.bytes(Buffer.from(String(value).replaceAll('-', ''), 'hex')),
};

function dateDays(days: number): number {
  if (Math.abs(days) === endOfDates) return days > 0 ? endOfDates : -endOfDates - 1;
  return days - epochDays;
}

function moment(sink: Sink, units: bigint, micros: bigint): void {
  if (units === endOfTime) sink.int64(endOfTime);
  else if (units === -endOfTime) sink.int64(-endOfTime - 1n);
  else sink.int64(micros - epochMicros);
}

function arrayBinary(item: DuckDBType, hasOids: boolean): WriteValue {
  const { oid } = postgresType(item, hasOids);
  const write = postgresBinary(item, hasOids);
  return as<DuckDBListValue | DuckDBArrayValue>((sink, { items }) => {
    sink.int32(items.length === 0 ? 0 : 1);
    sink.int32(items.includes(null) ? 1 : 0);
    sink.int32(oid);
    if (items.length === 0) return;
    sink.int32(items.length);
    sink.int32(1);
    for (const value of items) {
      if (value === null) sink.int32(-1);
      else sink.counted(() => write(sink, value));
    }
  });
}

import { type DuckDBDecimalType, type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import {
  type DataType,
  DateDay,
  Float32,
  Float64,
  Int8,
  Int16,
  Int32,
  Int64,
  TimeMicrosecond,
  TimeNanosecond,
  TimestampMicrosecond,
  TimestampMillisecond,
  TimestampNanosecond,
  TimestampSecond,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
} from 'apache-arrow';
import { plainTextOf } from '../plain-text.ts';
import type { StreamColumn } from '../writer.ts';
import {
  asStored,
  type BatchColumn,
  blobColumn,
  booleanColumn,
  fixedColumn,
  type LongColumn,
  textColumn,
} from './columns.ts';
import { decimalLayout, hugeIntegerLayout } from './decimals.ts';
import { isNestedInArrow, nestedColumn } from './nested-column.ts';
import type { FixedArrayType } from './vector-memory.ts';

/** Types that Arrow stores as the engine does. */
const stored: Partial<Record<DuckDBTypeId, [type: () => DataType, ArrayType: FixedArrayType]>> = {
  [DuckDBTypeId.TINYINT]: [() => new Int8(), Int8Array],
  [DuckDBTypeId.SMALLINT]: [() => new Int16(), Int16Array],
  [DuckDBTypeId.INTEGER]: [() => new Int32(), Int32Array],
  [DuckDBTypeId.BIGINT]: [() => new Int64(), BigInt64Array],
  [DuckDBTypeId.UTINYINT]: [() => new Uint8(), Uint8Array],
  [DuckDBTypeId.USMALLINT]: [() => new Uint16(), Uint16Array],
  [DuckDBTypeId.UINTEGER]: [() => new Uint32(), Uint32Array],
  [DuckDBTypeId.UBIGINT]: [() => new Uint64(), BigUint64Array],
  [DuckDBTypeId.FLOAT]: [() => new Float32(), Float32Array],
  [DuckDBTypeId.DOUBLE]: [() => new Float64(), Float64Array],
  [DuckDBTypeId.DATE]: [() => new DateDay(), Int32Array],
  [DuckDBTypeId.TIME]: [() => new TimeMicrosecond(), BigInt64Array],
  [DuckDBTypeId.TIME_NS]: [() => new TimeNanosecond(), BigInt64Array],
  [DuckDBTypeId.TIMESTAMP]: [() => new TimestampMicrosecond(), BigInt64Array],
  [DuckDBTypeId.TIMESTAMP_TZ]: [() => new TimestampMicrosecond('UTC'), BigInt64Array],
  [DuckDBTypeId.TIMESTAMP_S]: [() => new TimestampSecond(), BigInt64Array],
  [DuckDBTypeId.TIMESTAMP_MS]: [() => new TimestampMillisecond(), BigInt64Array],
  [DuckDBTypeId.TIMESTAMP_NS]: [() => new TimestampNanosecond(), BigInt64Array],
};

/** The column of a batch for values of this type; undefined if their lengths differ. */
export function fixedColumnOf({ name, type }: StreamColumn, capacity: number): BatchColumn | undefined {
  const same = stored[type.typeId];
  if (same !== undefined) return fixedColumn(asStored(same[0](), same[1]), capacity);
  switch (type.typeId) {
    case DuckDBTypeId.BOOLEAN:
      return booleanColumn(capacity);
    case DuckDBTypeId.DECIMAL: {
      const { width, scale } = type as DuckDBDecimalType;
      return fixedColumn(decimalLayout(width, scale), capacity);
    }
    case DuckDBTypeId.HUGEINT:
    case DuckDBTypeId.UHUGEINT:
      return fixedColumn(hugeIntegerLayout(name, type.typeId === DuckDBTypeId.HUGEINT), capacity);
    default:
      return undefined;
  }
}

/** Text or bytes, lists, structs or maps; unions and variants are JSON text. */
export function longColumnOf({ name, type }: StreamColumn, capacity: number): LongColumn {
  if (isNestedInArrow(type)) return nestedColumn(name, type);
  return type.typeId === DuckDBTypeId.BLOB ? blobColumn(capacity) : textColumn(plainTextOf(type), capacity);
}

/** What a value takes in a batch, without the text of one that has any. */
export function fixedBytes({ typeId }: DuckDBType): number {
  const same = stored[typeId];
  if (same !== undefined) return same[1].BYTES_PER_ELEMENT;
  if (typeId === DuckDBTypeId.BOOLEAN) return 1;
  const isDecimal =
    typeId === DuckDBTypeId.DECIMAL || typeId === DuckDBTypeId.HUGEINT || typeId === DuckDBTypeId.UHUGEINT;
  return isDecimal ? 16 : 4;
}

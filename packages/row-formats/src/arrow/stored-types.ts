import { DuckDBTypeId } from '@duckdb/node-api';
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
import type { FixedArrayType } from './vector-memory.ts';

/** Types that Arrow stores as the engine does. */
export const storedInArrow: Partial<Record<DuckDBTypeId, [type: () => DataType, ArrayType: FixedArrayType]>> =
  {
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

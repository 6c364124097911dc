import { type DuckDBDecimalType, type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
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
import { storedInArrow } from './stored-types.ts';

/** The column of a batch for values of this type; undefined if their lengths differ. */
export function fixedColumnOf({ name, type }: StreamColumn, capacity: number): BatchColumn | undefined {
  const same = storedInArrow[type.typeId];
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
  const same = storedInArrow[typeId];
  if (same !== undefined) return same[1].BYTES_PER_ELEMENT;
  if (typeId === DuckDBTypeId.BOOLEAN) return 1;
  const isDecimal =
    typeId === DuckDBTypeId.DECIMAL || typeId === DuckDBTypeId.HUGEINT || typeId === DuckDBTypeId.UHUGEINT;
  return isDecimal ? 16 : 4;
}

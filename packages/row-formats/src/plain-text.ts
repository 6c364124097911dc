import {
  DuckDBArrayType,
  DuckDBListType,
  DuckDBMapType,
  DuckDBStructType,
  type DuckDBType,
  DuckDBTypeId,
  DuckDBUnionType,
} from '@duckdb/node-api';
import type { ValueEncoder } from './values/scalars.ts';
import { encoderFor } from './values/values.ts';

/** Writes a value of this type as text that stands by itself: as in JSON, but text without its quotes. */
export function plainTextOf(type: DuckDBType): ValueEncoder {
  if (type.typeId === DuckDBTypeId.VARCHAR || type.typeId === DuckDBTypeId.ENUM) return String;
  const encode = encoderFor(type);
  return isNested(type) ? encode : (value) => unquoted(encode(value));
}

const isNested = (type: DuckDBType): boolean =>
  type instanceof DuckDBListType ||
  type instanceof DuckDBArrayType ||
  type instanceof DuckDBStructType ||
  type instanceof DuckDBMapType ||
  type instanceof DuckDBUnionType ||
  type.typeId === DuckDBTypeId.VARIANT;

function unquoted(json: string): string {
  if (!json.startsWith('"')) return json;
  return json.includes('\\') ? (JSON.parse(json) as string) : json.slice(1, -1);
}

import {
  DuckDBArrayType,
  DuckDBListType,
  DuckDBMapType,
  DuckDBStructType,
  type DuckDBType,
  DuckDBUnionType,
} from '@duckdb/node-api';

/**
 * Makes a vector return its structs' fields by position. The binding builds an object by field name, which
 * loses fields of `row(1, 2)` (both are unnamed) and treats `__proto__` as the prototype. The type belongs to
 * this vector alone, so the change affects nothing else.
 */
export function readStructsByPosition(type: DuckDBType): void {
  if (type instanceof DuckDBListType || type instanceof DuckDBArrayType)
    readStructsByPosition(type.valueType);
  if (type instanceof DuckDBMapType) {
    readStructsByPosition(type.keyType);
    readStructsByPosition(type.valueType);
  }
  if (type instanceof DuckDBUnionType) type.memberTypes.forEach(readStructsByPosition);
  if (type instanceof DuckDBStructType) {
    const names = type.entryNames as string[];
    names.forEach((_, index) => {
      names[index] = String(index);
    });
    type.entryTypes.forEach(readStructsByPosition);
  }
}

export function hasStructs(type: DuckDBType): boolean {
  if (type instanceof DuckDBListType || type instanceof DuckDBArrayType) return hasStructs(type.valueType);
  if (type instanceof DuckDBMapType) return hasStructs(type.keyType) || hasStructs(type.valueType);
  if (type instanceof DuckDBUnionType) return type.memberTypes.some(hasStructs);
  return type instanceof DuckDBStructType;
}

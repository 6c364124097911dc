import {
  DuckDBArrayType,
  type DuckDBDecimalType,
  DuckDBListType,
  DuckDBMapType,
  DuckDBStructType,
  type DuckDBType,
  DuckDBTypeId,
  DuckDBUnionType,
} from '@duckdb/node-api';

/** The service's type names for the engine's types; other types keep the engine's name. */
const words: Partial<Record<DuckDBTypeId, string>> = {
  [DuckDBTypeId.VARCHAR]: 'STRING',
  [DuckDBTypeId.TINYINT]: 'INTEGER',
  [DuckDBTypeId.SMALLINT]: 'INTEGER',
  [DuckDBTypeId.INTEGER]: 'INTEGER',
  [DuckDBTypeId.BIGINT]: 'INTEGER',
  [DuckDBTypeId.UTINYINT]: 'INTEGER',
  [DuckDBTypeId.USMALLINT]: 'INTEGER',
  [DuckDBTypeId.UINTEGER]: 'INTEGER',
  [DuckDBTypeId.DOUBLE]: 'DOUBLE',
  [DuckDBTypeId.BOOLEAN]: 'BOOLEAN',
  [DuckDBTypeId.DATE]: 'DATE',
  [DuckDBTypeId.TIME]: 'TIME',
  [DuckDBTypeId.TIMESTAMP]: 'TIMESTAMP',
  [DuckDBTypeId.TIMESTAMP_TZ]: 'TIMESTAMPTZ',
  [DuckDBTypeId.TIME_TZ]: 'TIMETZ',
  [DuckDBTypeId.SQLNULL]: 'NULL',
};

export function dataTypeName(type: DuckDBType): string {
  if (type.alias === 'JSON') return 'JSON';
  if (type.typeId === DuckDBTypeId.DECIMAL) {
    const { width, scale } = type as DuckDBDecimalType;
    return `DECIMAL(${width},${scale})`;
  }
  if (type instanceof DuckDBListType) return `${dataTypeName(type.valueType)}[]`;
  if (type instanceof DuckDBArrayType) return `${dataTypeName(type.valueType)}[${type.length}]`;
  if (type instanceof DuckDBMapType) {
    return `MAP(${dataTypeName(type.keyType)}, ${dataTypeName(type.valueType)})`;
  }
  if (type instanceof DuckDBStructType) return `STRUCT(${members(type.entryNames, type.entryTypes)})`;
  if (type instanceof DuckDBUnionType) return `UNION(${members(type.memberTags, type.memberTypes)})`;
  return words[type.typeId] ?? type.toString();
}

function members(names: readonly string[], types: readonly DuckDBType[]): string {
  return types
    .map((type, index) => {
      const name = names[index] ?? '';
      return name === '' ? dataTypeName(type) : `"${name.replaceAll('"', '""')}" ${dataTypeName(type)}`;
    })
    .join(', ');
}

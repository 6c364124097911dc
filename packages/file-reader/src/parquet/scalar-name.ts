import { type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';

const names: Partial<Record<DuckDBTypeId, string>> = {
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
};

/** The name of the engine's type as a column's type; one that no column can have keeps the engine's name. */
export function columnTypeName(type: DuckDBType): string {
  if (type.alias === 'JSON') return 'JSON';
  return names[type.typeId] ?? type.toString();
}

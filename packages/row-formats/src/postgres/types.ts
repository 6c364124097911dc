import {
  DuckDBArrayType,
  type DuckDBDecimalType,
  DuckDBListType,
  type DuckDBType,
  DuckDBTypeId,
} from '@duckdb/node-api';

/** How PostgreSQL's protocol names a type. */
export interface PostgresType {
  oid: number;
  /** Bytes of a value; -1 if they vary. */
  size: number;
  /** Width and scale of a DECIMAL; -1 for every other type. */
  modifier: number;
}

/** Scalars: the oid, the oid of its arrays, and the size. What isn't here is a text. */
const scalars: Partial<Record<DuckDBTypeId, readonly [oid: number, array: number, size: number]>> = {
  [DuckDBTypeId.BOOLEAN]: [16, 1000, 1],
  [DuckDBTypeId.TINYINT]: [21, 1005, 2],
  [DuckDBTypeId.SMALLINT]: [21, 1005, 2],
  [DuckDBTypeId.UTINYINT]: [21, 1005, 2],
  [DuckDBTypeId.INTEGER]: [23, 1007, 4],
  [DuckDBTypeId.USMALLINT]: [23, 1007, 4],
  [DuckDBTypeId.BIGINT]: [20, 1016, 8],
  [DuckDBTypeId.UINTEGER]: [20, 1016, 8],
  [DuckDBTypeId.UBIGINT]: [1700, 1231, -1],
  [DuckDBTypeId.HUGEINT]: [1700, 1231, -1],
  [DuckDBTypeId.UHUGEINT]: [1700, 1231, -1],
  [DuckDBTypeId.BIGNUM]: [1700, 1231, -1],
  [DuckDBTypeId.DECIMAL]: [1700, 1231, -1],
  [DuckDBTypeId.FLOAT]: [700, 1021, 4],
  [DuckDBTypeId.DOUBLE]: [701, 1022, 8],
  [DuckDBTypeId.BLOB]: [17, 1001, -1],
  [DuckDBTypeId.DATE]: [1082, 1182, 4],
  [DuckDBTypeId.TIME]: [1083, 1183, 8],
  [DuckDBTypeId.TIME_NS]: [1083, 1183, 8],
  [DuckDBTypeId.TIME_TZ]: [1266, 1270, 12],
  [DuckDBTypeId.TIMESTAMP]: [1114, 1115, 8],
  [DuckDBTypeId.TIMESTAMP_S]: [1114, 1115, 8],
  [DuckDBTypeId.TIMESTAMP_MS]: [1114, 1115, 8],
  [DuckDBTypeId.TIMESTAMP_NS]: [1114, 1115, 8],
  [DuckDBTypeId.TIMESTAMP_TZ]: [1184, 1185, 8],
  [DuckDBTypeId.INTERVAL]: [1186, 1187, 16],
  [DuckDBTypeId.UUID]: [2950, 2951, 16],
};

const texts = [25, 1009, -1] as const;
const documents = [114, 199, -1] as const;

const nested: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.STRUCT,
  DuckDBTypeId.MAP,
  DuckDBTypeId.UNION,
  DuckDBTypeId.VARIANT,
  DuckDBTypeId.LIST,
  DuckDBTypeId.ARRAY,
]);

const scalarOf = (type: DuckDBType) =>
  type.alias === 'JSON' || nested.has(type.typeId) ? documents : (scalars[type.typeId] ?? texts);

/** Whether it is sent as a document: JSON itself, and what has members or lists within lists. */
export const isDocument = (type: DuckDBType): boolean =>
  itemType(type) === undefined && scalarOf(type) === documents;

/** The type of the items, if values are sent as arrays. */
export function itemType(type: DuckDBType): DuckDBType | undefined {
  if (!(type instanceof DuckDBListType) && !(type instanceof DuckDBArrayType)) return undefined;
  // Lists within lists may have different lengths, which PostgreSQL's arrays may not.
  return nested.has(type.valueType.typeId) ? undefined : type.valueType;
}

/** @param hasOids Whether a UINTEGER is an oid, as in the catalog of PostgreSQL */
export function postgresType(type: DuckDBType, hasOids = false): PostgresType {
  const item = itemType(type);
  if (item !== undefined) {
    const isOids = hasOids && item.typeId === DuckDBTypeId.UINTEGER;
    return { oid: isOids ? 1028 : scalarOf(item)[1], size: -1, modifier: -1 };
  }
  if (hasOids && type.typeId === DuckDBTypeId.UINTEGER) return { oid: 26, size: 4, modifier: -1 };
  const [oid, , size] = scalarOf(type);
  if (type.typeId !== DuckDBTypeId.DECIMAL) return { oid, size, modifier: -1 };
  const { width, scale } = type as DuckDBDecimalType;
  return { oid, size, modifier: ((width << 16) | scale) + 4 };
}

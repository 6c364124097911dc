import type pg from 'pg';
import { type StoredColumn, type StoredMember, storedTables } from '../../../data/lake/ducklake/tables.ts';
import { identifier } from '../../../data/lake/sql.ts';

/** A column as the lake currently stores it. */
export interface LakeColumn {
  name: string;
  /** The service's type name: INTEGER, DECIMAL(38,10), STRING, … */
  dataType: string;
  nullable: boolean;
  /**
   * How the type was determined: `declared` is fixed, `inferred` may still widen, `undetermined` waits for
   * the first value and is stored as STRING nulls. Stored as the column's comment, so that it changes
   * together with the data.
   */
  typing: 'declared' | 'inferred' | 'undetermined';
}

/** The type as users see it: null until a first value decides it. */
export const decidedType = ({ typing, dataType }: LakeColumn): string | null =>
  typing === 'undetermined' ? null : dataType;

export interface PhysicalTable {
  name: string;
  columns: LakeColumn[];
  sizeBytes: number;
  /** DuckLake's table id; a replaced table gets a new one. */
  lakeTableId: number;
}

type Queryable = Pick<pg.Pool, 'query'>;

const toService: Record<string, string> = {
  int8: 'INTEGER',
  int16: 'INTEGER',
  int32: 'INTEGER',
  int64: 'INTEGER',
  uint8: 'INTEGER',
  uint16: 'INTEGER',
  uint32: 'INTEGER',
  varchar: 'STRING',
  float64: 'DOUBLE',
  boolean: 'BOOLEAN',
  date: 'DATE',
  time: 'TIME',
  timestamp: 'TIMESTAMP',
  timestamptz: 'TIMESTAMPTZ',
  json: 'JSON',
};

const toDuckDb: Record<string, string> = {
  INTEGER: 'BIGINT',
  STRING: 'VARCHAR',
  DECIMAL: 'DECIMAL(38,10)',
};

const nested = /^(?:STRUCT|MAP)\(|\]$/;

/** The engine's name for one of the service's types, for DDL. */
export function duckDbType(dataType: string): string {
  if (nested.test(dataType))
    return dataType.replace(/"(?:[^"]|"")*"|\b(?:STRING|INTEGER)\b/g, (word) => toDuckDb[word] ?? word);
  return toDuckDb[dataType] ?? dataType;
}

const toLake: Record<string, string> = { INTEGER: 'int64', STRING: 'varchar', DOUBLE: 'float64' };

/** DuckLake's name for one of the service's types, where the service made the column. */
export function lakeType(dataType: string): string {
  return toLake[dataType] ?? dataType.toLowerCase();
}

function serviceType({ type: lakeType, members }: StoredMember): string {
  const [first, second] = members;
  if (lakeType === 'list' && first !== undefined) return `${serviceType(first)}[]`;
  if (lakeType === 'map' && first !== undefined && second !== undefined)
    return `MAP(${serviceType(first)}, ${serviceType(second)})`;
  if (lakeType === 'struct')
    return `STRUCT(${members.map((member) => `${identifier(member.name)} ${serviceType(member)}`).join(', ')})`;
  return toService[lakeType] ?? lakeType.toUpperCase().replaceAll(' ', '');
}

/** The tables of the lake with their columns, by folded name. `name` narrows to one table, ignoring case. */
export async function physicalTables(
  pool: Queryable,
  schemaName: string,
  names?: readonly string[],
): Promise<Map<string, PhysicalTable>> {
  const tables = await storedTables(pool, schemaName, names);
  return new Map(
    tables.map((table) => [
      table.name.toLowerCase(),
      {
        name: table.name,
        columns: table.columns.map(toColumn),
        sizeBytes: table.sizeBytes,
        lakeTableId: table.tableId,
      },
    ]),
  );
}

function toColumn(stored: StoredColumn): LakeColumn {
  const { name, nullsAllowed, comment } = stored;
  return {
    name,
    dataType: serviceType(stored),
    nullable: nullsAllowed,
    typing: comment === 'undetermined' || comment === 'inferred' ? comment : 'declared',
  };
}

export async function findPhysicalTable(
  pool: Queryable,
  schemaName: string,
  name: string,
): Promise<PhysicalTable | undefined> {
  return (await physicalTables(pool, schemaName, [name])).values().next().value;
}

import type pg from 'pg';
import { identifier } from '../../data/lake/sql.ts';

/** A column as the lake stores it now. */
export interface LakeColumn {
  name: string;
  /** In the service's vocabulary: INTEGER, DECIMAL(38,10), STRING, … */
  dataType: string;
  nullable: boolean;
  /**
   * How the type came about: `declared` stays, `inferred` may still widen, `undetermined` waits for the first
   * value and is stored as STRING nulls. Kept as the column's comment, so it changes with the data it is about.
   */
  typing: 'declared' | 'inferred' | 'undetermined';
}

export interface PhysicalTable {
  name: string;
  columns: LakeColumn[];
  sizeBytes: number;
  /** DuckLake's own number of the table; a replaced table gets a new one. */
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

/** The engine's name of one of the service's types, for DDL. */
export function duckDbType(dataType: string): string {
  return toDuckDb[dataType] ?? dataType;
}

function serviceType(lakeType: string): string {
  return toService[lakeType] ?? lakeType.toUpperCase().replaceAll(' ', '');
}

interface ColumnRow {
  table_name: string;
  table_id: number;
  column_name: string;
  column_type: string;
  nulls_allowed: boolean;
  comment: string | null;
}

/**
 * The tables of the lake with their columns, read straight from DuckLake's published catalog tables:
 * a millisecond instead of an engine's round trip. A table's files are summed once, not for each column. `name` narrows to one, ignoring case.
 */
export async function physicalTables(
  pool: Queryable,
  schemaName: string,
  name?: string,
): Promise<Map<string, PhysicalTable>> {
  const schema = identifier(schemaName);
  // Without a name: a session is used for every organization, and would keep a prepared statement of each for good.
  const { rows } = await pool.query<ColumnRow & { size_bytes: number }>({
    text: `
    WITH t AS MATERIALIZED (
      SELECT table_id, table_name,
             coalesce((SELECT sum(f.file_size_bytes) FROM ${schema}.ducklake_data_file f
                       WHERE f.table_id = d.table_id AND f.end_snapshot IS NULL), 0)::bigint AS size_bytes
      FROM ${schema}.ducklake_table d
      WHERE end_snapshot IS NULL ${name === undefined ? '' : 'AND lower(table_name) = lower($1)'})
    SELECT t.table_name, t.table_id, c.column_name, c.column_type, c.nulls_allowed, g.value AS comment, t.size_bytes
    FROM t
    JOIN ${schema}.ducklake_column c
      ON c.table_id = t.table_id AND c.end_snapshot IS NULL AND c.parent_column IS NULL
    LEFT JOIN ${schema}.ducklake_column_tag g
      ON g.table_id = c.table_id AND g.column_id = c.column_id AND g.key = 'comment' AND g.end_snapshot IS NULL
    ORDER BY t.table_id, c.column_order`,
    values: name === undefined ? [] : [name],
  });
  const tables = new Map<string, PhysicalTable>();
  for (const row of rows) {
    const key = row.table_name.toLowerCase();
    let table = tables.get(key);
    if (table === undefined) {
      table = { name: row.table_name, columns: [], sizeBytes: row.size_bytes, lakeTableId: row.table_id };
      tables.set(key, table);
    }
    table.columns.push({
      name: row.column_name,
      dataType: serviceType(row.column_type),
      nullable: row.nulls_allowed,
      typing: row.comment === 'undetermined' || row.comment === 'inferred' ? row.comment : 'declared',
    });
  }
  return tables;
}

export async function findPhysicalTable(
  pool: Queryable,
  schemaName: string,
  name: string,
): Promise<PhysicalTable | undefined> {
  return (await physicalTables(pool, schemaName, name)).values().next().value;
}

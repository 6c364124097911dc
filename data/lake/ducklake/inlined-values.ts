import type pg from 'pg';
import { isUniqueViolation } from '../../postgres/client.ts';
import { identifier } from '../sql.ts';

type Queryable = Pick<pg.Pool, 'query'>;

/** An integer column that every inlined row has. Only one per table, because its index has a fixed name. */
export interface InlinedColumn {
  schemaName: string;
  tableId: number;
  column: string;
}

/**
 * Which of these values occur in live inlined rows of the table. Uses an index that the first lookup creates.
 */
export async function inlinedAmong(
  pool: Queryable,
  place: InlinedColumn,
  values: readonly bigint[],
): Promise<Set<bigint>> {
  const column = identifier(place.column);
  const among = new Set<bigint>();
  for (const inlined of await indexedTables(pool, place)) {
    const found = await pool.query<{ value: string }>(
      `SELECT ${column}::text AS value FROM ${inlined} WHERE ${column} = ANY($1::bigint[]) AND end_snapshot IS NULL`,
      [values.map(String)],
    );
    for (const row of found.rows) among.add(BigInt(row.value));
  }
  return among;
}

/** Whether a live inlined row of the table has a value in the range. */
export async function anyInlinedBetween(
  pool: Queryable,
  place: InlinedColumn,
  { min, max }: { min: bigint; max: bigint },
): Promise<boolean> {
  const column = identifier(place.column);
  for (const inlined of await indexedTables(pool, place)) {
    const found = await pool.query(
      `SELECT 1 FROM ${inlined} WHERE ${column} BETWEEN $1 AND $2 AND end_snapshot IS NULL LIMIT 1`,
      [String(min), String(max)],
    );
    if (found.rows.length > 0) return true;
  }
  return false;
}

/** Tables of inlined rows known to have their index, so that it is created once per process. */
const indexed = new Set<string>();

/**
 * The catalog tables with the table's inlined rows, one per schema version, each with an index on the column.
 */
async function indexedTables(
  pool: Queryable,
  { schemaName, tableId, column }: InlinedColumn,
): Promise<string[]> {
  const schema = identifier(schemaName);
  const { rows } = await pool.query<{ table_name: string }>(
    `SELECT table_name FROM ${schema}.ducklake_inlined_data_tables WHERE table_id = $1`,
    [tableId],
  );
  const names: string[] = [];
  for (const { table_name: name } of rows) {
    const qualified = `${schema}.${identifier(name)}`;
    if (!indexed.has(qualified)) {
      await pool
        .query(
          `CREATE INDEX IF NOT EXISTS ${identifier(`${name}_row_id`)} ON ${qualified} (${identifier(column)})`,
        )
        .catch((error: unknown) => {
          // A lookup whose write has already failed may be creating it concurrently.
          if (!isUniqueViolation(error, 'pg_class_relname_nsp_index')) throw error;
        });
      indexed.add(qualified);
    }
    names.push(qualified);
  }
  return names;
}

import type pg from 'pg';
import { identifier } from '../sql.ts';

/**
 * The highest value that an integer column of a table has had, by its statistics, which also count rows that
 * were deleted. `known` is false where there are rows without statistics.
 */
export async function highestValue(
  pool: Pick<pg.Pool, 'query'>,
  schemaName: string,
  tableId: number,
  column: string,
): Promise<{ known: boolean; value: bigint | undefined }> {
  const schema = identifier(schemaName);
  const { rows } = await pool.query<{ value: string | null; rows: string }>(
    `SELECT s.max_value AS value, coalesce(t.record_count, 0)::text AS rows
     FROM ${schema}.ducklake_column c
     LEFT JOIN ${schema}.ducklake_table_column_stats s ON s.table_id = c.table_id AND s.column_id = c.column_id
     LEFT JOIN ${schema}.ducklake_table_stats t ON t.table_id = c.table_id
     WHERE c.table_id = $1 AND c.column_name = $2 AND c.end_snapshot IS NULL AND c.parent_column IS NULL`,
    [tableId, column],
  );
  const value = rows[0]?.value ?? undefined;
  if (value === undefined) return { known: (rows[0]?.rows ?? '0') === '0', value: undefined };
  return { known: true, value: BigInt(value) };
}

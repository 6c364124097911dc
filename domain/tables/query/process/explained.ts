import { type DuckDBConnection, type DuckDBMaterializedResult, VARCHAR } from '@duckdb/node-api';
import type { CheckedStatement } from '../../../../packages/sql-guard/index.ts';
import type { PlainReading } from '../request.ts';
import type { Bound } from './bind.ts';

/** The plan of a statement, with a row that says how each of its tables is read. */
export async function explained(
  connection: DuckDBConnection,
  { sql, scannedRelationIds }: CheckedStatement,
  bound: Bound | undefined,
  plain: PlainReading<string> | undefined,
): Promise<DuckDBMaterializedResult> {
  const reader = await connection.runAndReadAll(sql, bound?.values, bound?.types);
  const rows = reader.getRows().map((row) => row.map(String));
  const ways = scannedRelationIds.flatMap((id) => plain?.ways.get(id) ?? []);
  if (ways.length > 0) rows.push(['tables', ways.join('\n')]);
  const places = rows.map((_, index) => `($${2 * index + 1}, $${2 * index + 2})`);
  const values = rows.flat();
  return connection.run(
    `SELECT * FROM (VALUES ${places.join(', ')}) AS plan(explain_key, explain_value)`,
    values,
    values.map(() => VARCHAR),
  );
}

import type { DuckDBConnection } from '@duckdb/node-api';
import type { StagedFile } from '../contract.ts';
import { identifier, literal } from '../sql.ts';
import type { PlannedColumn } from '../values/plan.ts';
import { runRows } from './run.ts';

/** Whether a unique column of the written files contains a value twice. */
export async function hasRepeats(
  connection: DuckDBConnection,
  files: readonly StagedFile[],
  plan: readonly PlannedColumn[],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const unique = plan.filter((column) => column.unique);
  if (files.length === 0) return false;
  const urls = files.map(({ url }) => literal(url)).join(', ');
  for (const column of unique) {
    const name = identifier(column.name);
    const sql = `SELECT count(${name}) - count(DISTINCT ${name}) FROM read_parquet([${urls}])`;
    const [[repeats] = []] = await runRows(connection, sql, signal);
    if (Number(repeats) > 0) return true;
  }
  return false;
}

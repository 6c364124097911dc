import type { DuckDBConnection } from '@duckdb/node-api';
import type { ReaderDeps } from '../contract.ts';
import type { JsonValue } from '../json/exact.ts';

/** A statement's rows as a preview shows them. */
export async function jsonRows(
  { readRows }: Pick<ReaderDeps, 'readRows'>,
  connection: DuckDBConnection,
  sql: string,
): Promise<JsonValue[][]> {
  if (readRows !== undefined) return readRows(connection, sql);
  return (await connection.runAndReadAll(sql)).getRowsJson() as JsonValue[][];
}

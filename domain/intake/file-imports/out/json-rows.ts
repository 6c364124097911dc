import type { DuckDBConnection } from '@duckdb/node-api';
import { type JsonValue, parseExactJson } from '../../../../data/exact-json.ts';
import { encoderFor } from '../../../../data/lake/encode/values.ts';

/** A statement's rows as JSON, in the form that queries return, with exact numbers. */
export async function jsonRows(connection: DuckDBConnection, sql: string): Promise<JsonValue[][]> {
  const result = await connection.runAndReadAll(sql);
  const encoders = result.columnTypes().map((type) => encoderFor(type));
  return result
    .getRows()
    .map((row) =>
      row.map((value, index) => (value === null ? null : parseExactJson(encoders[index]!(value)))),
    );
}

import type { DuckDBConnection } from '@duckdb/node-api';
import { type JsonValue, parseExactJson } from '../../../data/exact-json.ts';
import {
  encoderFor,
  keepByteOrderMarks,
  readStructsByPosition,
} from '../../../packages/row-formats/index.ts';

keepByteOrderMarks();

/** A statement's rows as JSON, in the form that queries return, with exact numbers. */
export async function previewRows(connection: DuckDBConnection, sql: string): Promise<JsonValue[][]> {
  const result = await connection.run(sql);
  const chunks = await result.fetchAllChunks();
  const encoders = result.columnTypes().map((type) => encoderFor(type));
  return chunks.flatMap((chunk) => {
    const vectors = encoders.map((_, index) => chunk.getColumnVector(index));
    for (const { type } of vectors) readStructsByPosition(type);
    return Array.from({ length: chunk.rowCount }, (_, row) =>
      vectors.map((vector, index) => {
        const value = vector.getItem(row);
        return value === null ? null : parseExactJson(encoders[index]!(value));
      }),
    );
  });
}

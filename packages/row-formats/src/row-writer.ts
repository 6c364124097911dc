import type { PostgresFormat } from './postgres/rows.ts';
import { createTextWriter, csvFormat, ndjsonFormat } from './text-writer.ts';
import type { RowWriter, StreamColumn, WrittenFormat } from './writer.ts';

/**
 * Writes chunks of rows in a format. Its methods throw a RowFault: too_large for a row of more than
 * `maxBytes`, unheld for a value that the format cannot hold.
 */
export async function openRowWriter(
  format: WrittenFormat | PostgresFormat,
  columns: readonly StreamColumn[],
  maxBytes: number,
): Promise<RowWriter> {
  if (format === 'csv') return createTextWriter(columns, csvFormat(columns), maxBytes);
  if (format === 'ndjson') return createTextWriter(columns, ndjsonFormat(columns), maxBytes);
  if (typeof format === 'object') {
    const { createPostgresWriter } = await import('./postgres/rows.ts');
    return createPostgresWriter(columns, format, maxBytes);
  }
  // Loaded when wanted: most processes never need it.
  const { createArrowWriter } = await import('./arrow/arrow-writer.ts');
  return createArrowWriter(columns, maxBytes, format);
}

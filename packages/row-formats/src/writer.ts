import type { DuckDBDataChunk, DuckDBType, DuckDBVector } from '@duckdb/node-api';
import { refuseHugeLists } from './encode-rows.ts';
import { hasStructs, readStructsByPosition } from './values/positional.ts';

/** `csv` by RFC 4180, `ndjson` with one object a line, `arrow` in the IPC streaming format. */
export type StreamFormat = 'csv' | 'ndjson' | 'arrow';

/** What may be written to a file; `arrow_file` is the IPC file format. */
export type WrittenFormat = StreamFormat | 'arrow_file';

export interface StreamColumn {
  name: string;
  type: DuckDBType;
}

/** A piece as it is made. Its chunks are valid until the writer is used again. */
export interface MadePiece {
  chunks: readonly Uint8Array[];
  rowCount: number;
  endsFile?: boolean;
}

/** Turns rows into the bytes of one format. What precedes the rows is in the first piece. */
export interface RowWriter {
  /** Adds the chunk's first rows; gives what is large enough to be sent. */
  add(chunk: DuckDBDataChunk, rowCount: number): Iterable<MadePiece>;
  /** The last rows, and what ends the stream or file; what is added after that begins another one. */
  end(): MadePiece;
}

export const bytesOf = ({ chunks }: MadePiece): number => chunks.reduce((sum, { length }) => sum + length, 0);

/** A piece is sent once it is as large. */
export const pieceBytes = 128 * 1024;

/** A chunk's columns, ready to be read value by value. */
export function readableVectors(
  columns: readonly StreamColumn[],
  chunk: DuckDBDataChunk,
  maxBytes: number,
): DuckDBVector[] {
  return columns.map(({ type }, index) => {
    const vector = chunk.getColumnVector(index);
    if (hasStructs(type)) readStructsByPosition(vector.type);
    refuseHugeLists(vector, maxBytes);
    return vector;
  });
}

import type { DuckDBVector } from '@duckdb/node-api';
import { Field, makeData, RecordBatch, Schema, Struct } from 'apache-arrow';
import { tooLarge } from '../encode-rows.ts';
import {
  type MadePiece,
  pieceBytes,
  type RowWriter,
  readableVectors,
  type StreamColumn,
  type WrittenFormat,
} from '../writer.ts';
import { CollectingFileWriter, CollectingStreamWriter } from './collecting-writers.ts';
import { fixedBytes, fixedColumnOf, longColumnOf } from './column-of.ts';

const mostRows = 65_536;
/** Of columns whose values have one length. */
const batchBytes = 4 * pieceBytes;

/**
 * Arrow's IPC streaming format: the schema, record batches, and an end that distinguishes a whole stream
 * from one cut short; or the IPC file format, which is the same with an index of its batches.
 *
 * @throws RowFault too_large for a row of more than `maxBytes`
 */
export function createArrowWriter(
  columns: readonly StreamColumn[],
  maxBytes: number,
  format: WrittenFormat,
): RowWriter {
  const rowBytes = columns.reduce((sum, { type }) => sum + fixedBytes(type), 0);
  const capacity = Math.max(1, Math.min(mostRows, Math.floor(batchBytes / rowBytes)));
  const fixed = columns.map((column) => fixedColumnOf(column, capacity));
  const long = columns.map((column, at) =>
    fixed[at] === undefined ? longColumnOf(column, capacity) : undefined,
  );
  const all = columns.map((_, at) => fixed[at] ?? long[at]!);
  const schema = new Schema(columns.map(({ name }, at) => new Field(name, all[at]!.type, true)));
  const struct = new Struct(schema.fields);
  const Writer = format === 'arrow_file' ? CollectingFileWriter : CollectingStreamWriter;
  const begun = () => {
    const fresh = new Writer({ autoDestroy: false });
    fresh.reset(undefined, schema);
    return fresh;
  };
  let writer = begun();
  let length = 0;

  const longBytes = () => long.reduce((sum, column) => sum + (column?.sizeBytes ?? 0), 0);
  const isFull = () => length >= capacity || longBytes() >= pieceBytes;

  /** Appends rows until the batch is full; gives the row after the last. */
  function fill(vectors: readonly DuckDBVector[], from: number, rowCount: number): number {
    const hasLong = long.some((column) => column !== undefined);
    const to = hasLong ? fillLong(vectors, from, rowCount) : Math.min(rowCount, from + capacity - length);
    for (const [at, column] of fixed.entries()) column?.append(vectors[at]!, from, to);
    if (!hasLong) length += to - from;
    return to;
  }

  function fillLong(vectors: readonly DuckDBVector[], from: number, rowCount: number): number {
    let row = from;
    let before = longBytes();
    while (row < rowCount && !isFull()) {
      for (const [at, column] of long.entries()) column?.append(vectors[at]!, row, row + 1);
      row += 1;
      length += 1;
      const after = longBytes();
      if (after - before > maxBytes) throw tooLarge(maxBytes);
      before = after;
    }
    return row;
  }

  /** The bytes are the columns' own memory, which is cleared when the next batch begins. */
  function take(): MadePiece {
    const rowCount = length;
    if (length > 0) {
      const children = all.map((column) => column.data(length));
      writer.write(new RecordBatch(schema, makeData({ type: struct, length, nullCount: 0, children })));
    }
    length = 0;
    return { chunks: writer.written.take(), rowCount };
  }

  return {
    *add(chunk, rowCount) {
      const vectors = readableVectors(columns, chunk, maxBytes);
      let row = 0;
      while (row < rowCount) {
        if (length === 0) for (const column of all) column.clear();
        row = fill(vectors, row, rowCount);
        if (isFull()) yield take();
      }
    },
    end: () => {
      const { chunks, rowCount } = take();
      const ended = writer.finish();
      writer = begun();
      return { chunks: [...chunks, ...ended.written.take()], rowCount };
    },
  };
}

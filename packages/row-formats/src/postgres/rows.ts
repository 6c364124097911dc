import type { DuckDBType, DuckDBValue } from '@duckdb/node-api';
import { tooLarge } from '../encode-rows.ts';
import { RowFault } from '../fault.ts';
import { type MadePiece, pieceBytes, type RowWriter, readableVectors, type StreamColumn } from '../writer.ts';
import { integersOf, postgresBinary } from './binary-values.ts';
import { type CopyOptions, copyCells, copyHeader } from './copy.ts';
import { Sink } from './sink.ts';
import { postgresText } from './text-values.ts';
import { postgresType } from './types.ts';

/** Rows as messages of PostgreSQL's protocol. */
export interface PostgresFormat {
  kind: 'postgres';
  /** Whether columns are sent in binary: one for each, one for all, or none for text. */
  binary: readonly boolean[];
  /** Whether a description of the columns comes first. */
  describes: boolean;
  /** The oids of which the client was told before. */
  expected?: readonly number[] | undefined;
  /** Whether a UINTEGER is an oid. */
  hasOids?: boolean | undefined;
  /** As the rows of a COPY. */
  copy?: CopyOptions | undefined;
}

const codes = { description: 84, row: 68, copyOut: 72, copyRow: 100 };

/** @throws RowFault too_large for a row of more than `maxBytes` */
export function createPostgresWriter(
  columns: readonly StreamColumn[],
  format: PostgresFormat,
  maxBytes: number,
): RowWriter {
  const sink = new Sink();
  let rowCount = 0;
  const isBinary = (index: number) =>
    (format.binary.length === 1 ? format.binary[0] : format.binary[index]) === true;
  const writeRow =
    format.copy === undefined
      ? messageRow(sink, columns, format, isBinary)
      : copyRow(sink, columns, format.copy);
  if (format.copy !== undefined) begin(sink, columns, format.copy);
  else if (format.describes) describe(sink, columns, format, isBinary);

  function take(): MadePiece {
    const piece = { chunks: [sink.take()], rowCount };
    rowCount = 0;
    return piece;
  }
  return {
    *add(chunk, wanted) {
      const vectors = readableVectors(columns, chunk, maxBytes);
      for (let row = 0; row < wanted; row += 1) {
        const from = sink.length;
        writeRow((index) => vectors[index]!.getItem(row));
        if (sink.length - from > maxBytes) throw tooLarge(maxBytes);
        rowCount += 1;
        if (sink.length >= pieceBytes) yield take();
      }
    },
    end: take,
  };
}

type CellOf = (index: number) => DuckDBValue;

function messageRow(
  sink: Sink,
  columns: readonly StreamColumn[],
  { expected, hasOids }: PostgresFormat,
  isBinary: (index: number) => boolean,
): (cell: CellOf) => void {
  const writers = columns.map(({ type }, index) => {
    if (isBinary(index)) return binaryWriter(type, expected?.[index], hasOids);
    const text = postgresText(type);
    return (into: Sink, value: DuckDBValue) => into.text(text(value));
  });
  return (cell) => {
    sink.byte(codes.row);
    sink.counted(() => {
      sink.int16(writers.length);
      for (let index = 0; index < writers.length; index += 1) {
        const value = cell(index);
        if (value === null) sink.int32(-1);
        else sink.counted(() => writers[index]!(sink, value));
      }
    }, true);
  };
}

function binaryWriter(type: DuckDBType, expected: number | undefined, hasOids: boolean | undefined) {
  const { oid } = postgresType(type, hasOids);
  if (expected === undefined || expected === oid) return postgresBinary(type, hasOids);
  const integer = integersOf[expected];
  if (integer !== undefined && oid in integersOf) return integer;
  throw new RowFault('unheld', 'The type of a column has changed since the statement was prepared.');
}

function copyRow(sink: Sink, columns: readonly StreamColumn[], copy: CopyOptions): (cell: CellOf) => void {
  const line = copyCells(columns, copy);
  return (cell) => {
    sink.byte(codes.copyRow);
    sink.counted(() => sink.text(line(cell)), true);
  };
}

function describe(
  sink: Sink,
  columns: readonly StreamColumn[],
  { hasOids }: PostgresFormat,
  isBinary: (index: number) => boolean,
): void {
  sink.byte(codes.description);
  sink.counted(() => {
    sink.int16(columns.length);
    for (const [index, { name, type }] of columns.entries()) {
      const { oid, size, modifier } = postgresType(type, hasOids);
      sink.text(`${name.replaceAll('\0', ' ')}\0`);
      sink.int32(0);
      sink.int16(0);
      sink.int32(oid);
      sink.int16(size);
      sink.int32(modifier);
      sink.int16(isBinary(index) ? 1 : 0);
    }
  }, true);
}

function begin(sink: Sink, columns: readonly StreamColumn[], copy: CopyOptions): void {
  sink.byte(codes.copyOut);
  sink.counted(() => {
    sink.byte(0);
    sink.int16(columns.length);
    for (const _ of columns) sink.int16(0);
  }, true);
  if (!copy.hasHeader) return;
  sink.byte(codes.copyRow);
  sink.counted(() => sink.text(copyHeader(columns, copy)), true);
}

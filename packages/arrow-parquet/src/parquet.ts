import { ThriftWriter } from './thrift.ts';

/** A column as Parquet's schema describes it; numbers are those of its Thrift definition. */
export interface ParquetColumn {
  name: string;
  physical: number;
  length?: number;
  converted?: number;
  decimal?: { precision: number; scale: number };
  /** Of times: the field of the union, the unit (1 milliseconds, 2 microseconds), and whether it is UTC. */
  moment?: { logical: 7 | 8; unit: 1 | 2; isUtc: boolean };
}

/** The values of one column in a group of rows, without nulls. */
export interface ParquetChunk {
  rows: number;
  /** A bit for each row; undefined if every row has a value. */
  validity: Uint8Array | undefined;
  values: Uint8Array;
}

interface Written {
  offset: number;
  bytes: number;
  rows: number;
}

const plain = 0;
const runs = 3;

/** Collects the pieces of a file: one page for each column of a group. */
export class ParquetWriter {
  readonly pieces: Uint8Array[] = [Buffer.from('PAR1')];
  readonly #columns: readonly ParquetColumn[];
  readonly #groups: Written[][] = [];
  #offset = 4;

  constructor(columns: readonly ParquetColumn[]) {
    this.#columns = columns;
  }

  group(chunks: Iterable<ParquetChunk>): void {
    this.#groups.push(Array.from(chunks, (chunk) => this.#page(chunk)));
  }

  #page({ rows, validity, values }: ParquetChunk): Written {
    const levels = levelsOf(rows, validity);
    const size = levels.length + values.length;
    const header = new ThriftWriter();
    header.begin();
    header.int32(1, 0);
    header.int32(2, size);
    header.int32(3, size);
    header.struct(5, () => {
      header.int32(1, rows);
      header.int32(2, plain);
      header.int32(3, runs);
      header.int32(4, runs);
    });
    header.end();
    const first = header.finish();
    const written = { offset: this.#offset, bytes: first.length + size, rows };
    for (const piece of [first, levels, values]) this.#add(piece);
    return written;
  }

  #add(piece: Uint8Array): void {
    this.pieces.push(piece);
    this.#offset += piece.length;
  }

  finish(): Uint8Array[] {
    const footer = this.#footer();
    const length = Buffer.alloc(4);
    length.writeUInt32LE(footer.length);
    for (const piece of [footer, length, Buffer.from('PAR1')]) this.#add(piece);
    return this.pieces;
  }

  #footer(): Buffer {
    const thrift = new ThriftWriter();
    const rows = this.#groups.reduce((sum, [first]) => sum + (first?.rows ?? 0), 0);
    thrift.begin();
    thrift.int32(1, 1);
    thrift.list(2, 'struct', [undefined, ...this.#columns], (column) => this.#element(thrift, column));
    thrift.int64(3, rows);
    thrift.list(4, 'struct', this.#groups, (group) => {
      thrift.list(1, 'struct', [...group.entries()], ([index, chunk]) => {
        thrift.int64(2, chunk.offset);
        thrift.struct(3, () => this.#chunk(thrift, this.#columns[index]!, chunk));
      });
      thrift.int64(
        2,
        group.reduce((sum, { bytes }) => sum + bytes, 0),
      );
      thrift.int64(3, group[0]?.rows ?? 0);
    });
    thrift.end();
    return thrift.finish();
  }

  #chunk(thrift: ThriftWriter, column: ParquetColumn, { offset, bytes, rows }: Written): void {
    thrift.int32(1, column.physical);
    thrift.list(2, 'int32', [plain, runs], () => undefined);
    thrift.list(3, 'text', [column.name], () => undefined);
    thrift.int32(4, 0);
    thrift.int64(5, rows);
    thrift.int64(6, bytes);
    thrift.int64(7, bytes);
    thrift.int64(9, offset);
  }

  #element(thrift: ThriftWriter, column: ParquetColumn | undefined): void {
    if (column === undefined) {
      thrift.text(4, 'schema');
      thrift.int32(5, this.#columns.length);
      return;
    }
    const { decimal, moment } = column;
    thrift.int32(1, column.physical);
    if (column.length !== undefined) thrift.int32(2, column.length);
    // Every value may be null.
    thrift.int32(3, 1);
    thrift.text(4, column.name);
    if (column.converted !== undefined) thrift.int32(6, column.converted);
    if (decimal !== undefined) {
      thrift.int32(7, decimal.scale);
      thrift.int32(8, decimal.precision);
    }
    if (moment !== undefined)
      thrift.struct(10, () =>
        thrift.struct(moment.logical, () => {
          thrift.boolean(1, moment.isUtc);
          thrift.struct(2, () => thrift.struct(moment.unit, () => undefined));
        }),
      );
  }
}

/** Which rows have a value: Arrow's bits are a bit-packed run as it is. */
function levelsOf(rows: number, validity: Uint8Array | undefined): Buffer {
  const groups = Math.ceil(rows / 8);
  const header = varint(validity === undefined ? rows * 2 : groups * 2 + 1);
  const body = validity === undefined ? [1] : validity.subarray(0, groups);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(header.length + body.length);
  return Buffer.concat([length, Buffer.from(header), Buffer.from(body)]);
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let left = value;
  while (left >= 0x80) {
    bytes.push((left % 0x80) | 0x80);
    left = Math.floor(left / 0x80);
  }
  return [...bytes, left];
}

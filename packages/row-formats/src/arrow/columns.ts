import type { DuckDBBlobValue, DuckDBValue, DuckDBVector } from '@duckdb/node-api';
import { Binary, Bool, type Data, type DataType, makeData, Utf8 } from 'apache-arrow';
import { type FixedArray, type FixedArrayType, validityOf, valuesOf } from './vector-memory.ts';

/** A column of the batch that is being filled. */
export interface BatchColumn {
  readonly type: DataType;
  /** Appends values `from` up to, but not including, `to`. */
  append(vector: DuckDBVector, from: number, to: number): void;
  /** The first `length` values; they are valid until the column is cleared. */
  data(length: number): Data;
  clear(): void;
}

/** A column whose values differ in length. */
export interface LongColumn extends BatchColumn {
  readonly sizeBytes: number;
}

/** Which values of a batch are null: a bit each, made when the first null comes. */
class Nulls {
  count = 0;
  #bits: Uint8Array | undefined;
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** @param at Place of the first of them in the batch */
  append(vector: DuckDBVector, from: number, to: number, at: number): void {
    const validity = validityOf(vector);
    if (validity === undefined) return;
    for (let row = from; row < to; row += 1)
      if (((validity[row >> 3]! >> (row & 7)) & 1) === 0) this.add(at + row - from);
  }

  add(at: number): void {
    this.#bits ??= new Uint8Array(Math.ceil(this.#capacity / 8)).fill(0xff);
    this.#bits[at >> 3]! &= ~(1 << (at & 7));
    this.count += 1;
  }

  get props(): { nullCount: number; nullBitmap?: Uint8Array } {
    return this.#bits === undefined ? { nullCount: 0 } : { nullCount: this.count, nullBitmap: this.#bits };
  }

  clear(): void {
    this.count = 0;
    this.#bits = undefined;
  }
}

export interface FixedLayout<T extends FixedArray> {
  type: DataType;
  ArrayType: FixedArrayType<T>;
  /** Elements of the batch's array for each value. */
  stride: number;
  /** Puts values `from` up to `to` into the batch's array, the first at its element `at`. */
  copy: (target: T, at: number, vector: DuckDBVector, from: number, to: number) => void;
}

/** Values as the engine has them, copied whole. */
export function asStored<T extends FixedArray>(type: DataType, ArrayType: FixedArrayType<T>): FixedLayout<T> {
  return {
    ...{ type, ArrayType, stride: 1 },
    copy: (target, at, vector, from, to) =>
      target.set(valuesOf(vector, ArrayType).subarray(from, to) as never, at),
  };
}

export function fixedColumn<T extends FixedArray>(layout: FixedLayout<T>, capacity: number): BatchColumn {
  const { type, ArrayType, stride, copy } = layout;
  const values = new ArrayType(capacity * stride);
  const nulls = new Nulls(capacity);
  let length = 0;
  return {
    type,
    append: (vector, from, to) => {
      copy(values, length * stride, vector, from, to);
      nulls.append(vector, from, to, length);
      length += to - from;
    },
    data: (count) => makeData({ type, length: count, data: values, ...nulls.props } as never),
    clear: () => {
      length = 0;
      nulls.clear();
    },
  };
}

/** A bit each. */
export function booleanColumn(capacity: number): BatchColumn {
  const type = new Bool();
  const bits = new Uint8Array(Math.ceil(capacity / 8));
  const nulls = new Nulls(capacity);
  let length = 0;
  return {
    type,
    append: (vector, from, to) => {
      const values = valuesOf(vector, Uint8Array);
      for (let row = from; row < to; row += 1) {
        const at = length + row - from;
        if (values[row] === 1) bits[at >> 3]! |= 1 << (at & 7);
      }
      nulls.append(vector, from, to, length);
      length += to - from;
    },
    data: (count) => makeData({ type, length: count, data: bits, ...nulls.props }),
    clear: () => {
      length = 0;
      bits.fill(0);
      nulls.clear();
    },
  };
}

const startBytes = 4_096;
const mostKeptBytes = 1_048_576;

/** Text in UTF-8. */
export const textColumn = (text: (value: DuckDBValue) => string, capacity: number): LongColumn =>
  longColumn(new Utf8(), capacity, (bytes, at, value) => {
    const written = text(value);
    const target = withRoom(bytes, at, written.length * 3);
    return { bytes: target, sizeBytes: target.write(written, at) };
  });

export const blobColumn = (capacity: number): LongColumn =>
  longColumn(new Binary(), capacity, (bytes, at, value) => {
    const { bytes: written } = value as DuckDBBlobValue;
    const target = withRoom(bytes, at, written.length);
    target.set(written, at);
    return { bytes: target, sizeBytes: written.length };
  });

function longColumn(
  type: DataType,
  capacity: number,
  /** Writes one value to `bytes`, or to a longer copy of it. */
  write: (bytes: Buffer, at: number, value: DuckDBValue) => { bytes: Buffer; sizeBytes: number },
): LongColumn {
  const offsets = new Int32Array(capacity + 1);
  const nulls = new Nulls(capacity);
  let bytes = Buffer.alloc(startBytes) as Buffer;
  let length = 0;
  return {
    type,
    get sizeBytes() {
      return offsets[length]!;
    },
    append: (vector, from, to) => {
      for (let row = from; row < to; row += 1) {
        const value = vector.getItem(row);
        const at = offsets[length]!;
        if (value === null) nulls.add(length);
        const written = value === null ? { bytes, sizeBytes: 0 } : write(bytes, at, value);
        bytes = written.bytes;
        length += 1;
        offsets[length] = at + written.sizeBytes;
      }
    },
    data: (count) =>
      makeData({ type, length: count, valueOffsets: offsets, data: bytes, ...nulls.props } as never),
    clear: () => {
      // What a long value took is not kept.
      if (bytes.length > mostKeptBytes) bytes = Buffer.alloc(startBytes);
      length = 0;
      nulls.clear();
    },
  };
}

function withRoom(bytes: Buffer, usedBytes: number, moreBytes: number): Buffer {
  if (usedBytes + moreBytes <= bytes.length) return bytes;
  const longer = Buffer.alloc(Math.max(bytes.length * 2, usedBytes + moreBytes));
  bytes.copy(longer, 0, 0, usedBytes);
  return longer;
}

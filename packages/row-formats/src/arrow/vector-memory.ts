import type { DuckDBVector } from '@duckdb/node-api';

/**
 * What the binding's vectors hold, which their types hide: the engine's own memory, valid as long as the
 * chunk is. Values are in an array of their type, or behind a view.
 */
interface VectorMemory {
  items?: FixedArray;
  dataView?: DataView;
  /** One bit a value, in the engine's own order; null if no value is null. */
  validity: { data: BigUint64Array | null; offset: number };
}

export type FixedArray =
  | Int8Array
  | Int16Array
  | Int32Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array
  | Float32Array
  | Float64Array;

export type FixedArrayType<T extends FixedArray = FixedArray> = {
  new (length: number): T;
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): T;
  readonly BYTES_PER_ELEMENT: number;
};

/** A vector's values as the engine stores them. */
export function valuesOf<T extends FixedArray>(vector: DuckDBVector, ArrayType: FixedArrayType<T>): T {
  const { items, dataView } = vector as unknown as VectorMemory;
  const memory = items ?? dataView;
  if (memory === undefined) throw new Error(`The values of ${vector.type} have moved in memory.`);
  return new ArrayType(
    memory.buffer,
    memory.byteOffset,
    Math.floor(memory.byteLength / ArrayType.BYTES_PER_ELEMENT),
  );
}

/** A vector's bits, the lowest of the first byte first: 0 is a null. Undefined if none is. */
export function validityOf(vector: DuckDBVector): Uint8Array | undefined {
  const { data, offset } = (vector as unknown as VectorMemory).validity;
  if (offset !== 0) throw new Error("A part of a vector isn't readable from its memory.");
  return data === null ? undefined : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

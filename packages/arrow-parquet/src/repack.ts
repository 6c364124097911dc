import { type ArrowVector, isText, isThere, isView, rowsOf, vectorsOf } from './batches.ts';
import { ArrowFault, damaged } from './fault.ts';
import type { FlatTable } from './flatbuffer.ts';
import { type ArrowColumn, type ArrowType, columnsOf, messagesOf } from './messages.ts';
import { plainNumbers } from './numbers.ts';
import { type ParquetChunk, type ParquetColumn, ParquetWriter } from './parquet.ts';
import { plainTexts, tooLarge } from './texts.ts';

export interface ArrowLimits {
  rows: number;
  columns: number;
  batches: number;
  /** Bytes of all values, after dictionaries are resolved. */
  valueBytes: number;
}

/** Pages of columns of a stream: each has a header, and an entry in the footer. */
const maxChunks = 200_000;

/** The pieces of a Parquet file with the records of an Arrow IPC stream, in their order. */
export function arrowToParquet(stream: Uint8Array, limits: ArrowLimits): Uint8Array[] {
  try {
    return repacked(stream, limits);
  } catch (error) {
    // A position outside of the stream.
    throw error instanceof RangeError ? damaged() : error;
  }
}

function repacked(stream: Uint8Array, limits: ArrowLimits): Uint8Array[] {
  const messages = messagesOf(stream);
  const first = messages.next();
  if (first.done === true || first.value.kind !== 'schema') throw damaged();
  const columns = columnsOf(first.value.header, limits.columns);
  const writer = new ParquetWriter(columns.map(parquetColumn));
  const types = columns.map(({ type, dictionary }) => dictionary?.index ?? type);
  const dictionaries = new Map<bigint, ArrowVector>();
  let rows = 0;
  let batches = 0;
  let bytes = 0;
  for (const { kind, header, body } of messages) {
    if (kind === 'dictionary') {
      readDictionary(columns, dictionaries, header, body);
      continue;
    }
    if (kind !== 'records') throw damaged();
    const before = rows;
    rows += rowsOf(header);
    batches += 1;
    if (rows > limits.rows) throw new ArrowFault(`The page has more than ${limits.rows} records.`);
    if (batches > limits.batches || batches * columns.length > maxChunks)
      throw new ArrowFault(`The Arrow stream has too many small batches. Write up to ${limits.batches}.`);
    if (rows === before) continue;
    const vectors = vectorsOf(header, body, types);
    writer.group(
      columns.map((column, index) => {
        const chunk = placed(column.name, before, () =>
          chunkOf(vectors[index]!, column, dictionaries, limits.valueBytes - bytes),
        );
        bytes += chunk.values.length;
        if (bytes > limits.valueBytes) throw tooLarge();
        return chunk;
      }),
    );
  }
  return writer.finish();
}

function readDictionary(
  columns: readonly ArrowColumn[],
  dictionaries: Map<bigint, ArrowVector>,
  header: FlatTable,
  body: Uint8Array,
): void {
  const id = header.id(0);
  const column = columns.find(({ dictionary }) => dictionary?.id === id);
  const batch = header.table(1);
  if (column === undefined || batch === undefined) throw damaged();
  if (header.int8(2) !== 0)
    throw new ArrowFault('A dictionary of the Arrow stream grows. Write whole dictionaries.');
  dictionaries.set(id, vectorsOf(batch, body, [column.type])[0]!);
}

/** Faults of values at their column, and at their row of the stream. */
function placed<T>(column: string, before: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ArrowFault)) throw error;
    throw new ArrowFault(error.message, {
      column,
      ...(error.row === undefined ? {} : { row: before + error.row }),
    });
  }
}

function chunkOf(
  vector: ArrowVector,
  { dictionary }: ArrowColumn,
  dictionaries: ReadonlyMap<bigint, ArrowVector>,
  maxBytes: number,
): ParquetChunk {
  const { length: rows, type } = vector;
  if (type.kind === 'null') {
    const none = new Uint8Array(Math.ceil(rows / 8));
    return { rows, validity: none, values: new Uint8Array() };
  }
  if (dictionary === undefined) {
    const positions = there(vector);
    return { rows, validity: vector.validity, values: plainValues(vector, positions, maxBytes) };
  }
  const values = dictionaries.get(dictionary.id);
  if (values === undefined) throw damaged();
  return throughDictionary(vector, values, maxBytes);
}

/** A value of the dictionary may be null too. */
function throughDictionary(vector: ArrowVector, values: ArrowVector, maxBytes: number): ParquetChunk {
  const indexes = indexesOf(vector);
  const validity = new Uint8Array(Math.ceil(vector.length / 8));
  const positions: number[] = [];
  for (const row of there(vector)) {
    const position = Number(indexes[row]!);
    if (position < 0 || position >= values.length) throw damaged();
    if (values.type.kind === 'null' || !isThere(values.validity, position)) continue;
    validity[row >> 3]! |= 1 << (row & 7);
    positions.push(position);
  }
  return { rows: vector.length, validity, values: plainValues(values, positions, maxBytes) };
}

function indexesOf({ type, length, values }: ArrowVector): ArrayLike<number | bigint> {
  const { bits, isSigned } = type as Extract<ArrowType, { kind: 'int' }>;
  const aligned = values.slice(0, (length * bits) / 8).buffer;
  if (bits === 8) return isSigned ? new Int8Array(aligned) : new Uint8Array(aligned);
  if (bits === 16) return isSigned ? new Int16Array(aligned) : new Uint16Array(aligned);
  if (bits === 32) return isSigned ? new Int32Array(aligned) : new Uint32Array(aligned);
  return isSigned ? new BigInt64Array(aligned) : new BigUint64Array(aligned);
}

/** The positions of a vector that have a value. */
function there({ length, validity }: ArrowVector): Uint32Array {
  const positions = new Uint32Array(length);
  let count = 0;
  for (let index = 0; index < length; index += 1) if (isThere(validity, index)) positions[count++] = index;
  return positions.subarray(0, count);
}

function plainValues(
  vector: ArrowVector,
  positions: Iterable<number> & { readonly length: number },
  maxBytes: number,
): Uint8Array {
  const { type } = vector;
  return isText(type) || isView(type)
    ? plainTexts(vector, positions, maxBytes)
    : plainNumbers(vector, positions);
}

function parquetColumn({ name, type }: ArrowColumn): ParquetColumn {
  const [int32, int64] = [1, 2];
  switch (type.kind) {
    case 'null':
      return { name, physical: int32 };
    case 'bool':
      return { name, physical: 0 };
    case 'int': {
      const size = Math.log2(type.bits / 8);
      return {
        name,
        physical: type.bits === 64 ? int64 : int32,
        converted: (type.isSigned ? 15 : 11) + size,
      };
    }
    case 'float':
      return { name, physical: type.bits === 32 ? 4 : 5 };
    case 'decimal':
      return { name, physical: 7, length: 16, converted: 5, decimal: type };
    case 'date':
      return { name, physical: int32, converted: 6 };
    case 'time':
    case 'timestamp': {
      const unit = type.unit < 2 ? 1 : 2;
      const logical = type.kind === 'time' ? 7 : 8;
      const isMicros = type.bits === 64 && unit === 2;
      return {
        name,
        physical: type.bits === 64 ? int64 : int32,
        moment: { logical, unit: isMicros ? 2 : 1, isUtc: type.isUtc },
      };
    }
    default:
      return type.kind.startsWith('text') || type.kind === 'largeText'
        ? { name, physical: 6, converted: 0 }
        : { name, physical: 6 };
  }
}

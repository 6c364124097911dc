import { ArrowFault, damaged } from './fault.ts';
import { FlatTable } from './flatbuffer.ts';

/** How the values of a column are stored. */
export type ArrowType =
  | { kind: 'null' | 'bool' | 'text' | 'bytes' | 'largeText' | 'largeBytes' | 'textView' | 'bytesView' }
  | { kind: 'int'; bits: number; isSigned: boolean }
  | { kind: 'float'; bits: number }
  | { kind: 'decimal'; precision: number; scale: number }
  | { kind: 'date'; isDays: boolean }
  | { kind: 'time' | 'timestamp'; unit: TimeUnit; bits: number; isUtc: boolean };

/** Seconds, milliseconds, microseconds, nanoseconds. */
export type TimeUnit = 0 | 1 | 2 | 3;

export interface ArrowColumn {
  name: string;
  type: ArrowType;
  /** Values are positions in the dictionary with this id. */
  dictionary: { id: bigint; index: Extract<ArrowType, { kind: 'int' }> } | undefined;
}

export interface ArrowMessage {
  kind: 'schema' | 'dictionary' | 'records' | 'other';
  header: FlatTable;
  body: Uint8Array;
}

/** The whole schema, and the positions of the buffers of a batch. */
const maxMetadataBytes = 4_194_304;
const kinds: Record<number, ArrowMessage['kind']> = { 1: 'schema', 2: 'dictionary', 3: 'records' };

/** The messages up to the end of the stream, which has to be there. */
export function* messagesOf(bytes: Uint8Array): Generator<ArrowMessage> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  for (;;) {
    if (at + 8 > bytes.length) throw damaged();
    // Streams of old versions have no continuation marker.
    const isMarked = view.getUint32(at, true) === 0xff_ff_ff_ff;
    const size = view.getInt32(at + (isMarked ? 4 : 0), true);
    at += isMarked ? 8 : 4;
    if (size === 0) return;
    if (size < 0 || at + size > bytes.length) throw damaged();
    if (size > maxMetadataBytes) throw new ArrowFault('The metadata of the Arrow stream is too large.');
    const message = FlatTable.root(bytes.subarray(at, at + size));
    at += size;
    const bodyBytes = message.size(3);
    if (at + bodyBytes > bytes.length) throw damaged();
    const header = message.table(2);
    if (header === undefined) throw damaged();
    yield { kind: kinds[message.int8(1)] ?? 'other', header, body: bytes.subarray(at, at + bodyBytes) };
    at += bodyBytes;
  }
}

export function columnsOf(schema: FlatTable, maxColumns: number): ArrowColumn[] {
  if (schema.int16(0) !== 0) throw new ArrowFault('The Arrow stream is big-endian. Write it little-endian.');
  const count = schema.length(1);
  if (count > maxColumns) throw new ArrowFault(`The page has ${count} columns. The limit is ${maxColumns}.`);
  return Array.from({ length: count }, (_, index) => columnOf(schema.tableOf(1, index)));
}

function columnOf(field: FlatTable): ArrowColumn {
  const name = field.text(0) ?? '';
  const type = typeOf(name, field);
  const encoding = field.table(4);
  if (encoding === undefined) return { name, type, dictionary: undefined };
  const index = encoding.table(1);
  const bits = index?.int32(0) ?? 32;
  if (![8, 16, 32, 64].includes(bits)) throw damaged();
  const isSigned = index === undefined || index.int8(1) !== 0;
  return { name, type, dictionary: { id: encoding.id(0), index: { kind: 'int', bits, isSigned } } };
}

const plain: Record<number, ArrowType> = {
  1: { kind: 'null' },
  4: { kind: 'bytes' },
  5: { kind: 'text' },
  6: { kind: 'bool' },
  19: { kind: 'largeBytes' },
  20: { kind: 'largeText' },
  23: { kind: 'bytesView' },
  24: { kind: 'textView' },
};
const nested = new Set([12, 13, 14, 16, 17, 21, 22, 25, 26]);

function typeOf(name: string, field: FlatTable): ArrowType {
  const id = field.int8(2);
  const same = plain[id];
  if (same !== undefined) return same;
  const type = field.table(3);
  if (nested.has(id) || type === undefined) {
    throw new ArrowFault(
      `Column ${JSON.stringify(name)} is nested. A page has flat columns: send a document as JSON text.`,
      { column: name },
    );
  }
  const found = parametric(id, type);
  if (found !== undefined) return found;
  throw new ArrowFault(`Column ${JSON.stringify(name)} has a type that a page cannot have.`, {
    column: name,
  });
}

function parametric(id: number, type: FlatTable): ArrowType | undefined {
  if (id === 2) {
    const bits = type.int32(0);
    return [8, 16, 32, 64].includes(bits) ? { kind: 'int', bits, isSigned: type.int8(1) !== 0 } : undefined;
  }
  if (id === 3) {
    const bits = [16, 32, 64][type.int16(0)] ?? 16;
    return bits === 16 ? undefined : { kind: 'float', bits };
  }
  if (id === 7) {
    const [precision, scale] = [type.int32(0), type.int32(1)];
    const isHeld = precision >= 1 && precision <= 38 && scale >= 0 && scale <= precision;
    return isHeld && type.int32(2, 128) === 128 ? { kind: 'decimal', precision, scale } : undefined;
  }
  if (id === 8) return { kind: 'date', isDays: type.int16(0, 1) === 0 };
  if (id !== 9 && id !== 10) return undefined;
  const unit = type.int16(0, id === 9 ? 1 : 0) as TimeUnit;
  if (unit < 0 || unit > 3) return undefined;
  if (id === 10) return { kind: 'timestamp', unit, bits: 64, isUtc: (type.text(1) ?? '') !== '' };
  const bits = type.int32(1, 32);
  return bits === (unit < 2 ? 32 : 64) ? { kind: 'time', unit, bits, isUtc: false } : undefined;
}

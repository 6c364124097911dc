import { ArrowFault, damaged } from './fault.ts';
import type { FlatTable } from './flatbuffer.ts';
import type { ArrowType } from './messages.ts';

/** The values of one column in one batch, as they are in the stream. */
export interface ArrowVector {
  type: ArrowType;
  length: number;
  /** A bit for each value, the lowest first; undefined if all are there. */
  validity: Uint8Array | undefined;
  /** Of texts: their offsets, or views of them. */
  values: Uint8Array;
  /** The bytes of texts. */
  data: readonly Uint8Array[];
}

const texts = new Set<ArrowType['kind']>(['text', 'bytes', 'largeText', 'largeBytes']);
const views = new Set<ArrowType['kind']>(['textView', 'bytesView']);

export const isText = ({ kind }: ArrowType): boolean => texts.has(kind);
export const isView = ({ kind }: ArrowType): boolean => views.has(kind);
export const isLarge = ({ kind }: ArrowType): boolean => kind === 'largeText' || kind === 'largeBytes';

/** Bytes of one value, or of one offset or view of a text. */
export function widthOf(type: ArrowType): number {
  switch (type.kind) {
    case 'int':
    case 'float':
    case 'time':
    case 'timestamp':
      return type.bits / 8;
    case 'decimal':
      return 16;
    case 'date':
      return type.isDays ? 4 : 8;
    default:
      return isView(type) ? 16 : isLarge(type) ? 8 : 4;
  }
}

/** The number of rows of a batch. */
export const rowsOf = (batch: FlatTable): number => batch.size(0);

/** The vectors of a batch with columns of these types, each with buffers as long as its rows need. */
export function vectorsOf(batch: FlatTable, body: Uint8Array, types: readonly ArrowType[]): ArrowVector[] {
  if (batch.table(3) !== undefined) {
    throw new ArrowFault(
      'The buffers of the Arrow stream are compressed. Write it without compression, and compress the request with Content-Encoding.',
    );
  }
  const rows = rowsOf(batch);
  const nodes = batch.sizes(1, 2);
  const buffers = batch.sizes(2, 2);
  const variadic = batch.sizes(4, 1);
  if (nodes.length !== types.length * 2) throw damaged();
  let next = 0;
  function take(bytes: number): Uint8Array {
    const [offset, length] = [buffers[next], buffers[next + 1]];
    next += 2;
    if (offset === undefined || length === undefined) throw damaged();
    if (offset + length > body.length || length < bytes) throw damaged();
    return body.subarray(offset, offset + length);
  }
  return types.map((type, index) => {
    const [length, nulls] = [nodes[index * 2]!, nodes[index * 2 + 1]!];
    if (length !== rows || nulls > length) throw damaged();
    if (type.kind === 'null')
      return { type, length, validity: undefined, values: new Uint8Array(), data: [] };
    const bits = take(nulls === 0 ? 0 : Math.ceil(length / 8));
    const validity = nulls === 0 ? undefined : bits;
    if (type.kind === 'bool')
      return { type, length, validity, values: take(Math.ceil(length / 8)), data: [] };
    if (isText(type)) {
      // A vector without values may also have no offsets.
      const values = take(length === 0 ? 0 : (length + 1) * widthOf(type));
      return { type, length, validity, values, data: [take(0)] };
    }
    const values = take(length * widthOf(type));
    if (!isView(type)) return { type, length, validity, values, data: [] };
    const count = variadic.shift() ?? 0;
    if (count > buffers.length) throw damaged();
    return { type, length, validity, values, data: Array.from({ length: count }, () => take(0)) };
  });
}

export const isThere = (bits: Uint8Array | undefined, index: number): boolean =>
  bits === undefined || ((bits[index >> 3]! >> (index & 7)) & 1) === 1;

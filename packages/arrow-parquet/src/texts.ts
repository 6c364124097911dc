import { type ArrowVector, isLarge, isThere, isView } from './batches.ts';
import { ArrowFault, damaged } from './fault.ts';

/** Where the bytes of each text are: buffer, start and length follow each other. */
export type TextPlaces = Int32Array;

export function placesOf(vector: ArrowVector): TextPlaces {
  return isView(vector.type) ? placesOfViews(vector) : placesOfOffsets(vector);
}

function placesOfOffsets({ type, length, validity, values, data }: ArrowVector): TextPlaces {
  const places = new Int32Array(length * 3);
  if (length === 0) return places;
  const view = new DataView(values.buffer, values.byteOffset, values.byteLength);
  const end = data[0]!.length;
  const wide = isLarge(type);
  const offsetAt = (index: number) =>
    wide ? Number(view.getBigInt64(index * 8, true)) : view.getInt32(index * 4, true);
  let start = offsetAt(0);
  for (let index = 0; index < length; index += 1) {
    const next = offsetAt(index + 1);
    if (isThere(validity, index)) {
      if (start < 0 || next < start || next > end) throw damaged();
      places[index * 3 + 1] = start;
      places[index * 3 + 2] = next - start;
    }
    start = next;
  }
  return places;
}

/** Short texts are in their view, after its length. */
const inViewBytes = 12;

function placesOfViews({ length, validity, values, data }: ArrowVector): TextPlaces {
  const places = new Int32Array(length * 3);
  const view = new DataView(values.buffer, values.byteOffset, values.byteLength);
  for (let index = 0; index < length; index += 1) {
    if (!isThere(validity, index)) continue;
    const size = view.getInt32(index * 16, true);
    if (size < 0) throw damaged();
    const isInView = size <= inViewBytes;
    const buffer = isInView ? -1 : view.getInt32(index * 16 + 8, true);
    const start = isInView ? index * 16 + 4 : view.getInt32(index * 16 + 12, true);
    const end = isInView ? values.length : (data[buffer]?.length ?? -1);
    if (start < 0 || start + size > end) throw damaged();
    places[index * 3] = buffer;
    places[index * 3 + 1] = start;
    places[index * 3 + 2] = size;
  }
  return places;
}

/** The texts at these positions of a vector, each with its length, as Parquet stores them. */
export function plainTexts(
  vector: ArrowVector,
  positions: Iterable<number> & { readonly length: number },
  maxBytes: number,
): Buffer {
  const places = placesOf(vector);
  let bytes = 0;
  for (const position of positions) {
    bytes += 4 + places[position * 3 + 2]!;
    if (bytes > maxBytes) throw tooLarge();
  }
  const out = Buffer.allocUnsafe(bytes);
  const { values, data } = vector;
  const view = new DataView(out.buffer, out.byteOffset, out.byteLength);
  let at = 0;
  for (const position of positions) {
    const size = places[position * 3 + 2]!;
    view.setInt32(at, size, true);
    at += 4;
    const from = places[position * 3] === -1 ? values : data[places[position * 3]!]!;
    const start = places[position * 3 + 1]!;
    // A loop is faster than a call for a few bytes.
    if (size < 32) for (let index = 0; index < size; index += 1) out[at + index] = from[start + index]!;
    else out.set(from.subarray(start, start + size), at);
    at += size;
  }
  return out;
}

export function tooLarge(): ArrowFault {
  return new ArrowFault('The values of the page take too much memory. Send smaller pages.');
}

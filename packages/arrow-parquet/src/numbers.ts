import { type ArrowVector, widthOf } from './batches.ts';
import { ArrowFault, damaged } from './fault.ts';
import type { ArrowType } from './messages.ts';

type Positions = Iterable<number> & { readonly length: number };

/** Values of a fixed size as Parquet stores them. */
export function plainNumbers(vector: ArrowVector, positions: Positions): Uint8Array {
  const { type } = vector;
  switch (type.kind) {
    case 'bool':
      return bitsOf(vector.values, positions);
    case 'decimal':
      return reversed(vector.values, positions);
    case 'int':
      return type.bits < 32 ? widened(vector, positions, type) : copied(vector, positions);
    case 'date':
      return type.isDays ? copied(vector, positions) : days(vector, positions);
    case 'time':
    case 'timestamp':
      return type.unit === 0 || type.unit === 3
        ? moments(vector, positions, type)
        : copied(vector, positions);
    default:
      return copied(vector, positions);
  }
}

function copied(vector: ArrowVector, positions: Positions): Uint8Array {
  const width = widthOf(vector.type);
  const { values, length } = vector;
  // All of them in order.
  if (positions.length === length && isEvery(positions)) return values.subarray(0, length * width);
  const words = width / 4;
  const from = words32(values, length * words);
  const out = new Int32Array(positions.length * words);
  let at = 0;
  for (const position of positions) {
    out[at] = from[position * words]!;
    if (words === 2) out[at + 1] = from[position * 2 + 1]!;
    at += words;
  }
  return new Uint8Array(out.buffer);
}

function isEvery(positions: Positions): boolean {
  let next = 0;
  for (const position of positions) {
    if (position !== next) return false;
    next += 1;
  }
  return true;
}

/** A view of the bytes as words, of a copy if they aren't aligned. */
function words32(bytes: Uint8Array, count: number): Int32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return new Int32Array(aligned.buffer, aligned.byteOffset, count);
}

function bitsOf(values: Uint8Array, positions: Positions): Uint8Array {
  const out = new Uint8Array(Math.ceil(positions.length / 8));
  let at = 0;
  for (const position of positions) {
    if (((values[position >> 3]! >> (position & 7)) & 1) === 1) out[at >> 3]! |= 1 << (at & 7);
    at += 1;
  }
  return out;
}

/** Parquet's decimals begin with their highest byte. */
function reversed(values: Uint8Array, positions: Positions): Uint8Array {
  const out = new Uint8Array(positions.length * 16);
  let at = 0;
  for (const position of positions) {
    for (let byte = 0; byte < 16; byte += 1) out[at + byte] = values[position * 16 + 15 - byte]!;
    at += 16;
  }
  return out;
}

function widened(
  { values }: ArrowVector,
  positions: Positions,
  { bits, isSigned }: { bits: number; isSigned: boolean },
): Uint8Array {
  const view = new DataView(values.buffer, values.byteOffset, values.byteLength);
  const out = new Int32Array(positions.length);
  let at = 0;
  for (const position of positions) {
    if (bits === 8) out[at] = isSigned ? view.getInt8(position) : view.getUint8(position);
    else out[at] = isSigned ? view.getInt16(position * 2, true) : view.getUint16(position * 2, true);
    at += 1;
  }
  return new Uint8Array(out.buffer);
}

const dayMs = 86_400_000n;

function days({ values }: ArrowVector, positions: Positions): Uint8Array {
  const view = new DataView(values.buffer, values.byteOffset, values.byteLength);
  const out = new Int32Array(positions.length);
  let at = 0;
  for (const position of positions) {
    const ms = view.getBigInt64(position * 8, true);
    if (ms % dayMs !== 0n) throw new ArrowFault('A date of the page has a time.', { row: position });
    out[at] = Number(ms / dayMs);
    at += 1;
  }
  return new Uint8Array(out.buffer);
}

/** Seconds become milliseconds, and nanoseconds microseconds if nothing is lost. */
function moments(
  { values }: ArrowVector,
  positions: Positions,
  { unit, bits }: Extract<ArrowType, { kind: 'time' | 'timestamp' }>,
): Uint8Array {
  const view = new DataView(values.buffer, values.byteOffset, values.byteLength);
  const out = bits === 32 ? new Int32Array(positions.length) : new BigInt64Array(positions.length);
  let at = 0;
  for (const position of positions) {
    if (bits === 32) out[at] = view.getInt32(position * 4, true) * 1_000;
    else {
      const value = view.getBigInt64(position * 8, true);
      if (unit === 3 && value % 1_000n !== 0n) {
        throw new ArrowFault('The value has nanoseconds, which a column cannot hold. Send microseconds.', {
          row: position,
        });
      }
      const scaled = unit === 3 ? value / 1_000n : value * 1_000n;
      if (BigInt.asIntN(64, scaled) !== scaled) throw damaged();
      out[at] = scaled;
    }
    at += 1;
  }
  return new Uint8Array(out.buffer);
}

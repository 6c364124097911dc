import type { DuckDBVector } from '@duckdb/node-api';
import { Decimal } from 'apache-arrow';
import { RowFault } from '../fault.ts';
import type { FixedLayout } from './columns.ts';
import { valuesOf } from './vector-memory.ts';

/** Four 32-bit words a value, the lowest first. */
const words = 4;
const maxDigits = 38;
const tooLong = 10n ** BigInt(maxDigits);
/** No value whose highest word is smaller has more digits. */
const safeHighWord = Number(tooLong >> 96n);

/** The engine stores a decimal in as many bytes as its width needs; Arrow has 16 bytes for each. */
export function decimalLayout(width: number, scale: number): FixedLayout<Uint32Array> {
  return { type: new Decimal(scale, width), ArrayType: Uint32Array, stride: words, copy: copyOf(width) };
}

function copyOf(width: number): FixedLayout<Uint32Array>['copy'] {
  if (width <= 4)
    return (target, at, vector, from, to) => widen(target, at, valuesOf(vector, Int16Array), from, to);
  if (width <= 9)
    return (target, at, vector, from, to) => widen(target, at, valuesOf(vector, Int32Array), from, to);
  return width <= 18 ? widenPairs : copyWhole;
}

function widen(
  target: Uint32Array,
  start: number,
  source: Int16Array | Int32Array,
  from: number,
  to: number,
) {
  let at = start;
  for (let row = from; row < to; row += 1) {
    const value = source[row]!;
    const sign = value >> 31;
    target[at] = value;
    target[at + 1] = sign;
    target[at + 2] = sign;
    target[at + 3] = sign;
    at += words;
  }
}

function widenPairs(target: Uint32Array, start: number, vector: DuckDBVector, from: number, to: number) {
  const source = valuesOf(vector, Int32Array);
  let at = start;
  for (let row = from; row < to; row += 1) {
    const high = source[row * 2 + 1]!;
    const sign = high >> 31;
    target[at] = source[row * 2]!;
    target[at + 1] = high;
    target[at + 2] = sign;
    target[at + 3] = sign;
    at += words;
  }
}

function copyWhole(target: Uint32Array, at: number, vector: DuckDBVector, from: number, to: number) {
  target.set(valuesOf(vector, Uint32Array).subarray(from * words, to * words), at);
}

/**
 * HUGEINT and UHUGEINT, which reach a little further than 38 digits.
 *
 * @throws RowFault unheld for a value that has 39
 */
export function hugeIntegerLayout(columnName: string, isSigned: boolean): FixedLayout<Uint32Array> {
  return {
    ...{ type: new Decimal(0, maxDigits), ArrayType: Uint32Array, stride: words },
    copy: (target, at, vector, from, to) => {
      copyWhole(target, at, vector, from, to);
      for (let row = from; row < to; row += 1) {
        const high = target[at + (row - from) * words + words - 1]!;
        // Of a signed integer, a word near 2^32 is a small negative number.
        const isNear = high >= safeHighWord && !(isSigned && ~high >>> 0 < safeHighWord);
        if (isNear && isTooLong(vector.getItem(row) as bigint | null)) throw moreDigits(columnName);
      }
    },
  };
}

/** A decimal's unscaled integer in Arrow's memory. */
export function wordsOf(value: bigint): Uint32Array {
  const low = BigInt.asUintN(64, value);
  const high = BigInt.asUintN(64, value >> 64n);
  return new Uint32Array(new BigUint64Array([low, high]).buffer);
}

/** @throws RowFault unheld for a value of 39 digits */
export function hugeIntegerWords(columnName: string, value: bigint): Uint32Array {
  if (isTooLong(value)) throw moreDigits(columnName);
  return wordsOf(value);
}

const isTooLong = (value: bigint | null): boolean =>
  value !== null && (value >= tooLong || value <= -tooLong);

const moreDigits = (columnName: string) =>
  new RowFault(
    'unheld',
    `"${columnName}" has an integer of more than ${maxDigits} digits, which Arrow cannot hold. Cast it to VARCHAR.`,
  );

import { clockFormats, dateOrders, dateSeparators, valueClass } from './classify.ts';
import type { DatePattern } from './date-pattern.ts';
import type { DataType } from './types.ts';

export interface InferredType {
  type: DataType;
  /** Date format of this column, if not ISO 8601. */
  pattern: DatePattern | undefined;
  certainty: Certainty;
}

/**
 * What further values could still change: an `open` column had no values, and in an `order` column the order
 * of day and month is still ambiguous. For the others, a value of another class will not fit.
 */
export type Certainty = 'sure' | 'open' | 'order';

/**
 * Digits before and after the decimal point that a column's numbers need; only computed if a DECIMAL may hold
 * them.
 */
export interface DigitCounts {
  whole: number;
  scale: number;
}

const bits = (...indexes: number[]): bigint =>
  indexes.reduce((sum, index) => sum | (1n << BigInt(index)), 0n);
const { small, int64, wide, double, decimal, exponent, boolean, date, timestamp, time } = valueClass;
const { patternDate, patternTimestamp, document, instant, code } = valueClass;
const orderedBits = ((1n << 27n) - 1n) << BigInt(valueClass.ordered);

/** Whether a DECIMAL is possible, so that digits must be counted. */
export function needsDigits(classes: bigint): boolean {
  const isNumeric = (classes & ~bits(small, int64, wide, double, decimal)) === 0n;
  const needsMoreThanDouble = (classes & bits(wide, decimal)) !== 0n;
  const hasLargeAndDecimals = (classes & bits(int64)) !== 0n && (classes & bits(double)) !== 0n;
  return isNumeric && classes !== 0n && (needsMoreThanDouble || hasLargeAndDecimals);
}

function sure(type: DataType, pattern?: DatePattern): InferredType {
  return { type, pattern, certainty: 'sure' };
}

/** The narrowest type that holds every value of a column exactly as written; STRING holds anything. */
export function inferType(
  classes: bigint,
  digits: DigitCounts | undefined,
  given: DatePattern | undefined,
  order: string | undefined,
): InferredType {
  const within = (...indexes: number[]): boolean => classes !== 0n && (classes & ~bits(...indexes)) === 0n;
  const plain = (kind: Exclude<DataType['kind'], 'DECIMAL' | 'NESTED'>): InferredType => sure({ kind });
  if (classes === 0n) return { ...plain('STRING'), certainty: 'open' };
  if ((classes & bits(document)) !== 0n) return plain('JSON');
  if (within(small, int64)) return plain('INTEGER');
  // Where nothing says that they are numbers, they are codes, which a number would change.
  if (within(code)) return plain('STRING');
  if (within(small, double, exponent, code)) return plain('DOUBLE');
  if (digits !== undefined && digits.whole + digits.scale <= 38) {
    return sure({ kind: 'DECIMAL', precision: 38, scale: digits.scale });
  }
  if (within(boolean)) return plain('BOOLEAN');
  if (within(date)) return plain('DATE');
  if (within(date, timestamp)) return plain('TIMESTAMP');
  if (within(instant)) return plain('TIMESTAMPTZ');
  if (within(time)) return plain('TIME');
  if (within(patternDate)) return sure({ kind: 'DATE' }, given);
  if (within(patternDate, patternTimestamp)) {
    const isInstant = within(patternTimestamp) && given?.full.includes('%z') === true;
    return sure({ kind: isInstant ? 'TIMESTAMPTZ' : 'TIMESTAMP' }, given);
  }
  return orderedDate(classes, order) ?? plain('STRING');
}

interface OrderedClasses {
  separator: string;
  clock: string;
  orders: Set<string>;
}

/** Dates such as 31/12/2024, if all have the same separator and precision. */
function orderedClasses(classes: bigint): OrderedClasses | undefined {
  if (classes === 0n || (classes & ~orderedBits) !== 0n) return undefined;
  const found = { separators: new Set<string>(), clocks: new Set<string>(), orders: new Set<string>() };
  for (let index = 0; index < 27; index += 1) {
    if ((classes & (1n << BigInt(valueClass.ordered + index))) === 0n) continue;
    found.separators.add(dateSeparators[Math.floor(index / 9)]!);
    found.orders.add(dateOrders[Math.floor(index / 3) % 3]!);
    found.clocks.add(clockFormats[index % 3]!);
  }
  if (found.separators.size !== 1 || found.clocks.size !== 1) return undefined;
  return { separator: [...found.separators][0]!, clock: [...found.clocks][0]!, orders: found.orders };
}

/** The order of day and month proven by the dates of a file, if unambiguous. */
export function provenOrder(columns: Iterable<bigint>): string | undefined {
  const proven = new Set<string>();
  for (const classes of columns) {
    for (const order of orderedClasses(classes)?.orders ?? []) if (order !== 'either') proven.add(order);
  }
  return proven.size === 1 ? [...proven][0] : undefined;
}

/**
 * 01/02/2024 is ambiguous: unless another date of the file proves an order, the column stays a STRING. With
 * dots, the day is first.
 */
function orderedDate(classes: bigint, fileOrder: string | undefined): InferredType | undefined {
  const found = orderedClasses(classes);
  if (found === undefined) return undefined;
  const own = [...found.orders].filter((order) => order !== 'either');
  if (own.length > 1) return undefined;
  const order = own[0] ?? (found.separator === '.' ? '%d%m' : fileOrder);
  if (order === undefined) return { type: { kind: 'STRING' }, pattern: undefined, certainty: 'order' };
  const [first, second] = order === '%d%m' ? ['%d', '%m'] : ['%m', '%d'];
  const day = [first, second, '%Y'].join(found.separator);
  const clock = found.clock.trim();
  const pattern = { full: day + found.clock, date: day, time: clock === '' ? undefined : clock };
  return sure({ kind: clock === '' ? 'DATE' : 'TIMESTAMP' }, pattern);
}

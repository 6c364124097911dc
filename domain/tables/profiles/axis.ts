import { literal } from '../../../data/lake/sql.ts';
import { instantText, isoDate, microsecondTimestampText } from '../../../packages/row-formats/index.ts';
import { maxBins, type Shown } from './column-profile.ts';

/** Bins of equal width between the least and the greatest position of a column. */
export interface Bins {
  /** Where each bin but the first begins, as the engine reads it. */
  starts: string[];
  /** The ends of all bins as answers show them, one more than there are bins. */
  edges: Shown[];
}

/** How the values of a type lie on a line. */
export interface Axis {
  isNumber: boolean;
  /** The type has values that are not finite. */
  hasInfinity: boolean;
  /** The expression of which the engine can take the average without an overflow. */
  summable(value: string): string;
  /** The expression of a value's position. */
  positionOf(value: string): string;
  /** From the texts of the least and the greatest position. */
  bins(least: string, greatest: string): Bins;
}

const integerTypes: Readonly<Record<string, string>> = {
  INTEGER: 'BIGINT',
  UINT64: 'UBIGINT',
  INT128: 'HUGEINT',
  UINT128: 'UHUGEINT',
};
const microsecondTypes = new Set(['TIMESTAMP', 'TIMESTAMP_S', 'TIMESTAMP_MS', 'TIMESTAMP_NS']);

const asDouble = (value: string) => `CAST(${value} AS DOUBLE)`;
const same = (value: string) => value;

/** Positions that are counts: of days, of microseconds. */
const counted = { of: BigInt, text: String, type: 'BIGINT', areWhole: false };

/** The axis of a type; undefined if it has none. */
export function axisOf(dataType: string): Axis | undefined {
  const integer = integerTypes[dataType];
  if (integer !== undefined) {
    const summable = integer === 'BIGINT' ? same : asDouble;
    const bins = exactBins({ of: BigInt, text: String, type: integer, shown: shownInteger, areWhole: true });
    return { isNumber: true, hasInfinity: false, summable, positionOf: same, bins };
  }
  const decimal = /^DECIMAL\(\d+,(\d+)\)$/.exec(dataType);
  if (decimal !== null) {
    const text = (units: bigint) => decimalText(units, Number(decimal[1]));
    const of = (position: string) => BigInt(position.replace('.', ''));
    const bins = exactBins({ of, text, type: dataType, shown: text, areWhole: false });
    return { isNumber: true, hasInfinity: false, summable: asDouble, positionOf: same, bins };
  }
  if (dataType === 'DOUBLE' || dataType === 'FLOAT32')
    return { isNumber: true, hasInfinity: true, summable: asDouble, positionOf: asDouble, bins: doubleBins };
  const time = { isNumber: false, hasInfinity: true, summable: same };
  if (dataType === 'DATE') {
    const positionOf = (value: string) => `(${value} - DATE '1970-01-01')`;
    const shown = (days: bigint) => isoDate(Number(days));
    return { ...time, positionOf, bins: exactBins({ ...counted, shown, areWhole: true }) };
  }
  const positionOf = (value: string) => `epoch_us(${value})`;
  if (microsecondTypes.has(dataType))
    return { ...time, positionOf, bins: exactBins({ ...counted, shown: microsecondTimestampText }) };
  if (dataType === 'TIMESTAMPTZ') {
    const shown = (micros: bigint) => instantText({ micros } as Parameters<typeof instantText>[0]);
    return { ...time, positionOf, bins: exactBins({ ...counted, shown }) };
  }
  return undefined;
}

interface Units {
  /** The count of a position's smallest steps: days, microseconds, cents. */
  of(position: string): bigint;
  /** The position as the engine reads it, of this type. */
  text(units: bigint): string;
  type: string;
  shown(units: bigint): Shown;
  /** Bins hold whole numbers of steps, so that few different values have a bin each. */
  areWhole: boolean;
}

/** Exact also where a double would not hold the positions. */
function exactBins({ of, text, type, shown, areWhole }: Units): Axis['bins'] {
  return (least, greatest) => {
    const [first, last] = [of(least), of(greatest)];
    const starts = areWhole ? wholeStarts(first, last) : evenStarts(first, last);
    return {
      starts: starts.slice(1).map((start) => `CAST(${literal(text(start))} AS ${type})`),
      edges: [...starts, last].map(shown),
    };
  };
}

function wholeStarts(first: bigint, last: bigint): bigint[] {
  const width = (last - first + BigInt(maxBins)) / BigInt(maxBins);
  const starts: bigint[] = [];
  for (let start = first; start <= last; start += width) starts.push(start);
  return starts;
}

function evenStarts(first: bigint, last: bigint): bigint[] {
  const range = last - first;
  const bins = range > BigInt(maxBins) ? maxBins : Math.max(Number(range), 1);
  return Array.from({ length: bins }, (_, bin) => first + (range * BigInt(bin)) / BigInt(bins));
}

/** The difference of two doubles may be infinite, so ends are weighted means. */
const doubleBins: Axis['bins'] = (least, greatest) => {
  const [first, last] = [Number(least), Number(greatest)];
  const starts = [first];
  for (let bin = 1; bin < maxBins; bin += 1) {
    const start = first * (1 - bin / maxBins) + last * (bin / maxBins);
    if (start > starts.at(-1)! && start < last) starts.push(start);
  }
  return {
    starts: starts.slice(1).map((start) => `CAST(${literal(String(start))} AS DOUBLE)`),
    edges: [...starts, last],
  };
};

const maxExact = 2n ** 53n;

const shownInteger = (value: bigint): Shown =>
  value > maxExact || value < -maxExact ? value.toString() : Number(value);

function decimalText(units: bigint, scale: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  const cut = digits.length - scale;
  const whole = `${units < 0n ? '-' : ''}${digits.slice(0, cut)}`;
  return scale === 0 ? whole : `${whole}.${digits.slice(cut)}`;
}

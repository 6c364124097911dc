import { isNumeric } from './value.ts';

export interface Order {
  /** Of the column. */
  at: number;
  isDescending: boolean;
}

/** Positions of the rows in this order; nulls are last. */
export function sorted(
  rows: readonly (readonly unknown[])[],
  columns: readonly { dataType: string | null }[],
  { at, isDescending }: Order,
): number[] {
  const keyOf = keys(columns[at]!.dataType);
  const all = rows.map((row) => keyOf(row[at]));
  const sign = isDescending ? -1 : 1;
  return rows
    .map((_, index) => index)
    .sort((one, other) => {
      const [left, right] = [all[one]!, all[other]!];
      if (left === right) return one - other;
      if (left === null) return 1;
      if (right === null) return -1;
      // As the service sorts: what is not a number is more than any.
      if (Number.isNaN(left)) return Number.isNaN(right) ? one - other : sign;
      if (Number.isNaN(right)) return -sign;
      return left < right ? -sign : sign;
    });
}

type Key = string | number | bigint | null;

/** What values of a type are compared by. */
function keys(dataType: string | null): (value: unknown) => Key {
  const ofValue = !isNumeric(dataType) ? textKey : /^(DOUBLE|FLOAT|REAL)/.test(dataType!) ? Number : exactKey;
  return (value) => (value === null || value === undefined ? null : ofValue(value));
}

const textKey = (value: unknown): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value);

/** Digits after the point that a DECIMAL may have. */
const scale = 38;
const decimal = /^(-?)(\d+)(?:\.(\d{1,38}))?$/;

/** Numbers beyond what a double tells apart come as texts: all of their digits count. */
function exactKey(value: unknown): bigint | number {
  const [, sign, whole, part = ''] = decimal.exec(String(value)) ?? [];
  if (whole === undefined) return Number(value) * 10 ** scale;
  const digits = BigInt(whole + part.padEnd(scale, '0'));
  return sign === '-' ? -digits : digits;
}

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
  const numbers = isNumeric(columns[at]!.dataType);
  const keys = rows.map((row) => {
    const value = row[at];
    if (value === null || value === undefined) return null;
    return numbers ? Number(value) : typeof value === 'object' ? JSON.stringify(value) : String(value);
  });
  const sign = isDescending ? -1 : 1;
  return rows
    .map((_, index) => index)
    .sort((one, other) => {
      const [left, right] = [keys[one]!, keys[other]!];
      if (left === right) return one - other;
      if (left === null) return 1;
      if (right === null) return -1;
      return left < right ? -sign : sign;
    });
}

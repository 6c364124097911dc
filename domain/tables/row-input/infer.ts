import type { JsonValue } from '../../../data/exact-json.ts';
import type { LakeColumn } from '../tables/columns.ts';
import { integerOf, isSafeInDouble, typeOfValue, widen } from './types.ts';

/** The type a column takes, and the first row that required it. */
export interface Retype {
  dataType: string;
  index: number;
}

/**
 * The types that undetermined columns take and inferred ones widen to, so that every value of the rows fits.
 * A value for which no type holds it together with the earlier ones is reported by `refuse` and ignored; rows
 * that do not count are ignored too.
 */
export function inferTypes(
  columns: readonly LakeColumn[],
  rows: readonly { [column: string]: JsonValue }[],
  refuse: (index: number, column: string, msg: string) => void,
  counts: (index: number) => boolean = () => true,
): Map<string, Retype> {
  const retypes = new Map<string, Retype>();
  for (const column of columns) {
    if (column.typing === 'declared') continue;
    const before = column.typing === 'undetermined' ? undefined : column.dataType;
    let type = before;
    let sawUnsafeInteger = false;
    let typedAt = 0;
    for (const [index, row] of rows.entries()) {
      const value = Object.hasOwn(row, column.name) ? row[column.name]! : null;
      if (value === null || !counts(index)) continue;
      const own = typeOfValue(value);
      if (own === undefined && type !== undefined) continue;
      const wider = own === undefined ? undefined : type === undefined ? own : (widen(type, own) ?? type);
      const isUnsafe = own === 'INTEGER' && !isSafeInDouble(integerOf(value)!);
      if (wider === undefined || (wider === 'DOUBLE' && (sawUnsafeInteger || isUnsafe))) {
        refuse(
          index,
          column.name,
          'No inferred type can hold both this number and the numbers before it exactly. Declare the column as DECIMAL(p,s) first.',
        );
        continue;
      }
      sawUnsafeInteger ||= isUnsafe;
      if (wider !== type) typedAt = index;
      type = wider;
    }
    if (type !== undefined && type !== before) retypes.set(column.name, { dataType: type, index: typedAt });
  }
  return retypes;
}

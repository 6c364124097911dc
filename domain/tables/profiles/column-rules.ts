import { identifier } from '../../../data/lake/sql.ts';
import type { LakeColumn } from '../tables/columns.ts';
import { type Axis, axisOf } from './axis.ts';
import { maxTextCharacters } from './column-profile.ts';

/** How a column of some type is read: expressions over it. */
export interface ColumnRules {
  /** What `top` shows. Bounded, because candidates are held in memory. */
  shown: string;
  /** What `min` and `max` are taken of; undefined if the type has no order of its own. */
  ordered: string | undefined;
  /** What different values are counted of. */
  distinct: string;
  /** True for a value that `shown` cuts. */
  isCut: string;
  /** The values that have a mean. */
  mean: string | undefined;
  /** For a histogram; its positions are null outside the finite values. */
  axis: (Axis & { position: string }) | undefined;
}

/** Base64 turns three bytes into four characters. */
const maxBytes = (maxTextCharacters / 4) * 3;

const plainTypes = new Set(['BOOLEAN', 'TIME', 'TIME_NS', 'TIMETZ', 'UUID', 'INTERVAL']);

/** The rules for a column of the relation `t`. */
export function rulesOf({ name, dataType }: LakeColumn): ColumnRules {
  const column = `t.${identifier(name)}`;
  const plain = { shown: column, ordered: column, distinct: column, isCut: 'false', mean: undefined };
  const axis = axisOf(dataType);
  if (axis !== undefined) {
    const finite = axis.hasInfinity ? `CASE WHEN isfinite(${column}) THEN ${column} END` : column;
    const mean = axis.isNumber ? axis.summable(finite) : undefined;
    return { ...plain, ordered: finite, mean, axis: { ...axis, position: axis.positionOf(finite) } };
  }
  if (plainTypes.has(dataType)) return { ...plain, axis: undefined };
  if (dataType === 'STRING') {
    const cut = `left(${column}, ${maxTextCharacters})`;
    return { ...plain, shown: cut, ordered: cut, isCut: isLong(column), axis: undefined };
  }
  if (dataType === 'BLOB') {
    const cut = `array_slice(${column}, 1, ${maxBytes})`;
    const isCut = `octet_length(${column}) > ${maxBytes}`;
    return { ...plain, shown: cut, ordered: cut, isCut, axis: undefined };
  }
  // JSON and nested types, as text. Texts of equal values may differ, so they have no order to show.
  const text = `CAST(${column} AS VARCHAR)`;
  const cut = `left(${text}, ${maxTextCharacters})`;
  return { ...plain, shown: cut, ordered: undefined, distinct: text, isCut: isLong(text), axis: undefined };
}

/** Counts bytes, which is cheaper; a text of fewer characters may count as cut. */
const isLong = (text: string) => `strlen(${text}) > ${maxTextCharacters}`;

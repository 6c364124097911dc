import { createdAtColumn, rowIdColumn } from '../../tables/column-name.ts';
import type { LakeColumn } from '../../tables/columns.ts';

/** A column as the quick reading uses it. */
export interface Target {
  name: string;
  dataType: string;
  position: number;
  /** `"name"` as in the source, and `"name":` and `"c0":` as written to the outputs. */
  quoted: Buffer;
  member: Buffer;
  feedMember: Buffer;
  isRequired: boolean;
  isUsed: boolean;
  /** The type may still change with the values; false once the table determines it. */
  isOpen: boolean;
  isUndetermined: boolean;
  /** An integer of more than 15 digits occurred: the column cannot become DOUBLE without a closer check. */
  sawLong: boolean;
  /** Digits before and after the decimal point that a DECIMAL holds. */
  wholeDigits: number;
  scale: number;
}

export function targetsOf(columns: readonly LakeColumn[], keys: readonly string[]): Target[] {
  return columns
    .filter(({ name }) => name !== createdAtColumn)
    .map((column, position) => {
      const decimal = /^DECIMAL\((\d+),(\d+)\)$/.exec(column.dataType);
      const quoted = JSON.stringify(column.name);
      return {
        name: column.name,
        dataType: column.dataType,
        position,
        quoted: Buffer.from(quoted),
        member: Buffer.from(`${quoted}:`),
        feedMember: Buffer.from(`"c${position}":`),
        isRequired: !column.nullable || column.name === rowIdColumn || keys.includes(column.name),
        isUsed: false,
        isOpen: column.typing !== 'declared',
        isUndetermined: column.typing === 'undetermined',
        sawLong: false,
        wholeDigits: decimal === null ? 0 : Number(decimal[1]) - Number(decimal[2]),
        scale: decimal === null ? 0 : Number(decimal[2]),
      };
    });
}

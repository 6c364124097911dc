import type { TextTable } from '../text/table.ts';
import { castText } from './cast.ts';
import type { PlannedColumn } from './plan.ts';
import { textSql } from './select.ts';

/**
 * Columns that are read by the same expression. It is written once, over the list of their texts, because
 * planning an expression for each of hundreds of columns takes the engine seconds and much memory.
 */
export interface AlikeColumns {
  /** The columns' positions in the plan. */
  positions: number[];
  /** SQL for the list of their texts. */
  texts: string;
  /** SQL for the value of one text `v`. */
  value: string;
  isNullable: boolean;
  isText: boolean;
}

/** Groups the columns of the plan; columns missing from the file are in no group. */
export function alikeColumns(
  table: Pick<TextTable, 'isTagged'>,
  plan: readonly PlannedColumn[],
): AlikeColumns[] {
  const groups = new Map<string, { positions: number[]; columns: PlannedColumn[] }>();
  for (const [position, column] of plan.entries()) {
    if (column.source === undefined) continue;
    const key = `${column.nullable} ${castText('v', column.type, column.form)}`;
    const group = groups.get(key) ?? { positions: [], columns: [] };
    group.positions.push(position);
    group.columns.push(column);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ positions, columns }) => ({
    positions,
    texts: `[${columns.map((column) => textSql(table, column)).join(', ')}]`,
    value: castText('v', columns[0]!.type, columns[0]!.form),
    isNullable: columns[0]!.nullable,
    isText: columns[0]!.type.kind === 'STRING',
  }));
}

import { foldName } from '../../../packages/sql-guard/index.ts';
import { columnNameFault, createdAtColumn, resultColumnFault, rowIdColumn } from '../tables/column-name.ts';

/**
 * Why the result of a definition cannot have a column of this name; undefined if it can. It may have the
 * automatic columns of the table that it reads, and it is stored if it is built.
 */
export function definedColumnFault(name: string, isBuilt: boolean): string | undefined {
  const folded = foldName(name);
  if (folded === rowIdColumn || folded === createdAtColumn) return undefined;
  return isBuilt ? columnNameFault(name) : resultColumnFault(name);
}

import { AppError } from '../../../data/errors.ts';
import type { LakeDeps } from '../../../data/lake/commit.ts';
import { readLake } from '../../../data/lake/ducklake/alive.ts';
import { isOutOfMemory, isTransientFailure } from '../../../data/lake/engine/failure.ts';
import type { Lake } from '../../../data/lake/provision.ts';
import { identifier } from '../../../data/lake/sql.ts';
import { rowIdColumn } from '../tables/column-name.ts';

export interface ReadPage {
  table: string;
  hasRowIds: boolean;
  snapshotId: number;
  /** The table has a column named rowid, which hides the lake's. */
  hasOwnRowid: boolean;
  /** Position of the previous page's last row: its s_id, or its row number in an imported table. */
  after: bigint | undefined;
  limit: number;
}

export interface RowsPage {
  /** JSON text of each row under its source column names. */
  rowTexts: string[];
  last: bigint | undefined;
  hasMore: boolean;
}

/**
 * One page of a table's rows at one version. All pages read with one cursor show that version, whatever is
 * written meanwhile. A read that fails transiently is retried once.
 */
export async function readRows(deps: LakeDeps, lake: Lake, page: ReadPage): Promise<RowsPage> {
  const { order, after, offset } = pagingOf(page);
  const statement = `SELECT ${page.hasOwnRowid ? '0' : order} AS position, * FROM ${identifier(page.table)} AT (VERSION => ${page.snapshotId})
     ${after} ORDER BY ${order} LIMIT ${page.limit + 1} OFFSET ${offset}`;
  const rows = await runRead(deps, lake, statement).catch((error: unknown) => {
    if (isOutOfMemory(error)) throw tooLarge();
    if (!isTransientFailure(error)) throw error;
    return runRead(deps, lake, statement);
  });
  const kept = rows.slice(0, page.limit);
  return {
    rowTexts: kept.map(({ text }) => text),
    last: page.hasOwnRowid ? BigInt(offset + kept.length) : (kept.at(-1)?.first as bigint | undefined),
    hasMore: rows.length > page.limit,
  };
}

function runRead({ engine }: LakeDeps, lake: Lake, statement: string) {
  return readLake(engine, lake, (connection) => connection.readTexts(statement));
}

function tooLarge(): AppError {
  return new AppError(
    'query_too_large',
    'These rows are too large for one answer; ask for fewer of them with limit, or for some columns with a query.',
  );
}

/** Pages by s_id, by the lake's own row number, or, if a column hides that, by all columns and an offset. */
function pagingOf({ hasRowIds, hasOwnRowid, after }: ReadPage): {
  order: string;
  after: string;
  offset: number;
} {
  if (hasOwnRowid) return { order: 'ALL', after: '', offset: Number(after ?? 0n) };
  const order = hasRowIds ? rowIdColumn : 'rowid';
  return { order, after: after === undefined ? '' : `WHERE ${order} > ${after}`, offset: 0 };
}

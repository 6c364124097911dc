import { AppError } from '../../../data/errors.ts';
import type { LakeDeps } from '../../../data/lake/commit.ts';
import { readLake } from '../../../data/lake/ducklake/alive.ts';
import { isOutOfMemory, isTransientFailure } from '../../../data/lake/engine/failure.ts';
import { findStatistics } from '../../../data/lake/ledger.ts';
import type { Lake } from '../../../data/lake/provision.ts';
import { identifier } from '../../../data/lake/sql.ts';
import { rowIdColumn } from '../tables/column-name.ts';
import { findPhysicalTable } from '../tables/columns.ts';
import { isInLake, type TableRow } from '../tables/registry.ts';
import { snapshotShowing } from '../tables/versions.ts';
import { countRows, type Ordered, seek } from './seek.ts';

export interface ReadPage {
  table: string;
  hasRowIds: boolean;
  snapshotId: number;
  /** The table has a column named rowid, which hides the lake's. */
  hasOwnRowid: boolean;
  /** Identifies the content: the table's id and version. */
  content: string;
  /** Position of the previous page's last row: its s_id, or its row number in an imported table. */
  after: bigint | undefined;
  /** Rows before the page, where it is read by their number. */
  offset: number | undefined;
  limit: number;
}

export interface RowsPage {
  /** JSON text of each row under its source column names. */
  rowTexts: string[];
  last: bigint | undefined;
  hasMore: boolean;
  /** All rows of that version, where the page was read by their number. */
  total: number | undefined;
}

export interface AskedPage extends Pick<ReadPage, 'after' | 'offset' | 'limit'> {
  /** The newest by default. */
  version: number | undefined;
}

/**
 * A page as it was asked for. Data tables are paged by s_id; any other may have a column named `rowid`.
 *
 * @throws AppError conflict of a system table, not_materialized, version_expired, query_too_large
 */
export async function readAsked(
  deps: LakeDeps,
  organizationId: string,
  table: TableRow,
  asked: AskedPage,
): Promise<RowsPage & { version: number }> {
  if (!isInLake(table)) throw new AppError('conflict', "System tables can't be read.");
  const lake = await deps.catalog.get(organizationId);
  const newest = (await findStatistics(deps.catalogPool, lake.schema, table.id))?.version;
  if (newest === undefined && table.kind === 'calc')
    throw new AppError(
      'not_materialized',
      `The calculated table hasn't been built yet. Build it with POST /v1/grid/tables/${table.id}/materialize.`,
    );
  const version = asked.version ?? newest ?? 0;
  const snapshotId = await snapshotShowing(deps.catalogPool, lake.schema, table.id, version);
  const hasRowIds = table.kind === 'data';
  const physical = hasRowIds ? undefined : await findPhysicalTable(deps.catalogPool, lake.schema, table.name);
  const hasOwnRowid = physical?.columns.some(({ name }) => name.toLowerCase() === 'rowid') ?? false;
  const content = `${table.id} ${version}`;
  const page = { ...asked, table: table.name, hasRowIds, hasOwnRowid, snapshotId, content };
  return { ...(await readRows(deps, lake, page)), version };
}

/**
 * One page of a table's rows at one version. All pages read with one cursor show that version, whatever is
 * written meanwhile. A read that fails transiently is retried once.
 */
export async function readRows(deps: LakeDeps, lake: Lake, page: ReadPage): Promise<RowsPage> {
  return readPage(deps, lake, page).catch((error: unknown) => {
    if (isOutOfMemory(error)) throw tooLarge();
    if (!isTransientFailure(error)) throw error;
    return readPage(deps, lake, page);
  });
}

async function readPage(deps: LakeDeps, lake: Lake, page: ReadPage): Promise<RowsPage> {
  const order = page.hasRowIds ? rowIdColumn : 'rowid';
  const relation = `${identifier(page.table)} AT (VERSION => ${page.snapshotId})`;
  const { where, skip, total } = await startOf(deps, lake, page, {
    content: page.content,
    relation,
    by: order,
  });
  const statement = `SELECT ${page.hasOwnRowid ? '0' : order} AS position, * FROM ${relation}
     ${where} ORDER BY ${page.hasOwnRowid ? 'ALL' : order} LIMIT ${page.limit + 1} OFFSET ${skip}`;
  const rows = await readLake(deps.engine, lake, (connection) => connection.readTexts(statement));
  const kept = rows.slice(0, page.limit);
  return {
    rowTexts: kept.map(({ text }) => text),
    last: page.hasOwnRowid ? BigInt(skip + kept.length) : (kept.at(-1)?.first as bigint | undefined),
    hasMore: rows.length > page.limit,
    total,
  };
}

interface Start {
  where: string;
  /** Rows that are skipped. */
  skip: number;
  total: number | undefined;
}

/** Pages by s_id, by the lake's own row number, or, if a column hides that, by all columns and an offset. */
async function startOf(
  deps: LakeDeps,
  lake: Lake,
  { hasOwnRowid, after, offset }: ReadPage,
  ordered: Ordered,
): Promise<Start> {
  if (hasOwnRowid) {
    const total = offset === undefined ? undefined : await countRows(deps, lake, { ...ordered, by: '1' });
    return { where: '', skip: offset ?? Number(after ?? 0n), total };
  }
  if (offset === undefined)
    return { where: after === undefined ? '' : `WHERE ${ordered.by} > ${after}`, skip: 0, total: undefined };
  const position = await seek(deps, lake, ordered, offset);
  const total = await countRows(deps, lake, ordered);
  if (position === undefined) return { where: 'WHERE false', skip: 0, total };
  return { where: `WHERE ${ordered.by} >= ${position.from}`, skip: position.skip, total };
}

function tooLarge(): AppError {
  return new AppError(
    'query_too_large',
    'These rows are too large for one answer. Request fewer rows with limit, or select fewer columns with a query.',
  );
}

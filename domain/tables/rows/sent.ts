import { inOrganization } from '../../../data/postgres/client.ts';
import { notAppendable } from '../tables/appendable.ts';
import { findPhysicalTable } from '../tables/columns.ts';
import type { TableDeps } from '../tables/deps.ts';
import { getTable, type TableRow, uniqueKeysOf } from '../tables/registry.ts';
import type { AppendRequest, AppendResult } from './append-group.ts';
import type { Appender } from './append-queue.ts';
import type { RowsBodies, RowsBody } from './body.ts';
import { type UpsertResult, upsertKeys, upsertRowIds, upsertRows } from './upsert.ts';

/** Rows as a request sent them. */
export interface SentRows extends Omit<AppendRequest, 'body'> {
  bytes: Uint8Array;
}

interface SentDeps extends TableDeps {
  rows: RowsBodies;
  append: Appender;
}

/** The keys that each row must have, and whether it must have an s_id. */
type Needed = [keys: readonly string[], rowIds: 'required' | 'optional'];

/** @throws AppError not_found, not_appendable, duplicate_row_id, duplicate_row_key; ValidationError */
export const appendSent = (deps: SentDeps, sent: SentRows): Promise<AppendResult> =>
  withBody(deps, sent, (table) => [uniqueKeysOf(table), 'required'], deps.append);

/** @throws AppError not_found, not_appendable, duplicate_row_id, conflict; ValidationError */
export const upsertSent = (deps: SentDeps, sent: SentRows): Promise<UpsertResult> => {
  const neededBy = ({ key_columns: columns }: TableRow): Needed => {
    const keys = upsertKeys(columns);
    return [keys, upsertRowIds(keys)];
  };
  return withBody(deps, sent, neededBy, (request) => upsertRows(deps, request));
};

/** Many rows are checked before they wait for the table; then again only if its columns have changed. */
function withBody<T>(
  deps: SentDeps,
  { bytes, ...sent }: SentRows,
  neededBy: (table: TableRow) => Needed,
  write: (request: AppendRequest) => Promise<T>,
): Promise<T> {
  const { organizationId, tableId } = sent;
  const planAhead = async (body: RowsBody) => {
    const table = await inOrganization(deps.db, organizationId, (db) =>
      getTable(db, organizationId, tableId),
    );
    if (table.kind !== 'data') throw notAppendable(table.kind);
    const { schema } = await deps.lake.catalog.get(organizationId);
    const physical = await findPhysicalTable(deps.lake.catalogPool, schema, table.name);
    if (physical !== undefined) await body.plan(physical.columns, ...neededBy(table));
  };
  return deps.rows.use(organizationId, bytes, async (body) => {
    if (body.isLarge) await planAhead(body);
    return write({ ...sent, body });
  });
}

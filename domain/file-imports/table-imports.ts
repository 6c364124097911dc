import type { Insertable, Selectable, Updateable } from 'kysely';
import { AppError, notFound } from '../../data/errors.ts';
import { isId } from '../../data/ids.ts';
import { isUniqueViolation, type OrganizationTransaction } from '../../data/postgres/client.ts';
import type { TableImports } from '../../data/postgres/schema.gen.ts';

export type TableImport = Selectable<TableImports>;
export type TableImportStatus = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';

/** An import's life. A cancelled import may never have run; a row that ended stays as it ended. */
export const tableImportTransitions: Record<TableImportStatus, readonly TableImportStatus[]> = {
  queued: ['running', 'failed', 'cancelled'],
  running: ['succeeded', 'failed', 'cancelled'],
  succeeded: [],
  failed: [],
  cancelled: [],
};

/** Why an import cannot succeed however often it is tried, as its caller sees it. */
export interface ImportFailure {
  code: string;
  message: string;
  line: number | null;
  column: string | null;
  raw: string | null;
  reason: string | null;
}

export async function findTableImport(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
): Promise<TableImport | undefined> {
  if (!isId('imp', id)) return undefined;
  return db
    .selectFrom('table_imports')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function getTableImport(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
): Promise<TableImport> {
  const found = await findTableImport(db, organizationId, id);
  if (found === undefined) throw notFound('The import');
  return found;
}

/** The import whose rows the table has. */
export async function findLatestImport(
  db: OrganizationTransaction,
  organizationId: string,
  tableId: string,
): Promise<string | undefined> {
  const latest = await db
    .selectFrom('table_imports')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('table_id', '=', tableId)
    .where('status', '=', 'succeeded')
    .orderBy('table_version', 'desc')
    .limit(1)
    .executeTakeFirst();
  return latest?.id;
}

export async function insertTableImport(
  db: OrganizationTransaction,
  row: Insertable<TableImports>,
): Promise<void> {
  try {
    await db
      .insertInto('table_imports')
      .values(row)
      .onConflict((conflict) => conflict.columns(['organization_id', 'id']).doNothing())
      .execute();
  } catch (error) {
    if (isUniqueViolation(error, 'table_imports_active')) {
      throw new AppError('conflict', 'Another import into this table is running; wait for it or cancel it.');
    }
    throw error;
  }
}

export async function deleteTableImport(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
): Promise<void> {
  await db
    .deleteFrom('table_imports')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute();
}

/** Moves an import by compare-and-set along the table above; false when it is not where it should be. */
export async function moveTableImport(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
  from: TableImportStatus,
  to: TableImportStatus,
  change: Updateable<TableImports> = {},
): Promise<boolean> {
  if (!tableImportTransitions[from].includes(to))
    throw new Error(`An import cannot go from ${from} to ${to}.`);
  const moved = await db
    .updateTable('table_imports')
    .set({
      ...change,
      status: to,
      ...(to === 'running' ? { started_at: new Date() } : {}),
      ...(tableImportTransitions[to].length === 0 ? { finished_at: new Date() } : {}),
    })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('status', '=', from)
    .executeTakeFirst();
  return moved.numUpdatedRows === 1n;
}

/** Progress of a running import; an import that ended keeps its last figures. */
export async function reportProgress(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
  progress: { fraction: number; bytesRead: number; rows: number },
): Promise<void> {
  await db
    .updateTable('table_imports')
    .set({ progress: progress.fraction, bytes_read: progress.bytesRead, rows_imported: progress.rows })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('status', '=', 'running')
    .execute();
}

/** Names the table of the rows that did not fit, before it is made. */
export async function keepQuarantineTable(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
  tableId: string,
): Promise<void> {
  await db
    .updateTable('table_imports')
    .set({ quarantine_table_id: tableId })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('status', '=', 'running')
    .execute();
}

/** Keeps why the import fails, in its row: what a file holds must not reach a workflow's history. */
export async function recordFailure(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
  failure: ImportFailure,
): Promise<void> {
  await db
    .updateTable('table_imports')
    .set({ error: JSON.stringify(storable(failure)) })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('status', '=', 'running')
    .execute();
}

/** PostgreSQL keeps neither NUL nor half a surrogate pair in text; a binary file named .csv holds both. */
function storable(failure: ImportFailure): ImportFailure {
  const clean = <T extends string | null>(text: T) =>
    text?.toWellFormed().replaceAll('\u0000', '\ufffd') ?? null;
  const { code, message, line, column, raw, reason } = failure;
  return {
    code,
    message: clean(message) ?? '',
    line,
    column: clean(column),
    raw: clean(raw),
    reason: clean(reason),
  };
}

export async function requestCancel(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
): Promise<void> {
  await db
    .updateTable('table_imports')
    .set({ cancel_requested_at: new Date() })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('status', 'in', ['queued', 'running'])
    .where('cancel_requested_at', 'is', null)
    .execute();
}

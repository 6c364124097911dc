import type { Insertable } from 'kysely';
import { AppError } from '../../data/errors.ts';
import { isUniqueViolation, type OrganizationTransaction } from '../../data/postgres/client.ts';
import { type RecordOf, records } from '../../data/postgres/records.ts';
import type { DB } from '../../data/postgres/schema.ts';
import { states } from '../../data/postgres/states.ts';

export type TableImport = RecordOf<'table_imports'>;

const imports = records('table_imports', { prefix: 'imp', what: 'The import' });

export const { find: findTableImport, get: getTableImport, remove: deleteTableImport } = imports;

/** An import's life. A cancelled import may never have run; a row that ended stays as it ended. */
export const tableImportStates = states(
  'table_imports',
  {
    queued: ['running', 'failed', 'cancelled'],
    running: ['succeeded', 'failed', 'cancelled'],
    succeeded: [],
    failed: [],
    cancelled: [],
  },
  (to, isEnd) => ({
    ...(to === 'running' ? { started_at: new Date() } : {}),
    ...(isEnd ? { finished_at: new Date() } : {}),
  }),
);

/** Why an import cannot succeed however often it is tried, as its caller sees it. */
export interface ImportFailure {
  code: string;
  message: string;
  line: number | null;
  column: string | null;
  raw: string | null;
  reason: string | null;
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
  row: Insertable<DB['table_imports']>,
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

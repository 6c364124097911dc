import type { Insertable, Updateable } from 'kysely';
import { AppError } from '../../../data/errors.ts';
import { isUniqueViolation, type OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type RecordOf, records, type Slice } from '../../../data/postgres/records.ts';
import type { DB } from '../../../data/postgres/schema.ts';
import { states } from '../../../data/postgres/states.ts';
import type { ReadOptions, SkippedLine, Warning } from '../../../packages/file-reader/index.ts';
import type { Refusal } from '../../tables/derived-relations/definitions.ts';
import { deleteRun, followRun, insertRun, reportRunProgress } from '../../workspace/runs/runs.ts';

export type TableImport = RecordOf<'table_imports'>;

/** How a file is read, and what is done with rows that do not fit. */
export type StoredOptions = ReadOptions & { onBadRow: 'fail' | 'quarantine' };

declare module '../../../data/postgres/schema.ts' {
  interface Documents {
    table_imports: {
      skipped_lines: DefaultedDocument<SkippedLine[]>;
      warnings: DefaultedDocument<Warning[]>;
      options: Document<StoredOptions>;
    };
  }
}

const imports = records('table_imports', { prefix: 'imp', what: 'The import' });

export const { find: findTableImport, get: getTableImport } = imports;

/** Newest first; those that match all of what is given. */
export function listTableImports(
  db: OrganizationTransaction,
  organizationId: string,
  slice: Slice,
  where: Partial<Pick<TableImport, 'project_id' | 'table_id' | 'status'>>,
): Promise<TableImport[]> {
  return imports.list(db, organizationId, slice, where);
}

/** An import's states. A cancelled import may never have run; end states are final. */
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

/** A permanent failure of an import, as shown to users. */
export interface ImportFailure extends Refusal {
  code: string;
  message: string;
  line: number | null;
  column: string | null;
  raw: string | null;
  reason: string | null;
}

/** Whether another import has replaced the table's content after this one. */
export async function isReplacedSince(
  db: OrganizationTransaction,
  { organization_id: organizationId, table_id: tableId, table_version: version }: TableImport,
): Promise<boolean> {
  const later = await db
    .selectFrom('table_imports')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('table_id', '=', tableId)
    .where('status', '=', 'succeeded')
    .where('mode', '!=', 'append')
    .where('table_version', '>', version)
    .limit(1)
    .executeTakeFirst();
  return later !== undefined;
}

/** Adds an import and its run, which the project lists. */
export async function insertTableImport(
  db: OrganizationTransaction,
  row: Omit<Insertable<DB['table_imports']>, 'status'>,
  workflowId: string,
): Promise<TableImport> {
  try {
    const added = await imports.insert(db, { ...row, status: 'queued' });
    await insertRun(db, {
      ...{ organization_id: row.organization_id, id: row.id, project_id: row.project_id, kind: 'import' },
      ...{ trigger_type: 'api', trigger_id: row.created_by },
      title: `Import of ${row.file_path} into ${row.table_name}`,
      ...{ resource_type: 'table-import', resource_id: row.id },
      workflow_id: workflowId,
    });
    return added;
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
  await imports.remove(db, organizationId, id);
  await deleteRun(db, organizationId, id);
}

/** Moves an import and its run by compare-and-set; undefined if its status is not `from`. */
export async function moveTableImport(
  db: OrganizationTransaction,
  { organization_id, id }: Pick<TableImport, 'organization_id' | 'id'>,
  from: TableImport['status'],
  to: TableImport['status'],
  change: Updateable<DB['table_imports']> = {},
): Promise<TableImport | undefined> {
  const moved = await tableImportStates.move(db, { organization_id, id }, from, to, change);
  if (moved === undefined) return undefined;
  await followRun(db, moved, to, {
    progress: moved.progress,
    error: moved.error === null ? null : JSON.stringify(moved.error),
    ...(to === 'succeeded'
      ? { output: JSON.stringify({ tableId: moved.table_id, rowsImported: moved.rows_imported }) }
      : {}),
  });
  return moved;
}

/** Records the progress of a running import; final figures do not change. */
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
  await reportRunProgress(db, organizationId, id, progress.fraction);
}

/** Records the table for bad rows before it is created. */
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

/**
 * Stores the failure in the import's row, because contents of files must not appear in a workflow's history.
 */
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

/** PostgreSQL text cannot contain NUL or lone surrogates; a binary file named .csv contains both. */
function storable(failure: ImportFailure): ImportFailure {
  const clean = <T extends string | null>(text: T) =>
    text?.toWellFormed().replaceAll('\u0000', '\ufffd') ?? null;
  const { code, message, line, column, raw, reason, ...refusal } = failure;
  return {
    ...refusal,
    code,
    message: clean(message) ?? '',
    line,
    column: clean(column),
    raw: clean(raw),
    reason: clean(reason),
  };
}

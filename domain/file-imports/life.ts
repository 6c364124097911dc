import { type Database, inOrganization } from '../../data/postgres/client.ts';
import { forgetTable } from '../tables/tables.ts';
import { getTableImport, type ImportFailure, tableImportStates } from './table-imports.ts';

export interface ImportId {
  organizationId: string;
  importId: string;
}

/** Told where staging told nothing: the fault is ours. */
const internalFailure: ImportFailure = {
  code: 'internal_error',
  message: 'The import failed for a reason of ours; start it again, or quote its id to the operator.',
  line: null,
  column: null,
  raw: null,
  reason: null,
};

/** queued → running; false when the import was cancelled before it began, or has ended. */
export function beginImport(db: Database, { organizationId, importId }: ImportId): Promise<boolean> {
  return inOrganization(db, organizationId, async (transaction) => {
    const row = await getTableImport(transaction, organizationId, importId);
    if (row.status === 'queued' && row.cancel_requested_at !== null) {
      await tableImportStates.move(transaction, row, 'queued', 'cancelled');
      await forgetTable(transaction, organizationId, row.table_id, 'creating');
      return false;
    }
    if (row.status === 'queued') await tableImportStates.move(transaction, row, 'queued', 'running');
    return row.status === 'queued' || row.status === 'running';
  });
}

/** Ends the import where it has not ended, and gives its reserved name back. */
export function endImport(
  db: Database,
  { organizationId, importId }: ImportId,
  status: 'failed' | 'cancelled',
): Promise<'succeeded' | 'failed' | 'cancelled'> {
  return inOrganization(db, organizationId, async (transaction) => {
    const row = await getTableImport(transaction, organizationId, importId);
    const from = row.status;
    if (from !== 'queued' && from !== 'running') return from;
    await tableImportStates.move(transaction, row, from, status, {
      ...(status === 'failed' && row.error === null ? { error: JSON.stringify(internalFailure) } : {}),
    });
    await forgetTable(transaction, organizationId, row.table_id, 'creating');
    return status;
  });
}

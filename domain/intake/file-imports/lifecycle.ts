import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import { forgetTable } from '../../tables/tables/registry.ts';
import { beginStep, findRun, internalFailure } from '../../workspace/runs/runs.ts';
import { getTableImport, type ImportFailure, moveTableImport, type TableImport } from './table-imports.ts';

export interface ImportId {
  organizationId: string;
  importId: string;
}

/** Default if staging recorded no failure. */
const unforeseen: ImportFailure = {
  ...internalFailure('The import'),
  ...{ line: null, column: null, raw: null, reason: null },
};

/** Steps shown to users while an import runs. */
export const importSteps = {
  read: { id: 'read', name: 'Read the file', type: 'read' },
  commit: { id: 'commit', name: 'Commit the table', type: 'commit' },
};

/** queued → running; false if the import was cancelled before it began, or has ended. */
export function beginImport(db: Database, { organizationId, importId }: ImportId): Promise<boolean> {
  return inOrganization(db, organizationId, async (transaction) => {
    const row = await getTableImport(transaction, organizationId, importId, 'update');
    const run = await findRun(transaction, organizationId, importId);
    // Cancelled before its process could receive the request.
    if (row.status === 'queued' && run?.cancel_requested_at != null) return false;
    if (row.status === 'queued') await moveTableImport(transaction, row, 'queued', 'running');
    await beginStep(transaction, organizationId, importId, importSteps.read);
    return row.status === 'queued' || row.status === 'running';
  });
}

/**
 * Ends the import unless it has ended, and releases the table name that it reserved. Returns its final state.
 */
export function endImport(
  db: Database,
  { organizationId, importId }: ImportId,
  status: 'failed' | 'cancelled',
): Promise<TableImport> {
  return inOrganization(db, organizationId, async (transaction) => {
    const row = await getTableImport(transaction, organizationId, importId, 'update');
    if (row.status !== 'queued' && row.status !== 'running') return row;
    const change = status === 'failed' && row.error === null ? { error: JSON.stringify(unforeseen) } : {};
    await moveTableImport(transaction, row, row.status, status, change);
    await forgetTable(transaction, organizationId, row.table_id, 'creating');
    return getTableImport(transaction, organizationId, importId);
  });
}

import { inOrganization } from '../../data/postgres/client.ts';
import {
  getTableImport,
  type ImportFailure,
  moveTableImport,
  type TableImportStatus,
} from '../../data/postgres/table-imports.ts';
import { forgetTable } from '../../data/postgres/tables.ts';
import type {
  TableImportControlActivities,
  TableImportOutcome,
} from '../../workflows/table-import/contract.ts';
import type { ActivityDeps } from '../deps.ts';

/** Told where staging told nothing: the fault is ours. */
const internalFailure: ImportFailure = {
  code: 'internal_error',
  message: 'The import failed for a reason of ours; start it again, or quote its id to the operator.',
  line: null,
  column: null,
  raw: null,
  reason: null,
};

export function tableImportControlActivities(deps: ActivityDeps): TableImportControlActivities {
  return {
    /** Safe to retry: compare-and-set; an import that runs already simply goes on. */
    async beginTableImport({ organizationId, importId }) {
      return inOrganization(deps.db, organizationId, async (db) => {
        const row = await getTableImport(db, organizationId, importId);
        if (row.status === 'queued' && row.cancel_requested_at !== null) {
          await moveTableImport(db, organizationId, importId, 'queued', 'cancelled');
          await forgetTable(db, organizationId, row.table_id, 'creating');
          return false;
        }
        if (row.status === 'queued') await moveTableImport(db, organizationId, importId, 'queued', 'running');
        return row.status === 'queued' || row.status === 'running';
      });
    },

    /** Safe to retry: an import that ended stays as it ended. */
    async endTableImport({ organizationId, importId }, status) {
      return inOrganization(deps.db, organizationId, async (db): Promise<TableImportOutcome> => {
        const row = await getTableImport(db, organizationId, importId);
        const from = row.status as TableImportStatus;
        if (from !== 'queued' && from !== 'running') return { status: from };
        await moveTableImport(db, organizationId, importId, from, status, {
          ...(status === 'failed' && row.error === null ? { error: JSON.stringify(internalFailure) } : {}),
        });
        await forgetTable(db, organizationId, row.table_id, 'creating');
        return { status };
      });
    },
  };
}

import { beginImport, endImport } from '../../domain/file-imports/life.ts';
import type { TableImportControlActivities } from '../../workflows/table-import/contract.ts';
import type { ActivityDeps } from '../deps.ts';

export function tableImportControlActivities({ db }: ActivityDeps): TableImportControlActivities {
  return {
    /** Safe to retry: compare-and-set; an import that runs already simply goes on. */
    beginTableImport: (input) => beginImport(db, input),

    /** Safe to retry: an import that ended stays as it ended. */
    endTableImport: async (input, status) => ({ status: await endImport(db, input, status) }),
  };
}

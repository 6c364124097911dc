import { beginImport, endImport } from '../../../domain/intake/file-imports/lifecycle.ts';
import type { ImportFailure, TableImport } from '../../../domain/intake/file-imports/table-imports.ts';
import type {
  TableImportControlActivities,
  TableImportOutcome,
} from '../../../workflows/intake/table-import/contract.ts';
import type { ActivityDeps } from '../../deps.ts';

export function tableImportControlActivities({ db }: ActivityDeps): TableImportControlActivities {
  return {
    /** Safe to retry: compare-and-set; an import that runs already simply goes on. */
    beginTableImport: (input) => beginImport(db, input),

    /** Safe to retry: an import that ended stays as it ended. */
    endTableImport: async (input, status) => outcomeOf(await endImport(db, input, status)),
  };
}

/** Counts and a code: what a file holds stays in the row. */
export function outcomeOf(row: TableImport): TableImportOutcome {
  return {
    status: row.status as TableImportOutcome['status'],
    rows: row.rows_imported,
    quarantinedRows: row.rows_quarantined,
    errorCode: (row.error as ImportFailure | null)?.code ?? null,
  };
}

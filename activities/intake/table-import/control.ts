import { beginImport, endImport } from '../../../domain/intake/file-imports/lifecycle.ts';
import type { ImportFailure, TableImport } from '../../../domain/intake/file-imports/table-imports.ts';
import type {
  TableImportControlActivities,
  TableImportOutcome,
} from '../../../workflows/intake/table-import/contract.ts';
import type { ActivityDeps } from '../../deps.ts';

export function tableImportControlActivities({ db }: ActivityDeps): TableImportControlActivities {
  return {
    /** Safe to retry: compare-and-set; an import that is running already continues. */
    beginTableImport: (input) => beginImport(db, input),

    /** Safe to retry: no effect on an import that has ended. */
    endTableImport: async (input, status) => outcomeOf(await endImport(db, input, status)),
  };
}

/** Counts and a code only: the content of a file stays in the row. */
export function outcomeOf(row: TableImport): TableImportOutcome {
  return {
    status: row.status as TableImportOutcome['status'],
    rows: row.rows_imported,
    quarantinedRows: row.rows_quarantined,
    errorCode: (row.error as ImportFailure | null)?.code ?? null,
  };
}

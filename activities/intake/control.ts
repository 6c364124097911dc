import { admitSnapshot, beginSnapshot, endSnapshot } from '../../domain/intake/datasets/lifecycle.ts';
import type { SnapshotFailure, SnapshotRun } from '../../domain/intake/datasets/snapshot-runs.ts';
import { wakeQueued } from '../../domain/intake/datasets/turns.ts';
import { beginImport, endImport } from '../../domain/intake/file-imports/lifecycle.ts';
import type { ImportFailure, TableImport } from '../../domain/intake/file-imports/table-imports.ts';
import { advanceBatch, endBatch, expireBatch } from '../../domain/intake/ingestion/advance.ts';
import type { BatchFailure } from '../../domain/intake/ingestion/ingestion-batches.ts';
import type { IngestionBatchControlActivities } from '../../workflows/intake/ingestion-batch/contract.ts';
import type { SnapshotControlActivities, SnapshotOutcome } from '../../workflows/intake/snapshot/contract.ts';
import type {
  TableImportControlActivities,
  TableImportOutcome,
} from '../../workflows/intake/table-import/contract.ts';
import type { ActivityDeps } from '../deps.ts';

export function ingestionBatchControlActivities(deps: ActivityDeps): IngestionBatchControlActivities {
  return {
    /** Safe to retry: reads, and changes states by compare-and-set. */
    async advanceIngestionBatch(input) {
      const batch = await advanceBatch(deps, input);
      return {
        status: batch?.status ?? 'gone',
        pages: batch?.page_count ?? 0,
        records: batch?.records_staged ?? 0,
        errorCode: (batch?.error as BatchFailure | null | undefined)?.code ?? null,
      };
    },

    /** Safe to retry: compare-and-set. */
    expireIngestionBatch: (input) => expireBatch(deps.db, input),

    /** Safe to retry: compare-and-set. */
    abortIngestionBatch: (input) => endBatch(deps.db, input),
  };
}

export function snapshotControlActivities(deps: ActivityDeps): SnapshotControlActivities {
  return {
    /**
     * Safe to retry: compare-and-set under the organization's lock; a snapshot that is running already
     * continues.
     */
    beginSnapshot: (input) => beginSnapshot(deps.db, input),

    /** Safe to retry: compare-and-set; a held snapshot stays held. */
    admitSnapshot: (input, isOverdue) => admitSnapshot(deps, input, isOverdue),

    /** Safe to retry: no effect on a snapshot that has ended. */
    endSnapshot: async (input, status) => {
      const ended = await endSnapshot(deps.db, input, status);
      await wakeQueued(deps, input.organizationId);
      return snapshotOutcome(ended);
    },
  };
}

/** A count and a code only: the content and messages of a source stay in the row. */
export function snapshotOutcome(row: SnapshotRun): SnapshotOutcome {
  return {
    status: row.status as SnapshotOutcome['status'],
    rows: row.rows_copied,
    errorCode: (row.error as SnapshotFailure | null)?.code ?? null,
  };
}

export function tableImportControlActivities({ db }: ActivityDeps): TableImportControlActivities {
  return {
    /** Safe to retry: compare-and-set; an import that is running already continues. */
    beginTableImport: (input) => beginImport(db, input),

    /** Safe to retry: no effect on an import that has ended. */
    endTableImport: async (input, status) => importOutcome(await endImport(db, input, status)),
  };
}

/** Counts and a code only: the content of a file stays in the row. */
export function importOutcome(row: TableImport): TableImportOutcome {
  return {
    status: row.status as TableImportOutcome['status'],
    rows: row.rows_imported,
    quarantinedRows: row.rows_quarantined,
    errorCode: (row.error as ImportFailure | null)?.code ?? null,
  };
}

export const intakeControlActivities = (deps: ActivityDeps) => ({
  ...ingestionBatchControlActivities(deps),
  ...snapshotControlActivities(deps),
  ...tableImportControlActivities(deps),
});

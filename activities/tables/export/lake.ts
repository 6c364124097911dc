import { ApplicationFailure } from '@temporalio/common';
import { recordExportFailure, writeExport } from '../../../domain/tables/exports/write-files.ts';
import type { ExportInput, ExportLakeActivities } from '../../../workflows/tables/export/contract.ts';
import type { ActivityDeps } from '../../deps.ts';
import { withHeartbeats } from '../../heartbeats.ts';
import { throwIfNoProcess } from '../../no-process.ts';

export function exportLakeActivities(deps: ActivityDeps): ExportLakeActivities {
  const failIfFinal = async (input: ExportInput, error: unknown): Promise<never> => {
    throwIfNoProcess(error);
    if (!(await recordExportFailure(deps.db, input, error))) throw error;
    const message = error instanceof Error ? error.name : 'AppError';
    throw ApplicationFailure.create({ type: 'ExportFailed', message, nonRetryable: true });
  };

  return {
    /** Safe to retry: each attempt has its own folder, and only one is recorded. */
    writeExport: (input) =>
      withHeartbeats({}, {}, (_progress, signal) =>
        writeExport(deps, input, signal).catch((error: unknown) => {
          if (signal.aborted) throw error;
          return failIfFinal(input, error);
        }),
      ),
  };
}

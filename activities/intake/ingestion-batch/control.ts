import { advanceBatch, endBatch, expireBatch } from '../../../domain/intake/ingestion/advance.ts';
import type { BatchFailure } from '../../../domain/intake/ingestion/ingestion-batches.ts';
import type { IngestionBatchControlActivities } from '../../../workflows/intake/ingestion-batch/contract.ts';
import type { ActivityDeps } from '../../deps.ts';

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

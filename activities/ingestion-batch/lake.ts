import { AppError } from '../../data/errors.ts';
import {
  type ApplyProgress,
  appliedOf,
  applyBatch,
  batchOperationId,
} from '../../data/lake/batches/apply.ts';
import { finishApplied } from '../../data/lake/batches/finish.ts';
import { stageQuarantined } from '../../data/lake/batches/replay.ts';
import { replayedImport, stageQuarantinedImport } from '../../data/lake/batches/replay-import.ts';
import { voidOperation } from '../../data/lake/ledger.ts';
import { batchPrefix } from '../../data/objects/keys.ts';
import { inOrganization } from '../../data/postgres/client.ts';
import {
  type BatchFailure,
  findBatch,
  type IngestionBatch,
  markCleaned,
  moveBatch,
} from '../../data/postgres/ingestion-batches.ts';
import type {
  IngestionBatchInput,
  IngestionBatchLakeActivities,
} from '../../workflows/ingestion-batch/contract.ts';
import type { ActivityDeps } from '../deps.ts';
import { DeadlyJobError, withHeartbeats } from '../heartbeats.ts';

/** Engines end with PostgreSQL too, now and then: a batch is given up only where that cannot be the reason. */
const heartbeats = { maxEngineDeaths: 8 };

const none: ApplyProgress = { pagesRead: 0, pages: 0 };

/** Told where the batch's own content is not at fault. */
const internalFailure: BatchFailure = {
  code: 'internal_error',
  message:
    'Applying failed for a reason of ours, and nothing was changed; send the batch again, or quote its id to the operator.',
};

/** What no other try can mend: the batch's content, its generation or its table. */
const finalCodes = new Set([
  'conflict',
  'duplicate_row_id',
  'generation_fenced',
  'not_found',
  'not_appendable',
]);

export function ingestionBatchLakeActivities(deps: ActivityDeps): IngestionBatchLakeActivities {
  const read = ({ organizationId, batchId }: IngestionBatchInput) =>
    inOrganization(deps.db, organizationId, (db) => findBatch(db, organizationId, batchId));

  return {
    /** Safe to retry: what is quarantined stays as it is until the batch is applied, and pages are immutable. */
    async stageReplay(input) {
      const batch = await read(input);
      if (batch?.status !== 'open') return;
      try {
        await withHeartbeats({}, heartbeats, (_, signal) =>
          replayedImport(batch) === undefined
            ? stageQuarantined(deps, batch, signal)
            : stageQuarantinedImport(deps, batch, signal),
        );
      } catch (error) {
        await failIfFinal(batch, error);
      }
    },

    /** Safe to retry: the ledger is asked first, and it takes the batch's id once. */
    async applyIngestionBatch(input) {
      const batch = await read(input);
      if (batch?.status !== 'applying') return;
      try {
        const applied = await withHeartbeats(none, heartbeats, (progress, signal) =>
          applyBatch(deps, batch, progress, signal),
        );
        await finishApplied(deps.db, batch, applied);
      } catch (error) {
        await failIfFinal(batch, error);
      }
    },

    /** Safe to retry: compare-and-set, and the ledger decides. */
    async giveUpIngestionBatch(input) {
      const batch = await read(input);
      if (batch?.status === 'applying' || batch?.status === 'open') await fail(batch, internalFailure);
    },

    /** Safe to retry: removes by prefix, and only what no table names. */
    async cleanUpIngestionBatch({ organizationId, batchId }) {
      await deps.objects.removeAll(batchPrefix(organizationId, batchId));
      await inOrganization(deps.db, organizationId, (db) => markCleaned(db, organizationId, batchId));
    },
  };

  /** Throws what another try may mend. */
  async function failIfFinal(batch: IngestionBatch, error: unknown): Promise<void> {
    if (error instanceof DeadlyJobError) return fail(batch, internalFailure);
    if (!(error instanceof AppError) || !finalCodes.has(error.code)) throw error;
    deps.logger.info({ err: error, batchId: batch.id }, 'a batch could not be applied');
    await fail(batch, failureOf(error));
  }

  /** Fails the batch for good: a try that still lingers somewhere can no longer commit. */
  async function fail(batch: IngestionBatch, failure: BatchFailure): Promise<void> {
    const { schema } = await deps.lake.catalog.get(batch.organization_id);
    const entry = await voidOperation(deps.lake.catalogPool, schema, batchOperationId(batch.id));
    if (entry !== undefined) return finishApplied(deps.db, batch, appliedOf(batch, entry));
    await inOrganization(deps.db, batch.organization_id, (db) =>
      moveBatch(db, batch, batch.status as 'applying', 'failed', { error: JSON.stringify(failure) }),
    );
  }
}

function failureOf({ code, message, extensions }: AppError): BatchFailure {
  const rowIds = extensions['row_ids'];
  return { code, message, ...(Array.isArray(rowIds) ? { rowIds } : {}) };
}

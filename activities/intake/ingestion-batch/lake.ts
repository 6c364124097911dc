import { EngineCrashLoopError } from '../../../data/lake/engine/failure.ts';
import { batchPrefix } from '../../../data/objects/keys.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import { type ApplyProgress, applyBatch } from '../../../domain/intake/ingestion/apply.ts';
import { failBatch, failIfFinal, internalFailure } from '../../../domain/intake/ingestion/fail.ts';
import { finishApplied } from '../../../domain/intake/ingestion/finish.ts';
import { findBatch, markCleaned } from '../../../domain/intake/ingestion/ingestion-batches.ts';
import { quarantineOf } from '../../../domain/intake/ingestion/quarantine.ts';
import { removeUnneeded } from '../../../domain/workspace/files/remove-unneeded.ts';
import type {
  IngestionBatchInput,
  IngestionBatchLakeActivities,
} from '../../../workflows/intake/ingestion-batch/contract.ts';
import type { ActivityDeps } from '../../deps.ts';
import { beating, withHeartbeats } from '../../heartbeats.ts';

/** Engines also end when PostgreSQL restarts, so the limit is high enough to rule that out as the cause. */
const heartbeats = { maxEngineDeaths: 8 };

const none: ApplyProgress = { pagesRead: 0, pages: 0 };

export function ingestionBatchLakeActivities(deps: ActivityDeps): IngestionBatchLakeActivities {
  const read = ({ organizationId, batchId }: IngestionBatchInput) =>
    inOrganization(deps.db, organizationId, (db) => findBatch(db, organizationId, batchId));

  return {
    /**
     * Safe to retry: quarantined records do not change until the batch is applied, and pages are immutable.
     */
    async stageReplay(input) {
      const batch = await read(input);
      if (batch?.status !== 'open') return;
      try {
        await withHeartbeats({}, heartbeats, (_, signal) => quarantineOf(batch).stage(deps, batch, signal));
      } catch (error) {
        await failIfFinal(deps, batch, error instanceof EngineCrashLoopError ? undefined : error);
      }
    },

    /** Safe to retry: the ledger is checked first, and accepts the batch's id once. */
    async applyIngestionBatch(input) {
      const batch = await read(input);
      if (batch?.status !== 'applying') return;
      try {
        const applied = await withHeartbeats(none, heartbeats, (progress, signal) =>
          applyBatch(deps, batch, progress, signal),
        );
        await finishApplied(deps.db, batch, applied);
      } catch (error) {
        await failIfFinal(deps, batch, error instanceof EngineCrashLoopError ? undefined : error);
      }
    },

    /** Safe to retry: compare-and-set, and the ledger is authoritative. */
    giveUpIngestionBatch: beating(async (input: IngestionBatchInput) => {
      const batch = await read(input);
      if (batch?.status === 'applying' || batch?.status === 'open')
        await failBatch(deps, batch, internalFailure);
    }),

    /** Safe to retry: removes by prefix, and only objects to which no table refers. */
    cleanUpIngestionBatch: beating(async ({ organizationId, batchId }: IngestionBatchInput) => {
      await removeUnneeded(deps, organizationId, batchPrefix(organizationId, batchId));
      await inOrganization(deps.db, organizationId, (db) => markCleaned(db, organizationId, batchId));
    }),
  };
}

import { fencedMessage, isFenced } from '../../data/lake/batches/stage-page.ts';
import { tableStatistics } from '../../data/lake/ledger.ts';
import { inOrganization, type OrganizationTransaction } from '../../data/postgres/client.ts';
import { findDataSync } from '../../data/postgres/data-syncs.ts';
import {
  type BatchFailure,
  type BatchStatus,
  countsOf,
  findBatch,
  type IngestionBatch,
  moveBatch,
  revocableStatuses,
} from '../../data/postgres/ingestion-batches.ts';
import { stagedTotals } from '../../data/postgres/staged-pages.ts';
import { findTable } from '../../data/postgres/tables.ts';
import type {
  IngestionBatchControlActivities,
  IngestionBatchInput,
} from '../../workflows/ingestion-batch/contract.ts';
import type { ActivityDeps } from '../deps.ts';

export function ingestionBatchControlActivities(deps: ActivityDeps): IngestionBatchControlActivities {
  /** Runs `work` with the batch's row locked; nothing when there is no such row. */
  const withBatch = (
    { organizationId, batchId }: IngestionBatchInput,
    work: (db: OrganizationTransaction, batch: IngestionBatch) => Promise<unknown>,
  ) =>
    inOrganization(deps.db, organizationId, async (db) => {
      const batch = await findBatch(db, organizationId, batchId, 'update');
      if (batch !== undefined) await work(db, batch);
    });

  const read = ({ organizationId, batchId }: IngestionBatchInput) =>
    inOrganization(deps.db, organizationId, (db) => findBatch(db, organizationId, batchId));

  /** One that was moved on meanwhile stays where it is. */
  async function beginApplying(input: IngestionBatchInput): Promise<IngestionBatch | undefined> {
    const lake = await deps.lake.catalog.get(input.organizationId);
    const rows =
      (await tableStatistics(deps.lake.catalogPool, lake.schema)).get(input.tableId)?.rowCount ?? 0;
    await withBatch(input, async (db, batch) => {
      const refusal = await refusalOf(db, batch);
      if (refusal !== undefined) {
        await moveBatch(db, batch, 'completing', 'failed', { error: JSON.stringify(refusal) });
      } else {
        await moveBatch(
          db,
          batch,
          'completing',
          shrinksTooMuch(batch, rows) ? 'awaiting_confirmation' : 'applying',
        );
      }
    });
    return read(input);
  }

  return {
    /** Safe to retry: reads, and moves on by compare-and-set. */
    async advanceIngestionBatch(input) {
      const found = await read(input);
      const batch = found?.status === 'completing' ? await beginApplying(input) : found;
      return {
        status: batch === undefined ? 'gone' : (batch.status as BatchStatus),
        pages: batch?.page_count ?? 0,
        records: batch?.records_staged ?? 0,
      };
    },

    /** Safe to retry: compare-and-set. */
    async expireIngestionBatch(input) {
      await withBatch(input, (db, batch) =>
        endPending(db, batch, ['open', 'awaiting_confirmation'], 'expired'),
      );
    },

    /** Safe to retry: compare-and-set. */
    async abortIngestionBatch(input) {
      await withBatch(input, (db, batch) => endPending(db, batch, revocableStatuses, 'aborted'));
    },
  };
}

async function endPending(
  db: OrganizationTransaction,
  batch: IngestionBatch,
  from: readonly (typeof revocableStatuses)[number][],
  to: 'expired' | 'aborted',
): Promise<void> {
  const status = from.find((candidate) => candidate === batch.status);
  if (status === undefined) return;
  const totals = await stagedTotals(db, batch.organization_id, batch.id);
  await moveBatch(db, batch, status, to as 'aborted', countsOf(totals));
}

/** Why a completed batch must not be applied at all. */
async function refusalOf(
  db: OrganizationTransaction,
  batch: IngestionBatch,
): Promise<BatchFailure | undefined> {
  const table = await findTable(db, batch.organization_id, batch.table_id);
  if (table?.status !== 'ready') return { code: 'not_found', message: 'The table was deleted.' };
  const sync =
    batch.sync_id === null
      ? undefined
      : await findDataSync(db, batch.organization_id, batch.sync_id, 'share');
  return isFenced(batch, sync) ? { code: 'generation_fenced', message: fencedMessage } : undefined;
}

/** Whether the guard wants a person's word before the table's content is swapped for so much less. */
function shrinksTooMuch(batch: IngestionBatch, rowsBefore: number): boolean {
  if (batch.max_shrink_ratio === null || batch.shrink_confirmed || rowsBefore === 0) return false;
  return rowsBefore - (batch.records_staged ?? 0) > batch.max_shrink_ratio * rowsBefore;
}

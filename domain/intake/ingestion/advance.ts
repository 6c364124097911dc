import type { LakeDeps } from '../../../data/lake/commit.ts';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import { findTable } from '../../tables/tables/registry.ts';
import { findDataSync } from './data-syncs.ts';
import {
  type BatchFailure,
  countsOf,
  findBatch,
  type IngestionBatch,
  moveBatch,
  revocableStatuses,
} from './ingestion-batches.ts';
import { shrinksTooMuch } from './shrink.ts';
import { fencedMessage, isFenced } from './stage-page.ts';
import { stagedTotals } from './staged-pages.ts';

export interface AdvanceDeps {
  db: Database;
  lake: Pick<LakeDeps, 'catalog' | 'catalogPool'>;
}

export interface BatchId {
  organizationId: string;
  batchId: string;
}

/**
 * Advances a completed batch: completing → applying, awaiting confirmation or failed. Returns its current
 * state.
 */
export async function advanceBatch(deps: AdvanceDeps, id: BatchId): Promise<IngestionBatch | undefined> {
  const read = () =>
    inOrganization(deps.db, id.organizationId, (db) => findBatch(db, id.organizationId, id.batchId));
  const found = await read();
  if (found?.status !== 'completing') return found;
  const shrinks = await shrinksTooMuch(deps.lake, found);
  // No effect if another call has moved the batch.
  await withBatch(deps.db, id, async (db, batch) => {
    const refusal = await refusalOf(db, batch);
    if (refusal === undefined)
      await moveBatch(db, batch, 'completing', shrinks ? 'awaiting_confirmation' : 'applying');
    else await moveBatch(db, batch, 'completing', 'failed', { error: JSON.stringify(refusal) });
  });
  return read();
}

/** open or awaiting confirmation → expired; no effect in other states. */
export function expireBatch(db: Database, id: BatchId): Promise<void> {
  return withBatch(db, id, (transaction, batch) =>
    endPending(transaction, batch, ['open', 'awaiting_confirmation'], 'expired'),
  );
}

/** Aborts a batch that is not being applied. */
export function endBatch(db: Database, id: BatchId): Promise<void> {
  return withBatch(db, id, (transaction, batch) =>
    endPending(transaction, batch, revocableStatuses, 'aborted'),
  );
}

/** Runs `work` with the batch's row locked; no effect if there is no such row. */
function withBatch(
  db: Database,
  { organizationId, batchId }: BatchId,
  work: (db: OrganizationTransaction, batch: IngestionBatch) => Promise<unknown>,
): Promise<void> {
  return inOrganization(db, organizationId, async (transaction) => {
    const batch = await findBatch(transaction, organizationId, batchId, 'update');
    if (batch !== undefined) await work(transaction, batch);
  });
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
  await moveBatch(db, batch, status, to, countsOf(totals));
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

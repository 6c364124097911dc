import type { Insertable } from 'kysely';
import { AppError, notFound } from '../../../data/errors.ts';
import { isUniqueViolation, type OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type RecordOf, type RowLock, records, type Slice } from '../../../data/postgres/records.ts';
import type { DB } from '../../../data/postgres/schema.ts';
import { states } from '../../../data/postgres/states.ts';
import type { Refusal } from '../../tables/derived-relations/definitions.ts';
import { type StagedTotals, stagedTotalsOf } from './staged-pages.ts';

export type IngestionBatch = RecordOf<'ingestion_batches'>;
export type BatchMode = IngestionBatch['mode'];
export type BatchStatus = IngestionBatch['status'];

declare module '../../../data/postgres/schema.ts' {
  interface Documents {
    ingestion_batches: {
      error: Document<BatchFailure | null>;
    };
  }
}

const batches = records('ingestion_batches', {
  prefix: 'bat',
  what: 'The ingestion batch',
});

export const { find: findBatch, remove: deleteBatch } = batches;

/**
 * A batch's states. `completing` has a manifest and waits for its process. From `applying` on, the lake
 * determines whether it becomes `applied` or `failed`, and it cannot be revoked. It returns to
 * `awaiting_confirmation` if its table has grown meanwhile and the guard now requires a confirmation.
 */
export const batchStates = states(
  'ingestion_batches',
  {
    open: ['completing', 'failed', 'aborted', 'expired'],
    completing: ['awaiting_confirmation', 'applying', 'failed', 'aborted'],
    awaiting_confirmation: ['completing', 'failed', 'aborted', 'expired'],
    applying: ['applied', 'failed', 'awaiting_confirmation'],
    applied: [],
    failed: [],
    aborted: [],
    expired: [],
  },
  () => ({ moved_at: new Date() }),
);

export const { move: moveBatch } = batchStates;

/** Totals of what was staged, kept in the row of an ended batch. */
export function countsOf({ pages, records, quarantined, bytes }: StagedTotals) {
  return {
    pages_staged: pages,
    records_staged: records,
    records_quarantined: quarantined,
    bytes_staged: bytes,
  };
}

/** The states in which a batch can be revoked. */
export const revocableStatuses = ['open', 'completing', 'awaiting_confirmation'] as const;

export function isRevocable(status: string): boolean {
  return revocableStatuses.some((revocable) => revocable === status);
}

/** Why a batch failed, as shown to its client. */
export interface BatchFailure extends Refusal {
  code: string;
  message: string;
  /** The first conflicting s_ids; those beyond 2^53 as strings. */
  rowIds?: (number | string)[];
  /** The first conflicting keys, with the s_ids of rows that have them. */
  keys?: { key: Record<string, unknown> }[];
}

/** Finds a batch of this table. @throws AppError not_found */
export async function getBatch(
  db: OrganizationTransaction,
  organizationId: string,
  tableId: string,
  id: string,
  lock?: RowLock,
): Promise<IngestionBatch> {
  const batch = await batches.get(db, organizationId, id, lock);
  if (batch.table_id !== tableId) throw notFound('The ingestion batch');
  return batch;
}

/** The batches of a table, newest first, with what was staged of those that have not ended. */
export async function listBatches(
  db: OrganizationTransaction,
  organizationId: string,
  slice: Slice,
  where: Pick<IngestionBatch, 'table_id'> & Partial<Pick<IngestionBatch, 'status'>>,
): Promise<IngestionBatch[]> {
  const rows = await batches.list(db, organizationId, slice, where);
  const pending = rows.filter((row) => row.pages_staged === null);
  const totals = await stagedTotalsOf(
    db,
    organizationId,
    pending.map(({ id }) => id),
  );
  return rows.map((row) => (row.pages_staged === null ? { ...row, ...countsOf(totals(row.id)) } : row));
}

export async function findBatchByClientId(
  db: OrganizationTransaction,
  organizationId: string,
  tableId: string,
  clientBatchId: string,
): Promise<IngestionBatch | undefined> {
  return db
    .selectFrom('ingestion_batches')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('table_id', '=', tableId)
    .where('client_batch_id', '=', clientBatchId)
    .executeTakeFirst();
}

/**
 * Adds a batch. The caller holds the table's lock and has checked that the id and client_batch_id are not in
 * use.
 */
export async function insertBatch(
  db: OrganizationTransaction,
  batch: Insertable<DB['ingestion_batches']>,
): Promise<IngestionBatch> {
  try {
    return await db.insertInto('ingestion_batches').values(batch).returningAll().executeTakeFirstOrThrow();
  } catch (error) {
    if (isUniqueViolation(error, 'ingestion_batches_replay')) throw replayActive();
    throw error;
  }
}

export function replayActive(): AppError {
  return new AppError('conflict', 'Another batch is already staging these quarantined records.');
}

/** A sync's batches that are being applied. */
export async function applyingBatches(
  db: OrganizationTransaction,
  organizationId: string,
  syncId: string,
): Promise<IngestionBatch[]> {
  return db
    .selectFrom('ingestion_batches')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('sync_id', '=', syncId)
    .where('status', '=', 'applying')
    .execute();
}

/** Records that an ended batch has no staged data left. */
export async function markCleaned(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
): Promise<void> {
  await db
    .updateTable('ingestion_batches')
    .set({ cleaned_at: new Date() })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('cleaned_at', 'is', null)
    .execute();
}

import { AppError, isRetryable } from '../../../data/errors.ts';
import type { LakeDeps } from '../../../data/lake/commit.ts';
import { voidOperation } from '../../../data/lake/ledger.ts';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import { refusedBy } from '../../tables/verification/gate.ts';
import { appliedOf } from './apply.ts';
import { finishApplied } from './finish.ts';
import { type BatchFailure, type IngestionBatch, moveBatch } from './ingestion-batches.ts';
import { ShrinksTooMuch } from './shrink.ts';
import { batchOperationId } from './write.ts';

interface FailDeps {
  db: Database;
  lake: Pick<LakeDeps, 'catalog' | 'catalogPool'>;
  logger: { info(fields: object, message: string): void };
}

/** Reported if the batch's content is not the cause. */
export const internalFailure: BatchFailure = {
  code: 'internal_error',
  message:
    'The batch failed because of an internal error, and nothing was changed. Send it again, or give its id to the operator.',
};

/**
 * Fails the batch if the error is permanent (`undefined` means that all attempts were used up), or makes it
 * wait for a confirmation. Rethrows any other error.
 */
export async function failIfFinal(deps: FailDeps, batch: IngestionBatch, error: unknown): Promise<void> {
  if (error === undefined) return failBatch(deps, batch, internalFailure);
  if (error instanceof ShrinksTooMuch) return awaitConfirmation(deps.db, batch);
  if (!(error instanceof AppError) || isRetryable(error)) throw error;
  deps.logger.info({ err: error, batchId: batch.id }, 'a batch could not be applied');
  await failBatch(deps, batch, failureOf(error));
}

/**
 * Nothing of the batch is in the lake: `ShrinksTooMuch` is only thrown under the table's lock, after checking
 * the lake.
 */
async function awaitConfirmation(db: Database, batch: IngestionBatch): Promise<void> {
  await inOrganization(db, batch.organization_id, (transaction) =>
    moveBatch(transaction, batch, 'applying', 'awaiting_confirmation'),
  );
}

/**
 * Fails the batch permanently: a lingering attempt can no longer commit. If the lake has it, it is marked as
 * applied.
 */
export async function failBatch(
  deps: Omit<FailDeps, 'logger'>,
  batch: IngestionBatch,
  failure: BatchFailure,
): Promise<void> {
  const { schema } = await deps.lake.catalog.get(batch.organization_id);
  const entry = await voidOperation(deps.lake.catalogPool, schema, batchOperationId(batch.id));
  if (entry !== undefined) return finishApplied(deps.db, batch, appliedOf(batch, entry));
  await inOrganization(deps.db, batch.organization_id, (db) =>
    moveBatch(db, batch, batch.status, 'failed', { error: JSON.stringify(failure) }),
  );
}

function failureOf(error: AppError): BatchFailure {
  const { code, message, extensions } = error;
  const { row_ids: rowIds, keys } = extensions;
  return {
    code,
    message,
    ...(Array.isArray(rowIds) ? { rowIds } : {}),
    ...(Array.isArray(keys) ? { keys } : {}),
    ...refusedBy(error),
  };
}

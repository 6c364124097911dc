import { AppError, isRetryable } from '../../../data/errors.ts';
import type { LakeDeps } from '../../../data/lake/commit.ts';
import { voidOperation } from '../../../data/lake/ledger.ts';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
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

/** Told where the batch's own content is not at fault. */
export const internalFailure: BatchFailure = {
  code: 'internal_error',
  message:
    'Applying failed for a reason of ours, and nothing was changed; send the batch again, or quote its id to the operator.',
};

/**
 * Ends the batch where no other try can help (`undefined` is what ends every try), or has it wait where
 * somebody must confirm first. Throws anything else.
 */
export async function failIfFinal(deps: FailDeps, batch: IngestionBatch, error: unknown): Promise<void> {
  if (error === undefined) return failBatch(deps, batch, internalFailure);
  if (error instanceof ShrinksTooMuch) return awaitConfirmation(deps.db, batch);
  if (!(error instanceof AppError) || isRetryable(error)) throw error;
  deps.logger.info({ err: error, batchId: batch.id }, 'a batch could not be applied');
  await failBatch(deps, batch, failureOf(error));
}

/** Nothing of the batch is in the lake: this is only said under the table's lock, after a look there. */
async function awaitConfirmation(db: Database, batch: IngestionBatch): Promise<void> {
  await inOrganization(db, batch.organization_id, (transaction) =>
    moveBatch(transaction, batch, 'applying', 'awaiting_confirmation'),
  );
}

/** Fails the batch for good: a try that still lingers somewhere can no longer commit. */
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

function failureOf({ code, message, extensions }: AppError): BatchFailure {
  const { row_ids: rowIds, keys } = extensions;
  return {
    code,
    message,
    ...(Array.isArray(rowIds) ? { rowIds } : {}),
    ...(Array.isArray(keys) ? { keys } : {}),
  };
}

import { AppError } from '../../../data/errors.ts';
import type { LakeDeps } from '../../../data/lake/commit.ts';
import { findStatistics } from '../../../data/lake/ledger.ts';
import type { IngestionBatch } from './ingestion-batches.ts';

type ShrinkDeps = Pick<LakeDeps, 'catalog' | 'catalogPool'>;

/**
 * Thrown under the table's lock if the table has grown since the batch was admitted, so that a confirmation
 * is required.
 */
export class ShrinksTooMuch extends AppError {
  constructor() {
    super('conflict', 'The batch would remove more rows than its guard allows.');
  }
}

/** Whether the guard requires a confirmation to replace the table's current content with that much less. */
export async function shrinksTooMuch(deps: ShrinkDeps, batch: IngestionBatch): Promise<boolean> {
  if (batch.max_shrink_ratio === null || batch.shrink_confirmed) return false;
  const { schema } = await deps.catalog.get(batch.organization_id);
  const before = (await findStatistics(deps.catalogPool, schema, batch.table_id))?.rowCount ?? 0;
  return before > 0 && before - (batch.records_staged ?? 0) > batch.max_shrink_ratio * before;
}

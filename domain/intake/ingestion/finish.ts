import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import { type AppliedToLake, findApplied } from './apply.ts';
import { type DataSync, getDataSync, recordCheckpoint, rotateGeneration } from './data-syncs.ts';
import { applyingBatches, type IngestionBatch, moveBatch } from './ingestion-batches.ts';
import { quarantineOf } from './quarantine.ts';
import type { ApplyDeps } from './write.ts';

/**
 * Tells a batch that is in the lake as applied, with its sync's checkpoint. Whoever comes second changes
 * nothing.
 */
export async function finishApplied(
  db: Database,
  batch: IngestionBatch,
  applied: AppliedToLake,
): Promise<void> {
  const keepsAside = (batch.records_quarantined ?? 0) > 0 || batch.replay_of !== null;
  const quarantineTableId = keepsAside ? await quarantineOf(batch).finalize(db, batch) : null;
  await inOrganization(db, batch.organization_id, async (transaction) => {
    const moved = await moveBatch(transaction, batch, 'applying', 'applied', {
      rows_inserted: applied.rowsInserted,
      rows_updated: applied.rowsUpdated,
      table_version: applied.tableVersion,
      applied_at: applied.appliedAt,
      quarantine_table_id: quarantineTableId,
    });
    if (moved === undefined || batch.sync_id === null) return;
    await recordCheckpoint(transaction, batch.organization_id, batch.sync_id, {
      batchId: batch.id,
      generation: batch.generation,
      checkpoint: batch.checkpoint === null ? null : JSON.stringify(batch.checkpoint),
      version: applied.tableVersion,
      appliedAt: applied.appliedAt,
    });
  });
}

/**
 * Makes another generation the current one. No batch of the one before gets into the table after this: the
 * table's lock is held, under which batches look at their generation and commit. One that is in already is
 * told as applied first, so that the checkpoint read next is true.
 */
export async function rotate(
  deps: Pick<ApplyDeps, 'db' | 'lake'>,
  organizationId: string,
  syncId: string,
  generation: string,
): Promise<DataSync> {
  const sync = await inOrganization(deps.db, organizationId, (db) => getDataSync(db, organizationId, syncId));
  if (sync.generation === generation) return sync;
  return deps.lake.locks.hold(sync.table_id, async () => {
    const applying = await inOrganization(deps.db, organizationId, (db) =>
      applyingBatches(db, organizationId, syncId),
    );
    for (const batch of applying) {
      const applied = await findApplied(deps.lake, batch);
      if (applied !== undefined) await finishApplied(deps.db, batch, applied);
    }
    return inOrganization(deps.db, organizationId, (db) =>
      rotateGeneration(db, organizationId, syncId, generation),
    );
  });
}

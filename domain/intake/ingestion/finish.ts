import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import { type AppliedToLake, findApplied } from './apply.ts';
import { type DataSync, getDataSync, recordCheckpoint, rotateGeneration } from './data-syncs.ts';
import { applyingBatches, type IngestionBatch, moveBatch } from './ingestion-batches.ts';
import { quarantineOf } from './quarantine.ts';
import type { ApplyDeps } from './write.ts';

/** Marks a batch that is in the lake as applied, and records its sync's checkpoint. Idempotent. */
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
 * Changes the current generation. After this, no batch of the previous one can be applied, since batches
 * check their generation and commit under the table's lock, which is held here. Batches that are already in
 * the lake are first marked as applied, so that the checkpoint is correct when read next.
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

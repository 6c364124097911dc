import { AppError, notFound } from '../../../data/errors.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import { getTable } from '../../tables/tables/registry.ts';
import { getTableImport, isReplacedSince } from '../file-imports/table-imports.ts';
import { getBatch, type IngestionBatch } from './ingestion-batches.ts';
import { countQuarantinedRows } from './quarantine-files.ts';
import type { ReplayDeps } from './quarantine-model.ts';
import { countQuarantined } from './replay.ts';

/** A batch or import with quarantined records, and the mode for replaying them. */
export interface ReplaySource {
  source: 'batch' | 'import';
  id: string;
  mode: 'append' | 'upsert';
  onNewField: IngestionBatch['on_new_field'];
}

interface Asked {
  organizationId: string;
  tableId: string;
  batchId: string | undefined;
  importId: string | undefined;
}

type SourceDeps = Pick<ReplayDeps, 'db' | 'lake'>;

/**
 * @throws AppError not_found if the batch or import has nothing in quarantine; conflict if the import's table
 * was replaced since
 */
export async function findReplaySource(deps: SourceDeps, asked: Asked): Promise<ReplaySource> {
  const { organizationId, tableId, batchId, importId } = asked;
  if (batchId === undefined) return importSource(deps, organizationId, tableId, importId!);
  const batch = await inOrganization(deps.db, organizationId, async (db) => {
    await getTable(db, organizationId, tableId);
    return getBatch(db, organizationId, tableId, batchId);
  });
  // Records that a replay left in quarantine are kept under their original batch or import.
  const id = batch.replay_of ?? batch.id;
  if (batch.replay_source === 'import') return importSource(deps, organizationId, tableId, id);
  if ((await countQuarantined(deps, organizationId, tableId, id)) === 0)
    throw notFound('A quarantined record of this batch');
  const mode = batch.mode === 'upsert' ? 'upsert' : 'append';
  return { source: 'batch', id, mode, onNewField: batch.on_new_field };
}

async function importSource(
  deps: SourceDeps,
  organizationId: string,
  tableId: string,
  id: string,
): Promise<ReplaySource> {
  const { row, isReplaced } = await inOrganization(deps.db, organizationId, async (db) => {
    await getTable(db, organizationId, tableId);
    const row = await getTableImport(db, organizationId, id);
    if (row.table_id !== tableId) throw notFound('The import');
    return { row, isReplaced: await isReplacedSince(db, row) };
  });
  if ((await countQuarantinedRows(deps, row)) === 0) throw notFound('A quarantined record of this import');
  if (isReplaced) {
    throw new AppError(
      'conflict',
      'The table has been imported again since then. Replay the quarantine of its last import.',
    );
  }
  return { source: 'import', id, mode: 'append', onNewField: 'refuse' };
}

import { AppError, isRetryable, notFound } from '../../../data/errors.ts';
import { newId } from '../../../data/ids.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import type { ProcessDeps } from '../../../data/processes/processes.ts';
import { findDataset } from '../../intake/datasets/datasets.ts';
import { keepRefusal, type SnapshotRequest, startSnapshot } from '../../intake/datasets/start.ts';

export interface SnapshotFire {
  organizationId: string;
  datasetId: string;
  callerId: string;
  runId: string;
  waitedBy: string;
}

/**
 * Starts the snapshot of a dataset's fire. A permanent refusal is recorded, because a schedule has no caller
 * to report it to.
 */
export async function startFiredSnapshot(deps: ProcessDeps, fire: SnapshotFire): Promise<void> {
  const { organizationId, datasetId, callerId, runId, waitedBy } = fire;
  const dataset = await inOrganization(deps.db, organizationId, (db) =>
    findDataset(db, organizationId, datasetId),
  );
  if (dataset === undefined) throw notFound('The dataset');
  const request: SnapshotRequest = {
    organizationId,
    connectionId: dataset.connection_id,
    datasetId,
    callerId,
    memo: {},
    trigger: 'schedule',
    waitedBy,
    runId,
    newTableId: newId('tbl'),
  };
  await startSnapshot(deps, request).catch(async (error: unknown) => {
    const isOver = error instanceof AppError && !isRetryable(error);
    // Another snapshot under way has a record of its own.
    if (isOver && error.code !== 'snapshot_active') await keepRefusal(deps.db, request, error);
    throw error;
  });
}

import { AppError, isRetryable, notFound } from '../../../data/errors.ts';
import { newId } from '../../../data/ids.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import type { DatasetSnapshots } from '../../automation/schedules/fire.ts';
import { cancelSnapshot, type SnapshotWakeDeps } from './cancel.ts';
import { findDataset } from './datasets.ts';
import { findSnapshotRun } from './snapshot-runs.ts';
import { keepRefusal, type SnapshotRequest, startSnapshot } from './start.ts';

/** The snapshots that schedules of datasets start. */
export function datasetSnapshots(deps: SnapshotWakeDeps): DatasetSnapshots {
  return {
    async start({ organizationId, datasetId, callerId, runId, waitedBy }) {
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
        // Another that is under way is its own news.
        if (isOver && error.code !== 'snapshot_active') await keepRefusal(deps.db, request, error);
        throw error;
      });
    },
    async find(db, organizationId, runId) {
      const run = await findSnapshotRun(db, organizationId, runId);
      if (run === undefined) return undefined;
      const { status, error } = run;
      return { status: status === 'awaiting_confirmation' ? 'waiting' : status, error };
    },
    async cancel(organizationId, runId) {
      const run = await inOrganization(deps.db, organizationId, (db) =>
        findSnapshotRun(db, organizationId, runId),
      );
      if (run !== undefined) await cancelSnapshot(deps, { organizationId, datasetId: run.dataset_id, runId });
    },
  };
}

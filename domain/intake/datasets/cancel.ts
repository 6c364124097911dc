import { AppError } from '../../../data/errors.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import { bestEffort } from '../../../data/processes/processes.ts';
import { wakeSnapshotSignal } from '../../../workflows/intake/snapshot/names.ts';
import { type CancelDeps, cancelRunById } from '../../workspace/runs/cancel.ts';
import { workflowIdOf } from './process.ts';
import { getSnapshotRun, moveSnapshot, type SnapshotRun } from './snapshot-runs.ts';

export interface SnapshotPlace {
  organizationId: string;
  datasetId: string;
  runId: string;
}

/**
 * Requests cancellation of a snapshot. One that has ended keeps its outcome; one that is committing may still
 * succeed.
 */
export async function cancelSnapshot(
  deps: CancelDeps,
  { organizationId, datasetId, runId }: SnapshotPlace,
): Promise<{ row: SnapshotRun; isAsked: boolean }> {
  const row = await inOrganization(deps.db, organizationId, (db) =>
    getSnapshotRun(db, organizationId, runId, datasetId),
  );
  return { row, isAsked: await cancelRunById(deps, organizationId, runId) };
}

/** Allows a snapshot to continue although it would lose more rows than its guard allows. */
export async function confirmSnapshot(
  deps: CancelDeps,
  { organizationId, datasetId, runId }: SnapshotPlace,
): Promise<SnapshotRun> {
  const row = await inOrganization(deps.db, organizationId, async (db) => {
    const found = await getSnapshotRun(db, organizationId, runId, datasetId, 'update');
    const moved = await moveSnapshot(db, found, 'awaiting_confirmation', 'running', {
      confirmed_at: new Date(),
    });
    if (moved !== undefined) return moved;
    // Already confirmed: confirming is idempotent.
    if (found.confirmed_at !== null) return found;
    throw new AppError('conflict', `The snapshot is ${found.status}. It isn't waiting for a confirmation.`);
  });
  const workflowId = workflowIdOf(row);
  await bestEffort(deps, workflowId, deps.processes.signal(workflowId, wakeSnapshotSignal));
  return row;
}

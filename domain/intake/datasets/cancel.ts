import type { Logger } from 'pino';
import { AppError } from '../../../data/errors.ts';
import { inOrganization, type OrganizationTransaction } from '../../../data/postgres/client.ts';
import { bestEffort, type ProcessDeps } from '../../../data/processes/processes.ts';
import { wakeSnapshotSignal } from '../../../workflows/intake/snapshot/names.ts';
import { workflowIdOf } from './process.ts';
import { activeStatuses, getSnapshotRun, moveSnapshot, type SnapshotRun } from './snapshot-runs.ts';

export interface SnapshotWakeDeps extends ProcessDeps {
  logger: Pick<Logger, 'warn'>;
}

export interface SnapshotPlace {
  organizationId: string;
  datasetId: string;
  runId: string;
}

/** Keeps that a snapshot is to end, so that its process is asked until it hears of it. */
export async function askSnapshotToCancel(
  db: OrganizationTransaction,
  organizationId: string,
  runId: string,
): Promise<void> {
  await db
    .updateTable('snapshot_runs')
    .set({ cancel_requested_at: new Date() })
    .where('organization_id', '=', organizationId)
    .where('id', '=', runId)
    .where('status', 'in', activeStatuses)
    .where('cancel_requested_at', 'is', null)
    .execute();
}

/** Asks a snapshot to end. One that ended stays as it ended; one that is committing may still succeed. */
export async function cancelSnapshot(
  deps: SnapshotWakeDeps,
  { organizationId, datasetId, runId }: SnapshotPlace,
): Promise<{ row: SnapshotRun; isAsked: boolean }> {
  const { row, isAsked } = await inOrganization(deps.db, organizationId, async (db) => {
    const found = await getSnapshotRun(db, organizationId, runId, datasetId, 'update');
    const isActive = activeStatuses.includes(found.status);
    await askSnapshotToCancel(db, organizationId, runId);
    return { row: found, isAsked: isActive };
  });
  if (isAsked) await bestEffort(deps, workflowIdOf(row), deps.processes.cancel(workflowIdOf(row)));
  return { row, isAsked };
}

/** Lets a snapshot go on although it loses more rows than its guard allows. */
export async function confirmSnapshot(
  deps: SnapshotWakeDeps,
  { organizationId, datasetId, runId }: SnapshotPlace,
): Promise<SnapshotRun> {
  const row = await inOrganization(deps.db, organizationId, async (db) => {
    const found = await getSnapshotRun(db, organizationId, runId, datasetId, 'update');
    const moved = await moveSnapshot(db, found, 'awaiting_confirmation', 'running', {
      confirmed_at: new Date(),
    });
    if (moved !== undefined) return moved;
    // Confirmed already: the same again changes nothing.
    if (found.confirmed_at !== null) return found;
    throw new AppError('conflict', `The snapshot is ${found.status}: it awaits no confirmation.`);
  });
  const workflowId = workflowIdOf(row);
  await bestEffort(deps, workflowId, deps.processes.signal(workflowId, wakeSnapshotSignal));
  return row;
}

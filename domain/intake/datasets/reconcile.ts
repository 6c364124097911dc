import type { Logger } from 'pino';
import { inOrganization } from '../../../data/postgres/client.ts';
import { closes } from '../../../data/processes/define.ts';
import type { Processes } from '../../../data/processes/processes.ts';
import { type ReconcileStep, rowsStep } from '../../../data/reconciling/step.ts';
import { wakeSnapshotSignal } from '../../../workflows/intake/snapshot/names.ts';
import { findRun } from '../../workspace/runs/runs.ts';
import { notifyWaiter } from '../../workspace/runs/waiter.ts';
import type { SnapshotId } from './lifecycle.ts';
import { snapshotProcess, snapshotStart, workflowIdOf } from './process.ts';
import { giveUpSnapshot } from './run.ts';
import { findSnapshotRun, type SnapshotRun } from './snapshot-runs.ts';
import type { SnapshotRunDeps } from './staged.ts';

export interface SnapshotReconcileDeps extends SnapshotRunDeps {
  processes: Processes;
  logger: Pick<Logger, 'info' | 'warn'>;
}

/** The process of a younger snapshot may not have been started yet. */
const ageSeconds = 60;

/** Ends or restarts snapshots whose process is gone, and repeats signals that may have been lost. */
export function snapshotSteps(deps: SnapshotReconcileDeps, olderThanSeconds = ageSeconds): ReconcileStep[] {
  const rows = { db: deps.db, foundBy: 'active_snapshot_runs', olderThanSeconds };
  return [rowsStep('snapshots', rows, (organizationId, runId) => revive(deps, { organizationId, runId }))];
}

async function revive(deps: SnapshotReconcileDeps, { organizationId, runId }: SnapshotId): Promise<void> {
  const { processes } = deps;
  const { row, run } = await inOrganization(deps.db, organizationId, async (db) => ({
    row: await findSnapshotRun(db, organizationId, runId),
    run: await findRun(db, organizationId, runId),
  }));
  if (row === undefined || run === undefined) return;
  const state = await processes.stateOf(workflowIdOf(row));
  if (state === 'running') return sayAgain(processes, row);
  // Terminating a process ends its work, unless the lake has the commit: then a new process records the
  // outcome.
  const isEnded = closes(snapshotProcess, state) && (await giveUpSnapshot(deps, row));
  if (isEnded) await notifyWaiter(deps, run);
  else await processes.restart(snapshotStart(row, { waitedBy: run.waited_by }));
  deps.logger.info({ organizationId, runId, state }, 'reconciled a snapshot whose process was gone');
}

/** After this time the process is committing; further signals would only grow its history. */
const confirmedForMs = 3_600_000;

/** Repeats the signal for a confirmation that the process may have missed. */
async function sayAgain(processes: Processes, row: SnapshotRun): Promise<void> {
  const isNew = Date.now() - (row.confirmed_at?.getTime() ?? 0) < confirmedForMs;
  if (isNew) await processes.signal(workflowIdOf(row), wakeSnapshotSignal);
}

import type { ReconcileStep } from '../../../data/reconciling/step.ts';
import { wakeSnapshotSignal } from '../../../workflows/intake/snapshot/names.ts';
import { type Revival, type ReviveDeps, revivingStep } from '../../workspace/runs/revive.ts';
import { snapshotRuns } from './process.ts';
import { giveUpSnapshot } from './run.ts';
import type { SnapshotRun } from './snapshot-runs.ts';
import type { SnapshotRunDeps } from './staged.ts';

export type SnapshotReconcileDeps = SnapshotRunDeps & ReviveDeps;

/** Ends or restarts snapshots whose process is gone, and repeats signals that may have been lost. */
export function snapshotSteps(deps: SnapshotReconcileDeps, olderThanSeconds?: number): ReconcileStep[] {
  const snapshots: Revival<SnapshotRun> = {
    // Terminating a process ends its work, unless the lake has the commit: then a new process records it.
    end: (row) => giveUpSnapshot(deps, row, 'cancelled'),
    // A confirmation that the process may have missed.
    whileRunning: async ({ confirmed_at: confirmedAt }, run) => {
      if (Date.now() - (confirmedAt?.getTime() ?? 0) < confirmedForMs)
        await deps.processes.signal(run.workflow_id, wakeSnapshotSignal);
    },
  };
  return [revivingStep(deps, snapshotRuns, snapshots, olderThanSeconds)];
}

/** After this time the process is committing; further signals would only grow its history. */
const confirmedForMs = 3_600_000;

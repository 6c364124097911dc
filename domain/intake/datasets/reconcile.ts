import { inOrganization, type OrganizationTransaction } from '../../../data/postgres/client.ts';
import type { ReconcileStep } from '../../../data/reconciling/step.ts';
import { wakeSnapshotSignal } from '../../../workflows/intake/snapshot/names.ts';
import { type ReviveDeps, type RevivedRuns, revivingStep } from '../../workspace/runs/revive.ts';
import type { Run } from '../../workspace/runs/runs.ts';
import { snapshotProcess, snapshotStart } from './process.ts';
import { giveUpSnapshot } from './run.ts';
import { findSnapshotRun } from './snapshot-runs.ts';
import type { SnapshotRunDeps } from './staged.ts';

export type SnapshotReconcileDeps = SnapshotRunDeps & ReviveDeps;

/** Ends or restarts snapshots whose process is gone, and repeats signals that may have been lost. */
export function snapshotSteps(deps: SnapshotReconcileDeps, olderThanSeconds?: number): ReconcileStep[] {
  const findIn = (db: OrganizationTransaction, run: Run) => findSnapshotRun(db, run.organization_id, run.id);
  const find = (run: Run) => inOrganization(deps.db, run.organization_id, (db) => findIn(db, run));
  const snapshots: RevivedRuns = {
    name: 'snapshots',
    foundBy: 'active_snapshot_runs',
    process: snapshotProcess,
    start: async (db, run) => {
      const row = await findIn(db, run);
      return row && snapshotStart(row, { waitedBy: run.waited_by });
    },
    // Terminating a process ends its work, unless the lake has the commit: then a new process records it.
    end: async (run) => {
      const row = await find(run);
      return row !== undefined && giveUpSnapshot(deps, row);
    },
    // A confirmation that the process may have missed.
    whileRunning: async (run) => {
      const confirmedAt = (await find(run))?.confirmed_at ?? null;
      if (Date.now() - (confirmedAt?.getTime() ?? 0) < confirmedForMs)
        await deps.processes.signal(run.workflow_id, wakeSnapshotSignal);
    },
  };
  return [revivingStep(deps, snapshots, olderThanSeconds)];
}

/** After this time the process is committing; further signals would only grow its history. */
const confirmedForMs = 3_600_000;

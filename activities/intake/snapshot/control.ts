import { admitSnapshot, beginSnapshot, endSnapshot } from '../../../domain/intake/datasets/lifecycle.ts';
import type { SnapshotFailure, SnapshotRun } from '../../../domain/intake/datasets/snapshot-runs.ts';
import { wakeQueued } from '../../../domain/intake/datasets/turns.ts';
import type {
  SnapshotControlActivities,
  SnapshotOutcome,
} from '../../../workflows/intake/snapshot/contract.ts';
import type { ActivityDeps } from '../../deps.ts';

export function snapshotControlActivities(deps: ActivityDeps): SnapshotControlActivities {
  return {
    /**
     * Safe to retry: compare-and-set under the organization's lock; a snapshot that is running already
     * continues.
     */
    beginSnapshot: (input) => beginSnapshot(deps.db, input),

    /** Safe to retry: compare-and-set; a held snapshot stays held. */
    admitSnapshot: (input, isOverdue) => admitSnapshot(deps, input, isOverdue),

    /** Safe to retry: no effect on a snapshot that has ended. */
    endSnapshot: async (input, status) => {
      const ended = await endSnapshot(deps.db, input, status);
      await wakeQueued(deps, input.organizationId);
      return outcomeOf(ended);
    },
  };
}

/** A count and a code only: the content and messages of a source stay in the row. */
export function outcomeOf(row: SnapshotRun): SnapshotOutcome {
  return {
    status: row.status as SnapshotOutcome['status'],
    rows: row.rows_copied,
    errorCode: (row.error as SnapshotFailure | null)?.code ?? null,
  };
}

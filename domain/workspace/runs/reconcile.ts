import { sql } from 'kysely';
import { type ReconcileStep, rowsStep, wholeStep } from '../../../data/reconciling/step.ts';
import { type CancelDeps, cancelRunById } from './cancel.ts';

/**
 * A process learns of a cancel at once; one that is still running after this did not, or cannot be stopped.
 */
const lostAfterSeconds = 15;

/** In slices, so that locks are held briefly; the next round takes the next slice. */
const purgedAtOnce = 500;

/** Repeats lost cancellations, and removes runs that ended long ago with their dependent rows. */
export function runSteps(deps: CancelDeps, olderThanSeconds = lostAfterSeconds): ReconcileStep[] {
  const rows = { db: deps.db, foundBy: 'runs_to_cancel', olderThanSeconds };
  return [
    rowsStep('runs to cancel', rows, (organizationId, id) => cancelRunById(deps, organizationId, id)),
    wholeStep('old runs', () => sql`SELECT purge_runs(${purgedAtOnce})`.execute(deps.db)),
    wholeStep('old snapshots', () => sql`SELECT purge_snapshot_runs(${purgedAtOnce})`.execute(deps.db)),
  ];
}

import { sql } from 'kysely';
import { itemsAtOnce, itemsStep, type ReconcileStep, wholeStep } from '../../../data/reconciling/step.ts';
import { type CancelDeps, cancelRunById } from './cancel.ts';

/**
 * A process learns of a cancel at once; one that is still running after this did not, or cannot be stopped.
 */
const lostAfterSeconds = 15;

/** In slices, so that locks are held briefly; the next round takes the next slice. */
const purgedAtOnce = 500;

/** Repeats lost cancellations, and removes runs that ended long ago with their dependent rows. */
export function runSteps(deps: CancelDeps, olderThanSeconds = lostAfterSeconds): ReconcileStep[] {
  const find = async () => {
    const { rows } = await sql<{ organization_id: string; id: string }>`
      SELECT organization_id, id FROM runs_to_cancel(make_interval(secs => ${olderThanSeconds}), ${itemsAtOnce})
    `.execute(deps.db);
    return rows.map((row) => ({ organizationId: row.organization_id, id: row.id }));
  };
  return [
    itemsStep('runs to cancel', find, ({ organizationId, id }) => cancelRunById(deps, organizationId, id)),
    wholeStep('old runs', () => sql`SELECT purge_runs(${purgedAtOnce})`.execute(deps.db)),
    wholeStep('old snapshots', () => sql`SELECT purge_snapshot_runs(${purgedAtOnce})`.execute(deps.db)),
  ];
}

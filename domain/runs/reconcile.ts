import { sql } from 'kysely';
import { itemsAtOnce, itemsStep, type ReconcileStep } from '../../data/reconciling/step.ts';
import { type CancelDeps, cancelRunById } from './cancel.ts';

/** A process hears of a cancel at once; one that runs on after this did not, or cannot be stopped. */
const lostAfterSeconds = 15;

/** Runs whose cancel was lost are asked again. */
export function runSteps(deps: CancelDeps, olderThanSeconds = lostAfterSeconds): ReconcileStep[] {
  const find = async () => {
    const { rows } = await sql<{ organization_id: string; id: string }>`
      SELECT organization_id, id FROM runs_to_cancel(make_interval(secs => ${olderThanSeconds}), ${itemsAtOnce})
    `.execute(deps.db);
    return rows.map((row) => ({ organizationId: row.organization_id, id: row.id }));
  };
  return [
    itemsStep('runs to cancel', find, ({ organizationId, id }) => cancelRunById(deps, organizationId, id)),
  ];
}

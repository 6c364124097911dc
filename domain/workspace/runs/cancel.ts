import type { Logger } from 'pino';
import { inOrganization, type OrganizationTransaction } from '../../../data/postgres/client.ts';
import { bestEffort, type ProcessDeps } from '../../../data/processes/processes.ts';
import { findRun, type Run } from './runs.ts';

export interface CancelDeps extends ProcessDeps {
  logger: Pick<Logger, 'warn'>;
}

/**
 * Records a requested cancellation, so that it is repeated until the process acts on it; false if the run has
 * ended.
 */
export async function askToCancel(
  db: OrganizationTransaction,
  organizationId: string,
  runId: string,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('runs')
    .set(({ fn, val }) => ({ cancel_requested_at: fn.coalesce('cancel_requested_at', val(new Date())) }))
    .where('organization_id', '=', organizationId)
    .where('id', '=', runId)
    .where('finished_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/**
 * Requests cancellation of a run's process; false if the run has ended. The request is recorded in the row,
 * so that it is repeated if it was lost. What can no longer be undone may still succeed.
 */
export async function cancelRun(deps: CancelDeps, run: Run): Promise<boolean> {
  const { db, processes } = deps;
  const isAsked = await inOrganization(db, run.organization_id, (transaction) =>
    askToCancel(transaction, run.organization_id, run.id),
  );
  if (isAsked) await bestEffort(deps, run.workflow_id, processes.cancel(run.workflow_id));
  return isAsked;
}

/** The same, for a run known only by its id. */
export async function cancelRunById(
  deps: CancelDeps,
  organizationId: string,
  runId: string,
): Promise<boolean> {
  const run = await inOrganization(deps.db, organizationId, (db) => findRun(db, organizationId, runId));
  return run !== undefined && cancelRun(deps, run);
}

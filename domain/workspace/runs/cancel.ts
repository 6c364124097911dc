import type { Logger } from 'pino';
import { inOrganization, type OrganizationTransaction } from '../../../data/postgres/client.ts';
import { bestEffort, type ProcessDeps } from '../../../data/processes/processes.ts';
import { findRun, type Run } from './runs.ts';

export interface CancelDeps extends ProcessDeps {
  logger: Pick<Logger, 'warn'>;
}

/**
 * Keeps that a run is to end, so that its process is asked until it hears of it; false where it has ended.
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
 * Asks a run's process to end; false where it has ended. The row keeps that it was asked, so that it is asked
 * again where the first time was lost. What cannot be taken back any more may still succeed.
 */
export async function cancelRun(deps: CancelDeps, run: Run): Promise<boolean> {
  const { db, processes } = deps;
  const isAsked = await inOrganization(db, run.organization_id, (transaction) =>
    askToCancel(transaction, run.organization_id, run.id),
  );
  if (isAsked) await bestEffort(deps, run.workflow_id, processes.cancel(run.workflow_id));
  return isAsked;
}

/** The same for a run that is known by its id alone. */
export async function cancelRunById(
  deps: CancelDeps,
  organizationId: string,
  runId: string,
): Promise<boolean> {
  const run = await inOrganization(deps.db, organizationId, (db) => findRun(db, organizationId, runId));
  return run !== undefined && cancelRun(deps, run);
}

import { notFound } from '../../../data/errors.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import { type CancelDeps, cancelRun } from '../../workspace/runs/cancel.ts';
import { findRun, type Run } from '../../workspace/runs/runs.ts';
import { findActiveRun, findNewestRun } from './runs.ts';

/**
 * Requests cancellation of the profile that is under way. If there is none, the newest run is returned as it
 * ended.
 */
export async function cancelProfile(
  deps: CancelDeps,
  organizationId: string,
  tableId: string,
): Promise<{ run: Run; isAsked: boolean }> {
  const run = await inOrganization(
    deps.db,
    organizationId,
    async (db) =>
      (await findActiveRun(db, organizationId, tableId)) ?? findNewestRun(db, organizationId, tableId),
  );
  if (run === undefined) throw notFound('A run of a profile');
  const isAsked = await cancelRun(deps, run);
  const now = await inOrganization(deps.db, organizationId, (db) => findRun(db, organizationId, run.id));
  return { run: now ?? run, isAsked };
}

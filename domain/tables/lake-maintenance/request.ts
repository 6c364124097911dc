import type { Logger } from 'pino';
import type { LakeDeps } from '../../../data/lake/commit.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import { bestEffort, type ProcessDeps } from '../../../data/processes/processes.ts';
import { runLakeMaintenanceSignal } from '../../../workflows/tables/lake-maintenance/names.ts';
import { maintenanceProcess } from './process.ts';
import { ensureActiveLakeMaintenanceRun, type LakeMaintenanceRun } from './runs.ts';

interface AskDeps extends ProcessDeps {
  lake: Pick<LakeDeps, 'catalog'>;
  logger: Pick<Logger, 'warn'>;
}

/**
 * Asks for a run of the organization's maintenance now; the run that waits or is under way, where there is
 * one.
 */
export async function requestMaintenance(
  deps: AskDeps,
  organizationId: string,
  newId: string,
): Promise<LakeMaintenanceRun> {
  // An organization that never wrote anything has no lake yet, and without one nothing to maintain.
  await deps.lake.catalog.get(organizationId);
  const run = await inOrganization(deps.db, organizationId, (db) =>
    ensureActiveLakeMaintenanceRun(db, {
      organization_id: organizationId,
      id: newId,
      status: 'queued',
      trigger: 'request',
    }),
  );
  // The row says what is wanted: a signal that is lost, or that finds no process yet, only delays the run.
  const workflowId = maintenanceProcess.workflowId(organizationId);
  if (run.status === 'queued')
    await bestEffort(deps, workflowId, deps.processes.signal(workflowId, runLakeMaintenanceSignal));
  return run;
}

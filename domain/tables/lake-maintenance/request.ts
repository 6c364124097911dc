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

/** Requests a maintenance run now; returns the waiting or running one if there is one. */
export async function requestMaintenance(
  deps: AskDeps,
  organizationId: string,
  newId: string,
): Promise<LakeMaintenanceRun> {
  // Creates the lake of an organization that never wrote anything; without a lake there is nothing to
  // maintain.
  await deps.lake.catalog.get(organizationId);
  const run = await inOrganization(deps.db, organizationId, (db) =>
    ensureActiveLakeMaintenanceRun(db, {
      organization_id: organizationId,
      id: newId,
      status: 'queued',
      trigger: 'request',
    }),
  );
  // The row contains the request, so a signal that is lost, or finds no process yet, only delays the run.
  const workflowId = maintenanceProcess.workflowId(organizationId);
  if (run.status === 'queued')
    await bestEffort(deps, workflowId, deps.processes.signal(workflowId, runLakeMaintenanceSignal));
  return run;
}

import type { Logger } from 'pino';
import type { LakeDeps } from '../../../data/lake/commit.ts';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import type { Processes } from '../../../data/processes/processes.ts';
import { itemsAtOnce, itemsStep, type ReconcileStep, wholeStep } from '../../../data/reconciling/step.ts';
import { runLakeMaintenanceSignal } from '../../../workflows/tables/lake-maintenance/names.ts';
import { doubledLakes } from './doubled-deletions.ts';
import { fullLakes } from './full.ts';
import { maintenanceProcess, maintenanceStart } from './process.ts';
import { lakesDue, markMaintenanceStarted, purgeLakeMaintenanceRuns } from './runs.ts';

export interface LakeMaintenanceReconcileDeps {
  db: Database;
  lake: Pick<LakeDeps, 'catalogPool'>;
  processes: Processes;
  logger: Pick<Logger, 'info'>;
}

/** A process that recorded nothing for this many intervals is considered gone, however it ended. */
const silentIntervals = 3;
/** A request normally takes effect at once; one still waiting after this time has lost its signal. */
const lostAfterSeconds = 30;

/**
 * Starts the maintenance of ready lakes that have none, including lakes whose process was ended from outside.
 * Wakes a process that missed a request, or whose lake cannot wait for the interval.
 */
export function lakeMaintenanceSteps(
  deps: LakeMaintenanceReconcileDeps,
  { intervalSeconds }: { intervalSeconds: number },
): ReconcileStep[] {
  const due = {
    silentForSeconds: silentIntervals * intervalSeconds,
    unansweredForSeconds: lostAfterSeconds,
    atMost: itemsAtOnce,
  };
  const wake = (organizationId: string) =>
    deps.processes.signal(maintenanceProcess.workflowId(organizationId), runLakeMaintenanceSignal);
  const nextDoubledLakes = doubledLakes(deps.lake);
  return [
    itemsStep(
      'lake maintenance',
      () => lakesDue(deps.db, due),
      async ({ organizationId, isAsked }) => {
        await deps.processes.restart(maintenanceStart(organizationId));
        if (isAsked) await wake(organizationId);
        await inOrganization(deps.db, organizationId, (db) => markMaintenanceStarted(db, organizationId));
        deps.logger.info({ organizationId, isAsked }, 'saw to the maintenance of a lake');
      },
    ),
    itemsStep(
      'full lakes',
      async () => (await fullLakes(deps.lake)).map((organizationId) => ({ organizationId })),
      ({ organizationId }) => wake(organizationId),
    ),
    itemsStep(
      'doubled deletions',
      async () => (await nextDoubledLakes()).map((organizationId) => ({ organizationId })),
      async ({ organizationId }) => {
        await deps.processes.restart(maintenanceStart(organizationId));
        await wake(organizationId);
        deps.logger.info({ organizationId }, 'checked its deletions in files and catalog');
      },
    ),
    wholeStep('purge of lake maintenance', () => purgeLakeMaintenanceRuns(deps.db, 1_000)),
  ];
}

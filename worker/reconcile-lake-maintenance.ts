import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { LakeDeps } from '../data/lake/commit.ts';
import { type Database, inOrganization } from '../data/postgres/client.ts';
import type { ProcessStart } from '../data/postgres/process-starts.ts';
import { signalProcess, startProcess } from '../data/processes/start.ts';
import { fullLakes } from '../domain/lake-maintenance/full.ts';
import {
  lakesDue,
  markMaintenanceStarted,
  purgeLakeMaintenanceRuns,
} from '../domain/lake-maintenance/runs.ts';
import type { LakeMaintenanceInput } from '../workflows/lake-maintenance/contract.ts';
import {
  lakeMaintenanceWorkflowId,
  lakeMaintenanceWorkflowType,
  runLakeMaintenanceSignal,
} from '../workflows/lake-maintenance/names.ts';
import { taskQueues } from '../workflows/task-queues.ts';
import { forEachItem } from './reconcile-items.ts';

export interface LakeMaintenanceReconcileDeps {
  db: Database;
  client: Client;
  logger: Logger;
  lakeMaintenanceIntervalSeconds: number;
}

const batch = 100;
/** A process that recorded nothing for so many intervals is no more, however it ended. */
const silentIntervals = 3;
/** A request is heard at once; one that still waits after this lost its signal. */
const deafForSeconds = 30;

/**
 * Starts the maintenance of ready lakes that have none, and of those whose process was ended from outside; wakes
 * those that did not hear a request. A process that runs already is left alone.
 */
export async function maintainLakes(deps: LakeMaintenanceReconcileDeps): Promise<void> {
  const silentForSeconds = silentIntervals * deps.lakeMaintenanceIntervalSeconds;
  const lakes = await lakesDue(deps.db, { silentForSeconds, deafForSeconds, atMost: batch });
  await forEachItem(deps, 'maintainLakes', lakes, async ({ organizationId, isAsked }) => {
    const { outcome, cause } = await startProcess(deps.client, startOf(organizationId), { again: true });
    if (outcome !== 'started')
      throw new Error(`The lake maintenance of ${organizationId} could not be started`, { cause });
    if (isAsked)
      await signalProcess(deps.client, lakeMaintenanceWorkflowId(organizationId), runLakeMaintenanceSignal);
    await inOrganization(deps.db, organizationId, (db) => markMaintenanceStarted(db, organizationId));
    deps.logger.info({ organizationId, isAsked }, 'saw to the maintenance of a lake');
  });
}

/** Asks for a run where so many rows lie in the catalog that a flush at the next interval would take long. */
export async function wakeFullLakes(
  deps: Pick<LakeMaintenanceReconcileDeps, 'client'> & { lake: Pick<LakeDeps, 'catalogPool'> },
): Promise<void> {
  for (const organizationId of await fullLakes(deps.lake))
    await signalProcess(deps.client, lakeMaintenanceWorkflowId(organizationId), runLakeMaintenanceSignal);
}

export async function purgeLakeMaintenance(deps: Pick<LakeMaintenanceReconcileDeps, 'db'>): Promise<void> {
  await purgeLakeMaintenanceRuns(deps.db, 1_000);
}

function startOf(organizationId: string): ProcessStart {
  const input: LakeMaintenanceInput = { organizationId };
  return {
    workflowId: lakeMaintenanceWorkflowId(organizationId),
    workflowType: lakeMaintenanceWorkflowType,
    taskQueue: taskQueues.control,
    argument: input,
    searchAttributes: {
      OrganizationId: organizationId,
      ResourceId: organizationId,
      ProcessKind: 'lake-maintenance',
    },
    memo: {},
    summary: `Maintenance of the lake of ${organizationId}`,
  };
}

import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { fullLakes } from '../data/lake/care/full.ts';
import type { LakeDeps } from '../data/lake/commit.ts';
import { type Database, inOrganization } from '../data/postgres/client.ts';
import { markCareStarted, purgeLakeCareRuns, uncaredLakes } from '../data/postgres/lake-care-runs.ts';
import type { ProcessStart } from '../data/postgres/process-starts.ts';
import { signalProcess, startProcess } from '../data/processes/start.ts';
import type { LakeCareInput } from '../workflows/lake-care/contract.ts';
import { lakeCareWorkflowId, lakeCareWorkflowType, runLakeCareSignal } from '../workflows/lake-care/names.ts';
import { taskQueues } from '../workflows/task-queues.ts';

export interface LakeCareReconcileDeps {
  db: Database;
  client: Client;
  logger: Logger;
  lakeCareIntervalSeconds: number;
}

const batch = 100;
/** A process that recorded nothing for so many intervals is no more, however it ended. */
const silentIntervals = 3;
/** A request is heard at once; one that still waits after this lost its signal. */
const deafForSeconds = 30;

/**
 * Starts the care of ready lakes that have none, and of those whose process was ended from outside; wakes
 * those that did not hear a request. A process that runs already is left alone.
 */
export async function careForLakes(deps: LakeCareReconcileDeps): Promise<void> {
  const silentForSeconds = silentIntervals * deps.lakeCareIntervalSeconds;
  const lakes = await uncaredLakes(deps.db, { silentForSeconds, deafForSeconds, atMost: batch });
  for (const { organizationId, isAsked } of lakes) {
    const { outcome, cause } = await startProcess(deps.client, startOf(organizationId), { again: true });
    if (outcome !== 'started')
      throw new Error(`The lake care of ${organizationId} could not be started`, { cause });
    if (isAsked) await signalProcess(deps.client, lakeCareWorkflowId(organizationId), runLakeCareSignal);
    await inOrganization(deps.db, organizationId, (db) => markCareStarted(db, organizationId));
    deps.logger.info({ organizationId, isAsked }, 'saw to the care of a lake');
  }
}

/** Asks for a run where so many rows lie in the catalog that a flush at the next interval would take long. */
export async function wakeFullLakes(
  deps: Pick<LakeCareReconcileDeps, 'client'> & { lake: Pick<LakeDeps, 'catalogPool'> },
): Promise<void> {
  for (const organizationId of await fullLakes(deps.lake))
    await signalProcess(deps.client, lakeCareWorkflowId(organizationId), runLakeCareSignal);
}

export async function purgeLakeCare(deps: Pick<LakeCareReconcileDeps, 'db'>): Promise<void> {
  await purgeLakeCareRuns(deps.db, 1_000);
}

function startOf(organizationId: string): ProcessStart {
  const input: LakeCareInput = { organizationId };
  return {
    workflowId: lakeCareWorkflowId(organizationId),
    workflowType: lakeCareWorkflowType,
    taskQueue: taskQueues.control,
    argument: input,
    searchAttributes: {
      OrganizationId: organizationId,
      ResourceId: organizationId,
      ProcessKind: 'lake-care',
    },
    memo: {},
    summary: `Care of the lake of ${organizationId}`,
  };
}

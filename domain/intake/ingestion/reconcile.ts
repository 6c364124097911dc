import { sql } from 'kysely';
import type { Logger } from 'pino';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import type { Processes } from '../../../data/processes/processes.ts';
import { type ReconcileStep, rowsStep, wholeStep } from '../../../data/reconciling/step.ts';
import { findBatch } from './ingestion-batches.ts';
import { batchProcess, batchStart, wakeBatch } from './process.ts';

export interface BatchReconcileDeps {
  db: Database;
  processes: Processes;
  logger: Pick<Logger, 'info' | 'warn'>;
}

/** A process normally reacts at once; after this time its signal was lost. */
const lostAfterSeconds = 15;
/** A process signalled for this long is busy; further signals would only grow its history. */
const wakeForMs = 300_000;

/**
 * Wakes the processes of batches that should have advanced, and restarts those that were ended from outside.
 * This is idempotent, because a process reads the batch's row. Also purges old pages and batches.
 */
export function batchSteps(deps: BatchReconcileDeps): ReconcileStep[] {
  return [
    rowsStep(
      'batches',
      { db: deps.db, foundBy: 'stalled_ingestion_batches', olderThanSeconds: lostAfterSeconds },
      (organizationId, id) => wakeOrRestart(deps, organizationId, id),
    ),
    wholeStep('purge of batches', () => sql`SELECT purge_ingestion(${1_000})`.execute(deps.db)),
  ];
}

async function wakeOrRestart(deps: BatchReconcileDeps, organizationId: string, id: string): Promise<void> {
  const batch = await inOrganization(deps.db, organizationId, (db) => findBatch(db, organizationId, id));
  if (batch === undefined) return;
  const state = await deps.processes.stateOf(batchProcess.workflowId(id));
  if (state !== 'running') {
    await deps.processes.restart(batchStart(batch));
    deps.logger.info({ organizationId, id, status: batch.status }, 'started the process of a batch again');
  } else if (batch.status !== 'applying' && Date.now() - batch.moved_at.getTime() < wakeForMs) {
    await wakeBatch(deps, batch);
  }
}

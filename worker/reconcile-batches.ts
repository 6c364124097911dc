import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { type Database, inOrganization } from '../data/postgres/client.ts';
import { signalProcess, startProcess } from '../data/processes/start.ts';
import { findBatch, type IngestionBatch, stalledBatches } from '../domain/ingestion/ingestion-batches.ts';
import {
  ingestionBatchStart,
  ingestionBatchWorkflowId,
  wakeIngestionBatchSignal,
} from '../workflows/ingestion-batch/names.ts';
import { forEachItem } from './reconcile-items.ts';

export interface BatchReconcileDeps {
  db: Database;
  client: Client;
  logger: Logger;
}

const atMost = 100;
/** A batch that was moved is heard of within a moment; after this its signal was lost. */
const deafAfterSeconds = 15;
/** A process that runs and was woken for so long is busy, not deaf: more signals would only fill its history. */
const wakeForMs = 300_000;

/**
 * Sees to batches that should have moved on: wakes the process of one that did not hear of it, and starts it
 * again where it was ended from outside. The process reads the batch's row, so doing it twice changes nothing.
 */
export async function wakeBatches(deps: BatchReconcileDeps): Promise<void> {
  const stalled = await stalledBatches(deps.db, deafAfterSeconds, atMost);
  await forEachItem(deps, 'wakeBatches', stalled, async ({ organizationId, id }) => {
    const batch = await inOrganization(deps.db, organizationId, (db) => findBatch(db, organizationId, id));
    if (batch === undefined) return;
    if (!(await isRunning(deps.client, id))) await startAgain(deps, batch);
    else if (batch.status !== 'applying' && Date.now() - batch.moved_at.getTime() < wakeForMs)
      await signalProcess(deps.client, ingestionBatchWorkflowId(id), wakeIngestionBatchSignal);
  });
}

async function isRunning(client: Client, batchId: string): Promise<boolean> {
  try {
    const { status } = await client.workflow.getHandle(ingestionBatchWorkflowId(batchId)).describe();
    return status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

async function startAgain({ client, logger }: BatchReconcileDeps, batch: IngestionBatch): Promise<void> {
  const { organization_id: organizationId, id: batchId } = batch;
  const start = ingestionBatchStart({
    organizationId,
    batchId,
    tableId: batch.table_id,
    mode: batch.mode,
    expiresAtMs: batch.expires_at.getTime(),
    isReplay: batch.replay_of !== null,
  });
  const { outcome, cause } = await startProcess(client, { ...start, memo: {} }, { again: true });
  if (outcome !== 'started') throw new Error(`The process of ${batchId} could not be started`, { cause });
  logger.info({ organizationId, batchId, status: batch.status }, 'started the process of a batch again');
}

/** Forgets pages and batches that ended long ago. */
export async function purgeBatches({ db }: Pick<BatchReconcileDeps, 'db'>): Promise<void> {
  await sql`SELECT purge_ingestion(${1_000})`.execute(db);
}

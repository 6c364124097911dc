import type { Client } from '@temporalio/client';
import { sql } from 'kysely';
import type pg from 'pg';
import type { ActivityDeps } from '../activities/deps.ts';
import { inOrganization } from '../data/postgres/client.ts';
import { findProcessStart, markStarted, pendingStarts } from '../data/postgres/process-starts.ts';
import { startProcess } from '../data/processes/start.ts';
import { settleTable } from '../domain/tables/lifecycle.ts';
import { findTable } from '../domain/tables/tables.ts';
import { purgeBatches, wakeBatches } from './reconcile-batches.ts';
import { reviveImports } from './reconcile-imports.ts';
import { forEachItem } from './reconcile-items.ts';
import {
  type LakeMaintenanceReconcileDeps,
  maintainLakes,
  purgeLakeMaintenance,
  wakeFullLakes,
} from './reconcile-lake-maintenance.ts';

export interface ReconcileDeps extends ActivityDeps, LakeMaintenanceReconcileDeps {
  client: Client;
  lockPool: pg.Pool;
}

const everyMs = 10_000;
const batch = 100;
const lockKey = 7_105_443_002;

/**
 * Puts right what a crash left between two stores: starts processes whose start was never answered, settles
 * tables between two states, removes objects and rows past their time. Every step may be repeated, and one
 * worker at a time takes them.
 */
export function startReconciler(deps: ReconcileDeps): { stop(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let round: Promise<void> = Promise.resolve();
  const schedule = () => {
    if (stopped) return;
    timer = setTimeout(() => {
      round = runRound(deps)
        .catch((error: unknown) => deps.logger.warn({ err: error }, 'reconciliation will be tried again'))
        .finally(schedule);
    }, everyMs);
  };
  schedule();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await round;
    },
  };
}

const steps = [
  startPending,
  reviveImports,
  wakeBatches,
  settleTables,
  removeObjects,
  purge,
  purgeBatches,
  maintainLakes,
  wakeFullLakes,
  purgeLakeMaintenance,
];

async function runRound(deps: ReconcileDeps): Promise<void> {
  const connection = await deps.lockPool.connect();
  try {
    const { rows } = await connection.query<{ locked: boolean }>(
      'SELECT pg_try_advisory_lock($1) AS locked',
      [lockKey],
    );
    if (rows[0]?.locked !== true) return;
    for (const step of steps) {
      await step(deps).catch((error: unknown) =>
        deps.logger.warn({ err: error, step: step.name }, 'reconciliation will be tried again'),
      );
    }
  } finally {
    connection.release(true);
  }
}

/** Older than any request can be under way: its own start has been answered or lost by now. */
const startAgeSeconds = 15;

export async function startPending(deps: Pick<ReconcileDeps, 'db' | 'client' | 'logger'>): Promise<void> {
  const pending = await pendingStarts(deps.db, startAgeSeconds, batch);
  await forEachItem(deps, 'startPending', pending, async ({ organizationId, workflowId }) => {
    const start = await inOrganization(deps.db, organizationId, (db) =>
      findProcessStart(db, organizationId, workflowId),
    );
    if (start === undefined) return;
    const { outcome, cause } = await startProcess(deps.client, start);
    if (outcome !== 'started') throw new Error(`Process ${workflowId} could not be started`, { cause });
    await markStarted(deps.db, organizationId, workflowId);
    deps.logger.info({ workflowId, organizationId }, 'started a process whose start was lost');
  });
}

async function purge(deps: ReconcileDeps): Promise<void> {
  await sql`SELECT purge_expired(${1_000})`.execute(deps.db);
}

export async function settleTables(deps: Pick<ReconcileDeps, 'db' | 'lake' | 'logger'>): Promise<void> {
  const { rows } = await sql<{ organization_id: string; id: string }>`
    SELECT organization_id, id FROM unsettled_tables(interval '1 minute', ${batch})`.execute(deps.db);
  const ids = rows.map((row) => ({ organizationId: row.organization_id, tableId: row.id }));
  await forEachItem(deps, 'settleTables', ids, async ({ organizationId, tableId }) => {
    const table = await inOrganization(deps.db, organizationId, (db) =>
      findTable(db, organizationId, tableId),
    );
    if (table !== undefined) await settleTable(deps, table);
  });
}

async function removeObjects(deps: ReconcileDeps): Promise<void> {
  const { rows } = await sql<{ organization_id: string; object_key: string }>`
    SELECT organization_id, object_key FROM due_object_deletions(${batch})`.execute(deps.db);
  const objects = rows.map((row) => ({ organizationId: row.organization_id, objectKey: row.object_key }));
  await forEachItem(deps, 'removeObjects', objects, async ({ organizationId, objectKey }) => {
    await deps.objects.remove(objectKey);
    await inOrganization(deps.db, organizationId, (db) => forgetDeletion(db, organizationId, objectKey));
  });
}

function forgetDeletion(
  db: Parameters<Parameters<typeof inOrganization<void>>[2]>[0],
  organizationId: string,
  key: string,
) {
  return db
    .deleteFrom('object_deletions')
    .where('organization_id', '=', organizationId)
    .where('object_key', '=', key)
    .execute();
}

import type { Logger } from 'pino';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import { lockByName } from '../../../data/postgres/locks.ts';
import { bestEffort, type ProcessDeps } from '../../../data/processes/processes.ts';
import { wakeSnapshotSignal } from '../../../workflows/intake/snapshot/names.ts';
import { workflowIdOf } from './process.ts';
import { countStaging, getSnapshotRun, listQueued, lockSnapshot, type SnapshotRun } from './snapshot-runs.ts';

/**
 * Maximum number of concurrently copying snapshots, per organization and per connection: a slow or broken
 * source only delays its own. More would occupy a worker's engine processes that other organizations need.
 */
const maxAtOnce = { organization: 4, connection: 2 };

/** Serialises the check, since two snapshots that begin at the same time would not see each other. */
export async function lockTurns(db: OrganizationTransaction, organizationId: string): Promise<void> {
  await lockByName(db, `snapshots of ${organizationId}`);
}

const turnWaitMs = 15_000;
const maxWoken = 5;

/**
 * Resumes a snapshot that waited while others copied, if it may copy again; otherwise returns how long to
 * wait.
 */
export function resumeTurn(
  db: Database,
  { organization_id: organizationId, id }: SnapshotRun,
): Promise<{ waitMs: number } | undefined> {
  return inOrganization(db, organizationId, async (transaction) => {
    await lockTurns(transaction, organizationId);
    const row = await getSnapshotRun(transaction, organizationId, id, undefined, 'update');
    if (row.waits_until === null) return undefined;
    const wait = (await isItsTurn(transaction, row)) ? undefined : { waitMs: turnWaitMs };
    await lockSnapshot(transaction, row, wait && { ...wait, waitsFor: 'turn' });
    return wait;
  });
}

/** Whether a queued or waiting snapshot may copy now. The caller holds the lock of `lockTurns`. */
export async function isItsTurn(db: OrganizationTransaction, row: SnapshotRun): Promise<boolean> {
  const others = await countStaging(db, row);
  return others.organization < maxAtOnce.organization && others.connection < maxAtOnce.connection;
}

/**
 * Wakes queued snapshots when one has stopped copying. They also poll, so a lost signal only causes a delay.
 */
export async function wakeQueued(
  deps: ProcessDeps & { logger: Pick<Logger, 'warn'> },
  organizationId: string,
): Promise<void> {
  const queued = await inOrganization(deps.db, organizationId, (db) =>
    listQueued(db, organizationId, maxWoken),
  );
  for (const workflowId of queued.map(workflowIdOf))
    await bestEffort(deps, workflowId, deps.processes.signal(workflowId, wakeSnapshotSignal));
}

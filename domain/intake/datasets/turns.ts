import { sql } from 'kysely';
import type { Logger } from 'pino';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import { bestEffort, type ProcessDeps } from '../../../data/processes/processes.ts';
import { wakeSnapshotSignal } from '../../../workflows/intake/snapshot/names.ts';
import { workflowIdOf } from './process.ts';
import { countStaging, getSnapshotRun, listQueued, lockSnapshot, type SnapshotRun } from './snapshot-runs.ts';

/**
 * So many snapshots of an organization copy at once, and of one connection: a source that is slow or broken
 * holds up what is its own. More would take engine processes of a worker that other organizations need.
 */
const maxAtOnce = { organization: 4, connection: 2 };

/** Two that begin at one moment would not see each other. */
export async function lockTurns(db: OrganizationTransaction, organizationId: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`snapshots of ${organizationId}`}, 0))`.execute(
    db,
  );
}

const turnWaitMs = 15_000;
const maxWoken = 5;

/**
 * One that waited, and let others copy meanwhile, goes on where it is its turn again; how long it has to wait
 * where not.
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

/**
 * Whether one that is queued, or has waited, may copy now. Asked under the lock of the organization's turns.
 */
export async function isItsTurn(db: OrganizationTransaction, row: SnapshotRun): Promise<boolean> {
  const others = await countStaging(db, row);
  return others.organization < maxAtOnce.organization && others.connection < maxAtOnce.connection;
}

/**
 * Tells the snapshots that wait for their turn that one has stopped copying: they would ask again by
 * themselves, only later.
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

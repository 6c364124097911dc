import type { LakeDeps } from '../../../data/lake/commit.ts';
import { newestSnapshot } from '../../../data/lake/ducklake/snapshots.ts';
import { versionsAt } from '../../../data/lake/ledger.ts';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import { lockByName } from '../../../data/postgres/locks.ts';
import {
  countUnfinished,
  findRun,
  followRun,
  moveRun,
  reportRunProgress,
  runStates,
} from '../../workspace/runs/runs.ts';
import { deleteLakePins, insertLakePin } from '../lake-maintenance/pins.ts';
import {
  findVerification,
  type Outcome,
  tablesOfRuns,
  updateVerification,
  type VerificationId,
  worst,
} from './verifications.ts';

export interface VerificationLifeDeps {
  db: Database;
  lake: Pick<LakeDeps, 'catalog' | 'catalogPool'>;
}

/** How a run ended, in numbers of tables. */
export interface VerificationEnd {
  status: 'succeeded' | 'failed' | 'cancelled';
  outcome: Outcome | null;
  tested: number;
  errorCode: string | null;
}

/** Runs that test at once, per organization. */
const maxAtOnce = 2;
/** A pin outlives the longest run; it is released when its run ends. */
const pinMs = 48 * 3_600_000;
const pinHolder = (runId: string) => `verification/${runId}`;

const internalFailure = {
  code: 'internal_error',
  message: 'The run failed because of an internal error. Start it again, or give its id to the operator.',
};

/**
 * queued → running: pins the snapshots that its tables are read at. `waiting` if the organization already has
 * as many runs under way as allowed.
 */
export async function beginVerification(
  { db, lake }: VerificationLifeDeps,
  { organizationId, runId }: VerificationId,
): Promise<'begun' | 'waiting' | 'ended'> {
  const { schema } = await lake.catalog.get(organizationId);
  return inOrganization(db, organizationId, async (transaction) => {
    // Two that begin at the same time would not see each other.
    await lockByName(transaction, `verifications of ${organizationId}`);
    const row = await findVerification(transaction, organizationId, runId, 'update');
    const run = await findRun(transaction, organizationId, runId, 'update');
    if (row === undefined || run === undefined || runStates.isEnd(run.status)) return 'ended';
    if (row.snapshot_id !== null) return 'begun';
    // Cancelled before its process could receive the request.
    if (run.cancel_requested_at !== null) return 'ended';
    const { unfinished, queued } = await countUnfinished(transaction, organizationId, ['verification']);
    if (unfinished - queued >= maxAtOnce) return 'waiting';
    const snapshotId = await newestSnapshot(lake.catalogPool, schema);
    const tables = await tablesOfRuns(transaction, organizationId, [runId]);
    const open = tables.filter(({ version }) => version === null).map(({ table_id: id }) => id);
    const versions = await versionsAt(lake.catalogPool, schema, open, snapshotId);
    for (const [tableId, version] of versions)
      await transaction
        .updateTable('verified_tables')
        .set({ version, snapshot_id: snapshotId })
        .where('organization_id', '=', organizationId)
        .where('run_id', '=', runId)
        .where('table_id', '=', tableId)
        .execute();
    const pins = new Set([snapshotId, ...tables.flatMap((table) => table.snapshot_id ?? [])]);
    for (const pinned of pins)
      await insertLakePin(transaction, organizationId, {
        snapshotId: pinned,
        holder: pinHolder(runId),
        expiresAt: new Date(Date.now() + pinMs),
      });
    await updateVerification(transaction, organizationId, runId, { snapshot_id: snapshotId });
    await moveRun(transaction, run, 'queued', 'running');
    return 'begun';
  });
}

/** Shows how many tables are done. No effect on a run that has ended. */
export function showProgress(db: Database, { organizationId, runId }: VerificationId): Promise<void> {
  return inOrganization(db, organizationId, async (transaction) => {
    const tables = await tablesOfRuns(transaction, organizationId, [runId]);
    const done = tables.filter(({ finished_at: finishedAt }) => finishedAt !== null).length;
    await reportRunProgress(transaction, organizationId, runId, done / Math.max(tables.length, 1));
  });
}

/** Ends the run, unless it has ended. Its outcome is the worst of its tables. */
export function endVerification(
  db: Database,
  { organizationId, runId }: VerificationId,
  isCancelled: boolean,
): Promise<VerificationEnd> {
  return inOrganization(db, organizationId, async (transaction) => {
    const row = await findVerification(transaction, organizationId, runId, 'update');
    const run = await findRun(transaction, organizationId, runId, 'update');
    // A run without a row was withdrawn by the request that made it.
    if (row === undefined || run === undefined)
      return { status: 'cancelled', outcome: null, tested: 0, errorCode: null };
    const tables = await tablesOfRuns(transaction, organizationId, [runId]);
    const done = tables.filter(({ finished_at: finishedAt }) => finishedAt !== null);
    if (!runStates.isEnd(run.status)) {
      const isWhole = row.snapshot_id !== null && done.length === tables.length;
      const wasAsked = isCancelled || run.cancel_requested_at !== null;
      const status = isWhole ? 'succeeded' : wasAsked ? 'cancelled' : 'failed';
      const outcome = isWhole ? worst(done.map((table) => table.outcome)) : null;
      await updateVerification(transaction, organizationId, runId, { outcome, finished_at: new Date() });
      await followRun(transaction, row, status, {
        ...(status === 'failed' ? { error: JSON.stringify(run.error ?? internalFailure) } : {}),
        ...(isWhole ? { progress: 1, output: JSON.stringify({ outcome, tables: tables.length }) } : {}),
      });
      await deleteLakePins(transaction, organizationId, pinHolder(runId));
      const errorCode = status === 'failed' ? ((run.error as { code?: string } | null)?.code ?? null) : null;
      return { status, outcome, tested: done.length, errorCode };
    }
    const status = run.status as VerificationEnd['status'];
    const errorCode = (run.error as { code?: string } | null)?.code ?? null;
    return { status, outcome: row.outcome, tested: done.length, errorCode };
  });
}

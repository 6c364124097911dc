import { versionsAt } from '../../../data/lake/ledger.ts';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import { internalFailure, reportRunProgress } from '../../workspace/runs/runs.ts';
import {
  beginAtSnapshot,
  endOf,
  endQueued,
  type Queue,
  type QueuedRunDeps,
  type QueuedRunEnd,
  type Turn,
} from '../queued-runs/queued-runs.ts';
import {
  findVerification,
  type Outcome,
  tablesOfRuns,
  updateVerification,
  type Verification,
  type VerificationId,
  type VerifiedTable,
  worst,
} from './verifications.ts';

/** How a run ended, in numbers of tables. */
export interface VerificationEnd extends QueuedRunEnd {
  outcome: Outcome | null;
  tested: number;
}

const queue: Queue<Verification> = {
  kind: 'verification',
  pinsOf: 'verification',
  find: findVerification,
};

/** queued → running: pins the snapshots that its tables are read at. */
export function beginVerification(deps: QueuedRunDeps, id: VerificationId): Promise<Turn> {
  const { organizationId, runId } = id;
  return beginAtSnapshot(deps, id, queue, async (db, _row, { schema, snapshotId }) => {
    const tables = await tablesOfRuns(db, organizationId, [runId]);
    const open = tables.filter(({ version }) => version === null).map(({ table_id: tableId }) => tableId);
    const versions = await versionsAt(deps.lake.catalogPool, schema, open, snapshotId);
    for (const [tableId, version] of versions)
      await db
        .updateTable('verified_tables')
        .set({ version, snapshot_id: snapshotId })
        .where('organization_id', '=', organizationId)
        .where('run_id', '=', runId)
        .where('table_id', '=', tableId)
        .execute();
    await updateVerification(db, organizationId, runId, { snapshot_id: snapshotId });
    return tables.flatMap((table) => table.snapshot_id ?? []);
  });
}

/** Shows how many tables are done. No effect on a run that has ended. */
export function showProgress(db: Database, { organizationId, runId }: VerificationId): Promise<void> {
  return inOrganization(db, organizationId, async (transaction) => {
    const tables = await tablesOfRuns(transaction, organizationId, [runId]);
    const progress = testedOf(tables).length / Math.max(tables.length, 1);
    await reportRunProgress(transaction, organizationId, runId, progress);
  });
}

const testedOf = (tables: readonly VerifiedTable[]) =>
  tables.filter(({ finished_at: finishedAt }) => finishedAt !== null);

/** Ends the run, unless it has ended. Its outcome is the worst of its tables. */
export function endVerification(
  db: Database,
  id: VerificationId,
  isCancelled: boolean,
): Promise<VerificationEnd> {
  const { organizationId, runId } = id;
  return inOrganization(db, organizationId, async (transaction) => {
    const run = await endQueued(transaction, id, queue, isCancelled, async (row, { run, wasAsked }) => {
      const tables = await tablesOfRuns(transaction, organizationId, [runId]);
      const tested = testedOf(tables);
      const isWhole = row.snapshot_id !== null && tested.length === tables.length;
      const status = isWhole ? 'succeeded' : wasAsked ? 'cancelled' : 'failed';
      const outcome = isWhole ? worst(tested.map((table) => table.outcome)) : null;
      await updateVerification(transaction, organizationId, runId, { outcome, finished_at: new Date() });
      return {
        status,
        ...(status === 'failed' ? { error: JSON.stringify(run.error ?? internalFailure('The run')) } : {}),
        ...(isWhole ? { progress: 1, output: JSON.stringify({ outcome, tables: tables.length }) } : {}),
      };
    });
    const row = await findVerification(transaction, organizationId, runId);
    const tested = testedOf(await tablesOfRuns(transaction, organizationId, [runId])).length;
    return { ...endOf(run), outcome: row?.outcome ?? null, tested };
  });
}

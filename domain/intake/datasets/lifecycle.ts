import type { LakeDeps } from '../../../data/lake/commit.ts';
import { findStatistics } from '../../../data/lake/ledger.ts';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import { confirmationHours } from '../../../workflows/intake/snapshot/names.ts';
import { forgetTable } from '../../tables/tables/registry.ts';
import { beginStep, findRun, internalFailure } from '../../workspace/runs/runs.ts';
import {
  copyStep,
  getSnapshotRun,
  moveSnapshot,
  type SnapshotFailure,
  type SnapshotRun,
  snapshotStates,
} from './snapshot-runs.ts';
import { isItsTurn, lockTurns } from './turns.ts';

export interface SnapshotId {
  organizationId: string;
  runId: string;
}

export interface SnapshotLifeDeps {
  db: Database;
  lake: Pick<LakeDeps, 'catalog' | 'catalogPool'>;
}

const notConfirmed: SnapshotFailure = {
  code: 'conflict',
  message: `The snapshot would remove more rows than its guard allows, and nobody confirmed it within ${confirmationHours} hours.`,
};

/** Steps shown to users while a snapshot runs. */
export const snapshotSteps = {
  copy: { id: copyStep, name: 'Copy the source', type: 'read' },
  commit: { id: 'commit', name: 'Commit the table', type: 'commit' },
};

/**
 * queued → running. `waiting` if the organization already runs as many copies as allowed; `ended` also if it
 * was cancelled.
 */
export function beginSnapshot(
  db: Database,
  { organizationId, runId }: SnapshotId,
): Promise<'begun' | 'waiting' | 'ended'> {
  return inOrganization(db, organizationId, async (transaction) => {
    await lockTurns(transaction, organizationId);
    const row = await getSnapshotRun(transaction, organizationId, runId, undefined, 'update');
    const run = await findRun(transaction, organizationId, runId);
    // Cancelled before its process could receive the request.
    const isCancelled = run?.cancel_requested_at != null;
    if (snapshotStates.isEnd(row.status) || (row.status === 'queued' && isCancelled)) return 'ended';
    if (row.status === 'queued') {
      if (!(await isItsTurn(transaction, row))) return 'waiting';
      await moveSnapshot(transaction, row, 'queued', 'running', { started_at: new Date() });
    }
    await beginStep(transaction, organizationId, runId, snapshotSteps.copy);
    return 'begun';
  });
}

/**
 * Decides whether what is staged may be committed, or is held because it would lose more rows than the guard
 * allows, or any where the source showed more pages than were read. A snapshot still held when overdue fails
 * here, in the same transaction, so that no confirmation can come in between.
 */
export async function admitSnapshot(
  { db, lake }: SnapshotLifeDeps,
  { organizationId, runId }: SnapshotId,
  isOverdue = false,
): Promise<'admitted' | 'held' | 'ended'> {
  const { schema } = await lake.catalog.get(organizationId);
  return inOrganization(db, organizationId, async (transaction) => {
    const row = await getSnapshotRun(transaction, organizationId, runId, undefined, 'update');
    if (snapshotStates.isEnd(row.status)) return 'ended';
    if (row.status === 'awaiting_confirmation' && !isOverdue) return 'held';
    if (row.status === 'awaiting_confirmation') {
      await endRow(transaction, row, 'failed');
      return 'ended';
    }
    const { max_shrink_ratio: ratio } = await transaction
      .selectFrom('datasets')
      .select('max_shrink_ratio')
      .where('organization_id', '=', organizationId)
      .where('id', '=', row.dataset_id)
      .executeTakeFirstOrThrow();
    const statistics = await findStatistics(lake.catalogPool, schema, row.table_id);
    const before = row.is_incremental ? 0 : (statistics?.rowCount ?? 0);
    // Where the source showed more than was copied, any loss is asked about.
    const allowed = row.warnings.some(({ code }) => code === 'more_pages') ? 0 : ratio;
    const shrinks = allowed !== null && before > 0 && before - row.rows_copied > allowed * before;
    if (!shrinks || row.confirmed_at !== null) return 'admitted';
    await moveSnapshot(transaction, row, 'running', 'awaiting_confirmation');
    return 'held';
  });
}

/**
 * Ends the snapshot unless it has ended, and releases a table name that it reserved. Returns its final state.
 */
export function endSnapshot(
  db: Database,
  { organizationId, runId }: SnapshotId,
  status: 'failed' | 'cancelled',
): Promise<SnapshotRun> {
  return inOrganization(db, organizationId, async (transaction) => {
    const row = await getSnapshotRun(transaction, organizationId, runId, undefined, 'update');
    if (snapshotStates.isEnd(row.status)) return row;
    await endRow(transaction, row, status);
    return getSnapshotRun(transaction, organizationId, runId);
  });
}

async function endRow(
  db: OrganizationTransaction,
  row: SnapshotRun,
  status: 'failed' | 'cancelled',
): Promise<void> {
  const failure =
    row.status === 'awaiting_confirmation' ? notConfirmed : (row.error ?? internalFailure('The snapshot'));
  await moveSnapshot(db, row, row.status, status, {
    error: status === 'failed' ? JSON.stringify(failure) : null,
  });
  await forgetTable(db, row.organization_id, row.table_id, 'creating');
}

import type { LakeDeps } from '../../../data/lake/commit.ts';
import { newestSnapshot } from '../../../data/lake/ducklake/snapshots.ts';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import { lockByName } from '../../../data/postgres/locks.ts';
import { deleteObjectLater, keepObject } from '../../workspace/files/files.ts';
import {
  countUnfinished,
  findRun,
  followRun,
  moveRun,
  type Run,
  runStates,
} from '../../workspace/runs/runs.ts';
import { deleteLakePins, insertLakePin } from '../lake-maintenance/pins.ts';
import { type Export, type ExportId, findExport, updateExport } from './exports.ts';

export interface ExportLifeDeps {
  db: Database;
  lake: Pick<LakeDeps, 'catalog' | 'catalogPool'>;
}

/** How an export ended. */
export interface ExportEnd {
  status: 'succeeded' | 'failed' | 'cancelled';
  rows: number;
  bytes: number;
  errorCode: string | null;
}

/** Exports that write at once, per organization. */
const maxAtOnce = 2;
/** A pin outlives the longest export; it is released when it ends. */
const pinMs = 48 * 3_600_000;
const keptMs = 24 * 3_600_000;
/** No request to the store is under way for as long. */
const leftoverMs = 600_000;
const pinHolder = (exportId: string) => `export/${exportId}`;

const internalFailure = {
  code: 'internal_error',
  message: 'The export failed because of an internal error. Start it again, or give its id to the operator.',
};

/**
 * queued → running: pins the snapshots that are read. `waiting` if the organization already has as many
 * exports under way as allowed.
 */
export async function beginExport(
  { db, lake }: ExportLifeDeps,
  { organizationId, exportId }: ExportId,
): Promise<'begun' | 'waiting' | 'ended'> {
  const { schema } = await lake.catalog.get(organizationId);
  return inOrganization(db, organizationId, async (transaction) => {
    // Two that begin at the same time would not see each other.
    await lockByName(transaction, `turns of exports of ${organizationId}`);
    const row = await findExport(transaction, organizationId, exportId, 'update');
    const run = await findRun(transaction, organizationId, exportId, 'update');
    if (row === undefined || run === undefined || runStates.isEnd(run.status)) return 'ended';
    if (row.snapshot_id !== null) return 'begun';
    // Cancelled before its process could receive the request.
    if (run.cancel_requested_at !== null) return 'ended';
    const { unfinished, queued } = await countUnfinished(transaction, organizationId, ['export']);
    if (unfinished - queued >= maxAtOnce) return 'waiting';
    const snapshotId = await newestSnapshot(lake.catalogPool, schema);
    const asked = Object.values(row.at_versions).map((one) => one.snapshotId);
    for (const pinned of new Set([snapshotId, ...asked]))
      await insertLakePin(transaction, organizationId, {
        snapshotId: pinned,
        holder: pinHolder(exportId),
        expiresAt: new Date(Date.now() + pinMs),
      });
    await updateExport(transaction, organizationId, exportId, { snapshot_id: snapshotId });
    await moveRun(transaction, run, 'queued', 'running');
    return 'begun';
  });
}

/** Ends an export, unless it has ended: it succeeded exactly if its files are recorded. */
export function endExport(
  db: Database,
  { organizationId, exportId }: ExportId,
  isCancelled: boolean,
): Promise<ExportEnd> {
  return inOrganization(db, organizationId, async (transaction) => {
    const row = await findExport(transaction, organizationId, exportId, 'update');
    const run = await findRun(transaction, organizationId, exportId, 'update');
    // An export without a row was withdrawn by the request that made it.
    if (row === undefined || run === undefined)
      return { status: 'cancelled', rows: 0, bytes: 0, errorCode: null };
    return runStates.isEnd(run.status) ? endOf(row, run) : end(transaction, row, run, isCancelled);
  });
}

async function end(
  db: OrganizationTransaction,
  row: Export,
  run: Run,
  isCancelled: boolean,
): Promise<ExportEnd> {
  const { organization_id: organizationId, id } = row;
  const wasAsked = isCancelled || run.cancel_requested_at !== null;
  const status = row.folder !== null ? 'succeeded' : wasAsked ? 'cancelled' : 'failed';
  const now = Date.now();
  const ended = await updateExport(db, organizationId, id, {
    finished_at: new Date(now),
    expires_at: new Date(now + keptMs),
    error: status === 'failed' ? JSON.stringify(row.error ?? internalFailure) : null,
  });
  await removeAttempts(db, row);
  if (row.folder !== null) await removeFolder(db, organizationId, row.folder, keptMs);
  await deleteLakePins(db, organizationId, pinHolder(id));
  const error = ended.error as { code: string } | null;
  await followRun(db, row, status, {
    // The engine's words may show values of tables that not everybody who sees the run may read.
    ...(error === null
      ? {}
      : {
          error: JSON.stringify({
            code: error.code,
            message: `The export failed. GET /v1/exports/${id} shows the reason.`,
          }),
        }),
    ...(status === 'succeeded' ? { progress: 1, output: JSON.stringify(outputOf(ended)) } : {}),
  });
  return endOf(ended, { ...run, status });
}

const outputOf = (row: Export): object => ({
  exportId: row.id,
  ...(row.file_id === null ? {} : { fileId: row.file_id }),
  rowsWritten: row.rows_written,
});

function endOf(row: Export, { status }: Run): ExportEnd {
  const bytes = row.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const errorCode = (row.error as { code?: string } | null)?.code ?? null;
  return { status: status as ExportEnd['status'], rows: row.rows_written, bytes, errorCode };
}

/**
 * Has what attempts may have left removed soon. Each removed its files when it failed, but the store may
 * complete one later, if the last request for it was under way when the process ended.
 */
async function removeAttempts(
  db: OrganizationTransaction,
  { organization_id: organizationId, id }: Export,
): Promise<void> {
  await db
    .updateTable('object_deletions')
    .set({ not_before: new Date(Date.now() + leftoverMs) })
    .where('organization_id', '=', organizationId)
    .where('object_key', 'like', `%/${id}/%`)
    .execute();
}

/** Has a folder of the object store removed after a time, instead of a removal that was planned before. */
async function removeFolder(
  db: OrganizationTransaction,
  organizationId: string,
  folder: string,
  afterMs: number,
): Promise<void> {
  await keepObject(db, organizationId, folder);
  await deleteObjectLater(db, organizationId, folder, afterMs);
}

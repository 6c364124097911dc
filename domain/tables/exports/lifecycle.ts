import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import { deleteObjectLater, keepObject } from '../../workspace/files/files.ts';
import { internalFailure } from '../../workspace/runs/runs.ts';
import {
  beginAtSnapshot,
  endOf,
  endQueued,
  type Queue,
  type QueuedRunDeps,
  type QueuedRunEnd,
  type Turn,
} from '../queued-runs/queued-runs.ts';
import { type Export, type ExportId, findExport, updateExport } from './exports.ts';

/** How an export ended. */
export interface ExportEnd extends QueuedRunEnd {
  rows: number;
  bytes: number;
}

const queue: Queue<Export> = { kind: 'export', pinsOf: 'export', find: findExport };
const keptMs = 24 * 3_600_000;
/** No request to the store is under way for as long. */
const leftoverMs = 600_000;

/** queued → running: pins the snapshots that are read. */
export const beginExport = (deps: QueuedRunDeps, { organizationId, exportId }: ExportId): Promise<Turn> =>
  beginAtSnapshot(deps, { organizationId, runId: exportId }, queue, async (db, row, { snapshotId }) => {
    await updateExport(db, organizationId, exportId, { snapshot_id: snapshotId });
    return Object.values(row.at_versions).map((version) => version.snapshotId);
  });

/** Ends an export, unless it has ended: it succeeded exactly if its files are recorded. */
export function endExport(
  db: Database,
  { organizationId, exportId }: ExportId,
  isCancelled: boolean,
): Promise<ExportEnd> {
  const id = { organizationId, runId: exportId };
  return inOrganization(db, organizationId, async (transaction) => {
    const run = await endQueued(transaction, id, queue, isCancelled, (row, { wasAsked }) =>
      finish(transaction, row, row.folder !== null ? 'succeeded' : wasAsked ? 'cancelled' : 'failed'),
    );
    const row = await findExport(transaction, organizationId, exportId);
    const bytes = row?.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    return { ...endOf(run), rows: row?.rows_written ?? 0, bytes: bytes ?? 0 };
  });
}

async function finish(db: OrganizationTransaction, row: Export, status: ExportEnd['status']) {
  const { organization_id: organizationId, id } = row;
  const now = Date.now();
  const ended = await updateExport(db, organizationId, id, {
    finished_at: new Date(now),
    expires_at: new Date(now + keptMs),
    error: status === 'failed' ? JSON.stringify(row.error ?? internalFailure('The export')) : null,
  });
  await removeAttempts(db, row);
  if (row.folder !== null) await removeFolder(db, organizationId, row.folder, keptMs);
  const error = ended.error as { code: string } | null;
  // The engine's words may show values of tables that not everybody who sees the run may read.
  const message = `The export failed. GET /v1/exports/${id} shows the reason.`;
  return {
    status,
    ...(error === null ? {} : { error: JSON.stringify({ code: error.code, message }) }),
    ...(status === 'succeeded' ? { progress: 1, output: JSON.stringify(outputOf(ended)) } : {}),
  };
}

const outputOf = (row: Export): object => ({
  exportId: row.id,
  ...(row.file_id === null ? {} : { fileId: row.file_id }),
  rowsWritten: row.rows_written,
});

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

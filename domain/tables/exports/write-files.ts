import { AppError, isRetryable } from '../../../data/errors.ts';
import type { ObjectStore } from '../../../data/objects/store.ts';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import { contentTypeOf } from '../../workspace/files/content-type.ts';
import { deleteObjectLater, putFile } from '../../workspace/files/files.ts';
import { storeObject } from '../../workspace/files/store-object.ts';
import { findRun, type Run, runStates } from '../../workspace/runs/runs.ts';
import type { Exported } from '../query/export/contract.ts';
import type { QueryPool, TaskLimits } from '../query/pool/pool.ts';
import { readByName } from '../query/relation-tables.ts';
import type { StreamTask } from '../query/stream/contract.ts';
import { withOutputLimit } from '../staging/output-limit.ts';
import { newAttemptUrl, removeBelow, sizeBelow } from '../staging/staging.ts';
import { type Export, type ExportFile, type ExportId, findExport, updateExport } from './exports.ts';
import { named, partsIn, type WrittenPart } from './parts.ts';
import { pinnedAt, type ReadDeps, readAs } from './read.ts';
import { uploadPieces } from './upload-pieces.ts';

export interface WriteDeps extends ReadDeps {
  objects: ObjectStore;
  /** Processes for work that nobody waits for on a line. */
  builds: QueryPool;
  buildLimits: { timeoutMs: number; maxBytes: number };
}

/** Longest wait of an attempt for a process; the next attempt comes after a timer. */
const processWaitMs = 5_000;
/** What an attempt writes is removed after this time, unless it is recorded before. */
const attemptMs = 3 * 24 * 3_600_000;

/**
 * Writes what is exported to files of a new folder, and records them in one transaction: a repetition begins
 * anew, unless they are recorded.
 */
export async function writeExport(deps: WriteDeps, id: ExportId, signal: AbortSignal): Promise<void> {
  const { organizationId, exportId } = id;
  const { row, run } = await inOrganization(deps.db, organizationId, async (db) => ({
    row: await findExport(db, organizationId, exportId),
    run: await findRun(db, organizationId, exportId),
  }));
  if (row === undefined || run === undefined || runStates.isEnd(run.status) || row.snapshot_id === null)
    throw new AppError('conflict', 'The export has ended.');
  if (row.folder !== null) return;
  const prefixUrl = await newAttemptUrl(deps, { organizationId, id: exportId });
  const folder = prefixUrl.slice(`s3://${deps.objects.settings.bucket}/`.length);
  // Before anything is written, so that nothing stays after a crash.
  await inOrganization(deps.db, organizationId, (db) =>
    deleteObjectLater(db, organizationId, folder, attemptMs),
  );
  try {
    const written = await write(deps, row, { prefixUrl, folder }, signal);
    const result = { ...written, folder, files: named(row, written.parts) };
    if (row.path === null)
      await inOrganization(deps.db, organizationId, (db) => record(db, id, result, null));
    else await recordWithFile(deps, { row, run, result });
  } catch (error) {
    await removeBelow(deps, prefixUrl).catch(() => undefined);
    throw error;
  }
}

interface Written {
  rows: number;
  reads: string[];
  versions: { tableId: string; version: number }[];
  parts: WrittenPart[];
}

async function write(
  deps: WriteDeps,
  row: Export,
  { prefixUrl, folder }: { prefixUrl: string; folder: string },
  signal: AbortSignal,
): Promise<Written> {
  const { organization_id: organizationId, created_by: callerId } = row;
  const { reader: location } = await deps.lake.catalog.get(organizationId);
  const source = row.sql === null ? { tableId: row.table_id! } : { sql: row.sql };
  const read = await readAs(deps, organizationId, callerId, source);
  const asked = row.at_versions;
  const pinned = await pinnedAt(deps, organizationId, read, { snapshotId: row.snapshot_id!, asked });
  const { timeoutMs, maxBytes } = deps.buildLimits;
  const limits = { timeoutMs, waitMs: processWaitMs, untilSettled: true };
  const advice = 'Select fewer rows or columns, or ask the operator to raise BUILD_MAX_GIB.';
  const written = await withOutputLimit(
    { written: () => sizeBelow(deps, prefixUrl), maxBytes, signal, advice },
    async (until) => {
      const what = {
        ...{ location, sql: read.sql, relations: read.relations, atVersions: pinned.atVersions },
        maxFileBytes: row.max_file_bytes ?? undefined,
      };
      const within = { ...limits, signal: until };
      const { format } = row;
      if (format === 'ndjson' || format === 'arrow')
        return streamed(deps, { ...what, format, folder }, within);
      const copied = await deps.builds.perform(
        { kind: 'export', ...what, prefixUrl, format, byteOrderMark: row.byte_order_mark },
        within,
      );
      return { ...copied, parts: await partsIn(deps.objects, folder) };
    },
  );
  const { rows, scannedRelationIds: scanned, parts } = written;
  const reads = readByName(read.relations, scanned);
  // Tables behind a view may be hidden from who reads it.
  const visible = new Set(read.named.map(({ id }) => id));
  const versions = scanned.flatMap((tableId) => {
    const version = visible.has(tableId) ? pinned.versions.get(tableId) : undefined;
    return version === undefined ? [] : [{ tableId, version }];
  });
  return { rows, reads, versions, parts };
}

/** Formats that the engine does not write itself: its process hands on their bytes. */
async function streamed(
  { builds, objects }: WriteDeps,
  { folder, format, ...what }: Streamable,
  limits: TaskLimits,
): Promise<Exported & { parts: WrittenPart[] }> {
  const upload = uploadPieces(objects, { folder, format });
  try {
    const written = await builds.perform(
      { kind: 'stream', ...what, limit: undefined, format: format === 'arrow' ? 'arrow_file' : format },
      { ...limits, onPiece: upload.onPiece },
    );
    const parts = await upload.end();
    return { rows: written.rowCount, scannedRelationIds: written.scannedRelationIds, parts };
  } catch (error) {
    await upload.abort();
    throw error;
  }
}

type Streamable = Omit<StreamTask, 'kind' | 'limit' | 'format'> & {
  folder: string;
  format: 'ndjson' | 'arrow';
};

interface Result extends Written {
  folder: string;
  files: ExportFile[];
}

/** Keeps a copy as a file of the project, in the transaction that records the files. */
async function recordWithFile(
  deps: WriteDeps,
  { row, run, result }: { row: Export; run: Run; result: Result },
): Promise<void> {
  const { organization_id: organizationId, id } = row;
  const path = row.path!;
  const { key, sizeBytes, sha256 } = result.files[0]!;
  const where = {
    ...{ organizationId, projectId: run.project_id!, path },
    newId: id.replace(/^exp_/, 'fil_'),
  };
  await storeObject(
    deps,
    organizationId,
    async (objectKey) => {
      await deps.objects.upload(objectKey, await deps.objects.read(result.folder + key));
    },
    async (db, objectKey) => {
      const contentType = contentTypeOf(path);
      const content = { objectKey, contentType, sizeBytes, sha256, source: 'write', writeId: id } as const;
      const put = await putFile(db, where, content);
      await record(db, { organizationId, exportId: id }, result, put.file.id);
      return put;
    },
  );
}

async function record(
  db: OrganizationTransaction,
  { organizationId, exportId }: ExportId,
  { rows, reads, versions, folder, files }: Result,
  fileId: string | null,
): Promise<void> {
  const row = await findExport(db, organizationId, exportId, 'update');
  const run = await findRun(db, organizationId, exportId, 'update');
  if (row === undefined || run === undefined || runStates.isEnd(run.status))
    throw new AppError('conflict', 'The export has ended.');
  // An attempt that lingered was first.
  if (row.folder !== null) return;
  await updateExport(db, organizationId, exportId, {
    ...{ folder, file_id: fileId, rows_written: rows, reads, error: null },
    ...{ files: JSON.stringify(files), versions: JSON.stringify(versions) },
  });
}

/** Keeps why an attempt failed, in case it was the last one; whether another cannot help. */
export async function recordExportFailure(
  db: Database,
  { organizationId, exportId }: ExportId,
  error: unknown,
): Promise<boolean> {
  if (!(error instanceof AppError)) return false;
  const { code, message } = error;
  await inOrganization(db, organizationId, (transaction) =>
    transaction
      .updateTable('exports')
      .set({ error: JSON.stringify({ code, message: message.slice(0, 2_000) }) })
      .where('organization_id', '=', organizationId)
      .where('id', '=', exportId)
      .where('finished_at', 'is', null)
      .execute(),
  );
  return !isRetryable(error);
}

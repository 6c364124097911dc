import { AppError, isRetryable } from '../../../data/errors.ts';
import { derivedId } from '../../../data/ids.ts';
import type { LakeDeps } from '../../../data/lake/commit.ts';
import { EngineCrashLoopError } from '../../../data/lake/engine/failure.ts';
import type { ObjectStore } from '../../../data/objects/store.ts';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import { BadFileError, type FileFormat, type StageProgress } from '../../../packages/file-reader/index.ts';
import { appendFiles } from '../../tables/rows/append-files.ts';
import {
  commitOnce,
  giveUp,
  readManifest,
  removeBelow,
  removeStaged,
  type StagedWork,
} from '../../tables/staging/staging.ts';
import { findTable, reserveTable, tableStates } from '../../tables/tables/registry.ts';
import { replaceWithFiles } from '../../tables/tables/replace.ts';
import { type GateDeps, type Gated, refusedBy } from '../../tables/verification/gate.ts';
import { stageOnce } from '../../tables/verification/stage-once.ts';
import { beginStep } from '../../workspace/runs/runs.ts';
import { endImport, importSteps } from './lifecycle.ts';
import type { FileReader } from './reader.ts';
import type { StagedImport } from './staged.ts';
import {
  type ImportFailure,
  keepQuarantineTable,
  moveTableImport,
  recordFailure,
  type TableImport,
} from './table-imports.ts';

export interface ImportRunDeps extends GateDeps {
  db: Database;
  lake: LakeDeps;
  objects: ObjectStore;
  files: FileReader;
}

const workOf = ({ organization_id: organizationId, id }: TableImport): StagedWork => ({
  organizationId,
  id,
  operationId: `import:${id}`,
  manifestKey: `imports/${organizationId}/${id}.json`,
});

/** Stages the file as Parquet, unless the lake already has the commit. */
export async function stageImport(
  deps: ImportRunDeps,
  row: TableImport,
  progress: (progress: StageProgress) => void,
  signal: AbortSignal,
): Promise<StagedImport> {
  const { onBadRow, ...options } = row.options;
  const source = {
    key: row.object_key,
    sizeBytes: row.size_bytes,
    format: row.format as FileFormat,
  };
  const write = async (prefixUrl: string) => {
    const input = { source, options, target: { prefixUrl, quarantine: onBadRow === 'quarantine' } };
    const staged = await deps.files.stage(row.organization_id, input, progress, signal);
    return { staged, gated: gatedOf(row, staged) };
  };
  const work = workOf(row);
  return (await stageOnce(deps, work, write, signal)) ?? readManifest(deps, work);
}

const gatedOf = (row: TableImport, { table }: StagedImport): Gated => ({
  ...{ organizationId: row.organization_id, tableId: row.table_id, tableName: row.table_name },
  ...{ columns: table.columns, files: table.files },
  how: { kind: row.mode === 'append' ? 'append' : 'replace' },
  process: { id: row.id, startedAt: row.created_at, projectId: row.project_id, by: row.created_by },
});

/** Commits what is staged exactly once, and marks the import as succeeded. */
export const commitImport = (deps: ImportRunDeps, row: TableImport): Promise<void> =>
  commitOnce(deps, workOf(row), {
    commit: (manifest: StagedImport) => commitFiles(deps, row, manifest),
    record: (db, manifest, committed) => recordImport(db, row, manifest, committed),
    // An append copied their rows, so nothing refers to these files.
    cleanUp: async ({ table }) => {
      if (row.mode === 'append') for (const { url } of table.files) await removeBelow(deps, url);
    },
  });

interface Committed {
  tableVersion: number;
  quarantineTableId: string | undefined;
}

async function commitFiles(
  deps: ImportRunDeps,
  row: TableImport,
  manifest: StagedImport,
): Promise<Committed> {
  const { organization_id: organizationId } = row;
  await inOrganization(deps.db, organizationId, (db) =>
    beginStep(db, organizationId, row.id, importSteps.commit),
  );
  const quarantine = manifest.quarantine === undefined ? undefined : await reserveQuarantine(deps, row);
  const commit = {
    organizationId,
    tableId: row.table_id,
    tableName: row.table_name,
    staged: manifest.table,
    operationId: workOf(row).operationId,
    runId: row.id,
    committedBy: row.created_by,
    beside: quarantine === undefined ? undefined : { ...quarantine, staged: manifest.quarantine! },
  };
  const tableVersion =
    row.mode === 'append' ? await appendFiles(deps, commit) : await replaceWithFiles(deps.lake, commit);
  return { tableVersion, quarantineTableId: quarantine?.tableId };
}

async function recordImport(
  db: OrganizationTransaction,
  row: TableImport,
  { table, quarantine, skippedLines, warnings, sourceColumns }: StagedImport,
  { tableVersion, quarantineTableId }: Committed,
): Promise<void> {
  await makeReady(db, row.organization_id, row.table_id);
  if (quarantineTableId !== undefined) await makeReady(db, row.organization_id, quarantineTableId);
  await moveTableImport(db, row, 'running', 'succeeded', {
    rows_imported: table.rows,
    rows_quarantined: quarantine?.rows ?? 0,
    quarantine_table_id: quarantineTableId ?? null,
    bytes_read: row.size_bytes,
    progress: 1,
    table_version: tableVersion,
    skipped_lines: JSON.stringify(skippedLines ?? []),
    warnings: JSON.stringify(warnings ?? []),
    source_columns: sourceColumns === undefined ? null : JSON.stringify(sourceColumns),
  });
}

/**
 * A table to replace is already ready. If a reservation is gone, the attempt fails; the next one reserves the
 * table again.
 */
async function makeReady(
  db: OrganizationTransaction,
  organizationId: string,
  tableId: string,
): Promise<void> {
  if (await tableStates.move(db, { organization_id: organizationId, id: tableId }, 'creating', 'ready'))
    return;
  const table = await findTable(db, organizationId, tableId);
  if (table?.status !== 'ready') throw new Error(`The reservation of ${tableId} no longer exists.`);
}

/** Ends an import without a process; false if the lake has its commit. */
export const giveUpImport = (
  deps: ImportRunDeps,
  row: TableImport,
  status: 'cancelled' | 'failed',
): Promise<boolean> =>
  giveUp(deps, workOf(row), async () => {
    await discardImport(deps, row);
    const id = { organizationId: row.organization_id, importId: row.id };
    await endImport(deps.db, id, status);
  });

/** Removes staged files that no commit has added. */
export async function discardImport(deps: ImportRunDeps, row: TableImport): Promise<void> {
  if (row.status !== 'succeeded') await removeStaged(deps, workOf(row));
}

/**
 * Stores a permanent failure in the import's row: the file is invalid, or the lake rejects its data.
 * Undefined if the error is transient.
 */
export async function recordFinalFailure(
  db: Database,
  row: TableImport,
  error: unknown,
): Promise<ImportFailure | undefined> {
  const failure = failureOf(error);
  if (failure !== undefined)
    await inOrganization(db, row.organization_id, (transaction) =>
      recordFailure(transaction, row.organization_id, row.id, failure),
    );
  return failure;
}

const engineFailed: ImportFailure = {
  code: 'engine_failed',
  message:
    'The engine stopped twice while it read this file. The file needs more memory than an import may use, or triggers a fault in the engine. Save the file again, or in another format.',
  line: null,
  column: null,
  raw: null,
  reason: null,
};

function failureOf(error: unknown): ImportFailure | undefined {
  if (error instanceof BadFileError) return error.failure;
  if (error instanceof EngineCrashLoopError) return engineFailed;
  if (!(error instanceof AppError) || isRetryable(error)) return undefined;
  const nowhere = { line: null, column: null, raw: null, reason: null };
  return { code: error.code, message: error.message, ...nowhere, ...refusedBy(error) };
}

/**
 * Reserves the table for bad rows, named after the table and the import. Its id is derived from the import's,
 * so that a retry finds it; it is stored in the import's row first, so that nothing else cleans up the
 * reservation meanwhile.
 */
async function reserveQuarantine(
  { db }: ImportRunDeps,
  row: TableImport,
): Promise<{ tableId: string; tableName: string }> {
  const tableId = derivedId('tbl', row.created_at.getTime(), `quarantine of ${row.id}`);
  const name = `${row.table_name.slice(0, 230)}_quarantine_${row.id.slice(-6)}`;
  const reserved = await inOrganization(db, row.organization_id, async (transaction) => {
    await keepQuarantineTable(transaction, row.organization_id, row.id, tableId);
    return reserveTable(transaction, {
      organization_id: row.organization_id,
      id: tableId,
      name,
      kind: 'import',
      project_id: row.project_id,
      bad_rows_of: row.table_id,
      description: `Rows of ${row.file_path} that could not become rows of ${row.table_name}, with line, column, raw text and reason.`,
    });
  });
  return { tableId, tableName: reserved.name };
}

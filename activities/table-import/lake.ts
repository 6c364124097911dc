import { ApplicationFailure } from '@temporalio/common';
import { AppError } from '../../data/errors.ts';
import { derivedId } from '../../data/ids.ts';
import { BadFileError } from '../../data/lake/import/bad-file.ts';
import type { ImportFormat, ImportOptions, Staged, StageProgress } from '../../data/lake/import/contract.ts';
import { replaceWithFiles } from '../../data/lake/replace.ts';
import { inOrganization } from '../../data/postgres/client.ts';
import {
  getTableImport,
  type ImportFailure,
  moveTableImport,
  recordFailure,
  reportProgress,
  type TableImport,
} from '../../data/postgres/table-imports.ts';
import { moveTable, reserveTable } from '../../data/postgres/tables.ts';
import type {
  StagedImport,
  TableImportInput,
  TableImportLakeActivities,
  TableImportOutcome,
} from '../../workflows/table-import/contract.ts';
import type { ActivityDeps } from '../deps.ts';
import { DeadlyJobError, withHeartbeats } from '../heartbeats.ts';

export function tableImportLakeActivities(deps: ActivityDeps): TableImportLakeActivities {
  const read = ({ organizationId, importId }: TableImportInput) =>
    inOrganization(deps.db, organizationId, (db) => getTableImport(db, organizationId, importId));

  return {
    /** Safe to retry: staging starts by removing what an earlier try left, and nothing refers to staged files yet. */
    async stageTableImport(input) {
      const row = await read(input);
      const lake = await deps.lake.catalog.get(input.organizationId);
      const { onBadRow, ...options } = row.options as unknown as ImportOptions & {
        onBadRow: 'fail' | 'quarantine';
      };
      const source = {
        objectKey: row.object_key,
        path: row.file_path,
        sizeBytes: row.size_bytes,
        format: row.format as ImportFormat,
      };
      const target = {
        prefixUrl: stagingUrl(lake.writer.dataPath, row.id),
        quarantine: onBadRow === 'quarantine',
      };
      const staged = await withProgress(deps, input, (progress, signal) =>
        deps.files.stage(input.organizationId, { source, options, target }, progress, signal),
      ).catch((error: unknown) => tellFailure(deps, input, error));
      await deps.objects.put(manifestKey(row), Buffer.from(JSON.stringify(staged)), 'application/json');
      return {
        manifestKey: manifestKey(row),
        rows: staged.table.rows,
        quarantinedRows: staged.quarantine?.rows ?? 0,
      };
    },

    /** Safe to retry: the commit's operation is looked for in the ledger first, and every later step is a compare-and-set. */
    async commitTableImport(input, staged) {
      const row = await read(input);
      if (row.status !== 'running') return { status: row.status as TableImportOutcome['status'] };
      const manifest = await readManifest(deps, staged);
      const quarantine = manifest.quarantine === undefined ? undefined : await reserveQuarantine(deps, row);
      const replacement = {
        organizationId: input.organizationId,
        tableId: row.table_id,
        tableName: row.table_name,
        staged: manifest.table,
        operationId: `import:${row.id}`,
        runId: row.id,
        committedBy: row.created_by,
        beside: quarantine === undefined ? undefined : { ...quarantine, staged: manifest.quarantine! },
      };
      const tableVersion = await replaceWithFiles(deps.lake, replacement).catch((error: unknown) =>
        tellFailure(deps, input, error),
      );
      await inOrganization(deps.db, input.organizationId, async (db) => {
        await moveTable(db, input.organizationId, row.table_id, 'creating', 'ready');
        if (quarantine !== undefined)
          await moveTable(db, input.organizationId, quarantine.tableId, 'creating', 'ready');
        await moveTableImport(db, input.organizationId, row.id, 'running', 'succeeded', {
          rows_imported: staged.rows,
          rows_quarantined: staged.quarantinedRows,
          quarantine_table_id: quarantine?.tableId ?? null,
          bytes_read: row.size_bytes,
          progress: 1,
          table_version: tableVersion,
        });
      });
      await deps.objects.remove(manifestKey(row));
      return { status: 'succeeded' };
    },

    /** Safe to retry: removes by prefix, and only what no commit has taken. */
    async discardStagedImport(input) {
      const row = await read(input);
      if (row.status === 'succeeded') return;
      const lake = await deps.lake.catalog.get(input.organizationId);
      const prefix = stagingUrl(lake.writer.dataPath, row.id).slice(
        `s3://${deps.objects.settings.bucket}/`.length,
      );
      await deps.objects.removeAll(prefix);
      await deps.objects.remove(manifestKey(row));
    },
  };

  async function readManifest(activity: ActivityDeps, staged: StagedImport): Promise<Staged> {
    const chunks: Buffer[] = [];
    for await (const chunk of await activity.objects.read(staged.manifestKey)) chunks.push(chunk as Buffer);
    return JSON.parse(Buffer.concat(chunks).toString()) as Staged;
  }
}

function stagingUrl(dataPath: string, importId: string): string {
  return `${dataPath}main/${importId}/`;
}

function manifestKey(row: TableImport): string {
  return `imports/${row.organization_id}/${row.id}.json`;
}

/** The bad rows' own table, named after the table and this import. Its id derives from the import: a retry finds it. */
async function reserveQuarantine(
  deps: ActivityDeps,
  row: TableImport,
): Promise<{ tableId: string; tableName: string }> {
  const tableId = derivedId('tbl', row.created_at.getTime(), `quarantine of ${row.id}`);
  const name = `${row.table_name.slice(0, 230)}_quarantine_${row.id.slice(-6)}`;
  const reserved = await inOrganization(deps.db, row.organization_id, (db) =>
    reserveTable(db, {
      organization_id: row.organization_id,
      id: tableId,
      name,
      kind: 'import',
      project_id: row.project_id,
      description: `Rows of ${row.file_path} that did not fit ${row.table_name}, with line, column, raw text and reason.`,
    }),
  );
  return { tableId, tableName: reserved.name };
}

/** A file at which this many engine processes ended is not read again. */
const maxEngineDeaths = 2;

/** Progress goes to the row with the heartbeats. */
function withProgress<T>(
  deps: ActivityDeps,
  { organizationId, importId }: TableImportInput,
  work: (progress: (progress: StageProgress) => void, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const onBeat = (latest: StageProgress) => {
    inOrganization(deps.db, organizationId, (db) =>
      reportProgress(db, organizationId, importId, latest),
    ).catch((error: unknown) => deps.logger.debug({ err: error, importId }, 'progress could not be kept'));
  };
  return withHeartbeats({ fraction: 0, bytesRead: 0, rows: 0 }, { maxEngineDeaths, onBeat }, work);
}

/** A file that cannot be read is told in the import's row and not tried again; anything else is retried. */
async function tellFailure(
  deps: ActivityDeps,
  { organizationId, importId }: TableImportInput,
  error: unknown,
): Promise<never> {
  const failure = failureOf(error);
  if (failure === undefined) throw error;
  await inOrganization(deps.db, organizationId, (db) => recordFailure(db, organizationId, importId, failure));
  throw ApplicationFailure.create({ type: 'BadFile', message: failure.code, nonRetryable: true });
}

const endedTwice: ImportFailure = {
  code: 'engine_failed',
  message:
    'The engine ended twice while it read this file: it needs more than an import may use, or meets a fault of the engine. Save it anew, or in another format.',
  line: null,
  column: null,
  raw: null,
  reason: null,
};

/** Why no other try can help: the file is at fault, or the lake refuses what it holds. */
function failureOf(error: unknown): ImportFailure | undefined {
  if (error instanceof BadFileError) return error.failure;
  if (error instanceof DeadlyJobError) return endedTwice;
  if (!(error instanceof AppError) || (error.code !== 'conflict' && error.code !== 'not_found'))
    return undefined;
  return { code: error.code, message: error.message, line: null, column: null, raw: null, reason: null };
}

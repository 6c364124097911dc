import { AppError, notFound, ValidationError } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import type { ProcessDeps } from '../../../data/processes/processes.ts';
import { type FileFormat, formatOf, type ReadOptions } from '../../../packages/file-reader/index.ts';
import { refuseUnlessWritable } from '../../tables/tables/grants.ts';
import {
  findTableByName,
  forgetTable,
  lockTable,
  nameTaken,
  reserveTable,
  type TableRow,
} from '../../tables/tables/registry.ts';
import { getFile } from '../../workspace/files/files.ts';
import { getOpenProject } from '../../workspace/projects/projects.ts';
import { startRun } from '../../workspace/runs/kind.ts';
import { importProcess, importRuns } from './process.ts';
import { refuseBadOptions } from './request-faults.ts';
import { deleteTableImport, insertTableImport, type TableImport } from './table-imports.ts';

export interface ImportRequest {
  organizationId: string;
  callerId: string;
  /** Request data stored in the workflow's memo. */
  memo: Record<string, string>;
  projectId: string;
  fileId: string;
  /** Ids for the rows that the request creates. */
  importId: string;
  newTableId: string;
  tableName: string | undefined;
  tableId: string | undefined;
  mode: TableImport['mode'];
  format: FileFormat | undefined;
  onBadRow: 'fail' | 'quarantine';
  options: ReadOptions;
}

/**
 * Starts an import: its row, the reservation of a new table's name and the outbox entry are one commit; then
 * the process is started. If workflows are unavailable, the commit is undone.
 */
export async function startTableImport(deps: ProcessDeps, request: ImportRequest): Promise<TableImport> {
  const { organizationId, importId, memo } = request;
  const { row } = await startRun(deps, importRuns, {
    ...{ organizationId, runId: importId, memo },
    make: (db) => insertImport(db, request),
    undo: async (db) => {
      await deleteTableImport(db, organizationId, importId);
      await forgetTable(db, organizationId, request.newTableId, 'creating');
    },
  });
  return row;
}

async function insertImport(db: OrganizationTransaction, request: ImportRequest): Promise<TableImport> {
  const { organizationId, projectId } = request;
  await getOpenProject(db, organizationId, projectId);
  const file = await getFile(db, organizationId, request.fileId, projectId);
  const format = request.format ?? formatByName(file.path);
  refuseBadOptions(request.options, format);
  const table = await targetTable(db, request);
  const row = {
    organization_id: organizationId,
    id: request.importId,
    project_id: projectId,
    file_id: file.id,
    object_key: file.object_key,
    file_path: file.path,
    size_bytes: file.size_bytes,
    table_id: table.id,
    table_name: table.name,
    mode: request.mode,
    format,
    options: JSON.stringify({ ...request.options, onBadRow: request.onBadRow }),
    created_by: request.callerId,
  };
  return insertTableImport(db, row, importProcess.workflowId(row.id));
}

/** The existing table to fill, or the reservation of a new one. */
async function targetTable(db: OrganizationTransaction, request: ImportRequest): Promise<TableRow> {
  const { organizationId } = request;
  if (request.tableId !== undefined)
    return fillable(await lockTable(db, organizationId, request.tableId), request.mode);
  const name = request.tableName!;
  const existing = await findTableByName(db, organizationId, name);
  if (existing !== undefined && request.mode === 'create') throw nameTaken(name);
  if (existing !== undefined) {
    fillable(existing, request.mode);
    return fillable(await lockTable(db, organizationId, existing.id), request.mode);
  }
  if (request.mode === 'append') throw notFound('The table');
  return reserveTable(db, {
    organization_id: organizationId,
    id: request.newTableId,
    name,
    kind: 'import',
    project_id: request.projectId,
  });
}

function fillable(table: TableRow, mode: TableImport['mode']): TableRow {
  refuseUnlessWritable(table);
  const isOfKind = table.kind === 'import' || (mode === 'append' && table.kind === 'data');
  if (isOfKind && table.status === 'ready') return table;
  throw new AppError(
    'conflict',
    isOfKind
      ? `The table ${table.name} is being created or deleted. Try again when that has ended.`
      : `The table ${table.name} is of the kind ${table.kind}; an import ${mode === 'append' ? 'adds to imported and data tables' : 'replaces imported tables'} only.`,
  );
}

export function formatByName(path: string): FileFormat {
  const format = formatOf(path);
  if (format !== undefined) return format;
  const msg = `The service can't tell the format from the name ${path}. Set format.`;
  throw new ValidationError([{ loc: ['body', 'format'], msg, type: 'missing' }]);
}

/** The same for a preview, whose format is only known from the file's name. */
export function previewFormat(path: string): FileFormat {
  const format = formatOf(path);
  if (format !== undefined) return format;
  throw new AppError(
    'invalid_request',
    `The service can't tell the format of the file from the name ${path}. You can preview csv, parquet, json, ndjson and xlsx files.`,
  );
}

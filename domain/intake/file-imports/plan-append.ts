import { AppError, ValidationError } from '../../../data/errors.ts';
import type { LakeDeps } from '../../../data/lake/commit.ts';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import { loadDateColumn, type ReadOptions } from '../../../packages/file-reader/index.ts';
import { findPhysicalTable } from '../../tables/tables/columns.ts';
import { findTableByName, getTable, type TableRow, uniqueKeysOf } from '../../tables/tables/registry.ts';
import { getFile } from '../../workspace/files/files.ts';
import { type AppendTarget, fittingMappings, mappingsByName } from './append-mappings.ts';
import type { FileReader } from './reader.ts';
import { refuseBadOptions } from './request-faults.ts';
import { formatByName, type ImportRequest } from './start.ts';

export interface PlanAppendDeps {
  db: Database;
  lake: Pick<LakeDeps, 'catalog' | 'catalogPool'>;
  files: Pick<FileReader, 'preview'>;
}

/**
 * Options for appending a file to an existing table. The file's columns are previewed, so that a request
 * whose columns do not match is rejected with the differences.
 *
 * @throws ValidationError naming what differs; AppError not_found, conflict
 */
export async function planAppend(
  deps: PlanAppendDeps,
  request: Pick<
    ImportRequest,
    'organizationId' | 'projectId' | 'fileId' | 'tableId' | 'tableName' | 'format' | 'onBadRow' | 'options'
  >,
  signal: AbortSignal,
): Promise<ReadOptions> {
  const { organizationId, options } = request;
  const { table, file } = await inOrganization(deps.db, organizationId, async (db) => ({
    file: await getFile(db, organizationId, request.fileId, request.projectId),
    table:
      request.tableId === undefined
        ? await findTableByName(db, organizationId, request.tableName!)
        : await getTable(db, organizationId, request.tableId),
  }));
  if (table === undefined) throw fault('table_name', 'There is no table with this name to append to.');
  const format = request.format ?? formatByName(file.path);
  refuseBadOptions(options, format);
  const target = await targetOf(deps, table);
  if (target.kind === 'data' && request.onBadRow === 'quarantine')
    throw fault(
      'on_bad_row',
      'An import into a data table cannot skip bad rows. Omit on_bad_row, or set it to fail.',
    );
  if (options.includeLoadDate !== target.columns.some(({ name }) => name === loadDateColumn))
    throw fault(
      'include_load_date',
      `The table has ${options.includeLoadDate ? 'no' : 'a'} column ${loadDateColumn}.`,
    );
  if (options.columnMappings !== undefined)
    return { ...options, columnMappings: fittingMappings(target, options.columnMappings) };
  const source = { key: file.object_key, sizeBytes: file.size_bytes, format };
  const page = { pageNumber: 1, pageSize: 1 };
  const { columns } = await deps.files.preview(organizationId, { source, options, page }, signal);
  return { ...options, columnMappings: mappingsByName(target, columns) };
}

async function targetOf({ lake }: PlanAppendDeps, table: TableRow): Promise<AppendTarget> {
  const { kind } = table;
  if (kind !== 'data' && kind !== 'import')
    throw new AppError(
      'conflict',
      `The table ${table.name} has the kind ${kind}. You can't import files into such a table.`,
    );
  const { schema } = await lake.catalog.get(table.organization_id);
  const physical = await findPhysicalTable(lake.catalogPool, schema, table.name);
  if (physical === undefined)
    throw new AppError(
      'conflict',
      `The table ${table.name} is being created or deleted. Try again when that has ended.`,
    );
  const keys = uniqueKeysOf(table);
  const columns = physical.columns.map((column) =>
    keys.includes(column.name) ? { ...column, nullable: false } : column,
  );
  return { kind, columns };
}

const fault = (field: string, msg: string) =>
  new ValidationError([{ loc: ['body', field], msg, type: 'value_error' }]);

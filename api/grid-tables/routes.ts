import { AppError, notFound } from '../../data/errors.ts';
import { inOrganization } from '../../data/postgres/client.ts';
import { findPhysicalTable, type LakeColumn, physicalTables } from '../../domain/tables/columns.ts';
import { addColumn, changeColumn } from '../../domain/tables/columns-change.ts';
import { createDataTable } from '../../domain/tables/lifecycle.ts';
import { getTable, type TableRow } from '../../domain/tables/tables.ts';
import { callerOf, idFor } from '../caller.ts';
import type { ApiDeps, Routes } from '../deps.ts';
import { envelope } from '../schemas.ts';
import { tableParams } from '../tables/schemas.ts';
import {
  addColumnBody,
  changeColumnBody,
  columnParams,
  createGridTableBody,
  gridTableSchema,
  normalType,
} from './schemas.ts';

export function gridTablesRoutes(app: Routes, deps: ApiDeps): void {
  const tags = ['Grid'];
  const exists = (organizationId: string, params: Record<string, string>) =>
    inOrganization(deps.db, organizationId, (db) => getTable(db, organizationId, params['table_id']!));
  const columnExists = async (organizationId: string, params: Record<string, string>) => {
    const { name } = await exists(organizationId, params);
    const { schema } = await deps.lake.catalog.get(organizationId);
    const physical = await findPhysicalTable(deps.lake.catalogPool, schema, name);
    if (!physical?.columns.some((column) => column.name.toLowerCase() === params['name']!.toLowerCase()))
      throw notFound('The column');
  };

  app.post(
    '/v1/grid/tables',
    {
      schema: {
        tags,
        summary: 'Create a grid table',
        description:
          'kind=data: an empty table that takes rows at once, with an integer key `s_id` that the caller supplies and an automatic `_sm_created_at`. A column without `data_type` takes the type of its first value. kind=calc is not available yet.',
        body: createGridTableBody,
        response: { 201: envelope(gridTableSchema) },
      },
      config: { scope: 'agent:write', errors: ['unsupported_option', 'name_taken'] },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const { body } = request;
      if (body.kind === 'calc') {
        throw new AppError(
          'unsupported_option',
          'Calculated tables (kind=calc) are not available yet; kind=data is.',
        );
      }
      const table = await createDataTable(deps, {
        organizationId: caller.organizationId,
        id: idFor(request, 'tbl'),
        name: body.name,
        columns: body.columns!.map((column) => newColumn(column)),
        keyColumns: body.key_columns ?? [],
        ownerUserId: caller.kind === 'user' ? caller.id : null,
        committedBy: caller.id,
      });
      return reply
        .code(201)
        .header('Location', `/v1/tables/${table.id}`)
        .send({ data: await gridTable(deps, table) });
    },
  );

  app.post(
    '/v1/grid/tables/:table_id/columns',
    {
      schema: {
        tags,
        summary: 'Add a column',
        params: tableParams,
        body: addColumnBody,
        response: { 201: envelope(gridTableSchema) },
      },
      config: {
        scope: 'agent:write',
        exists,
        errors: ['name_taken', 'not_appendable', 'conflict'],
      },
    },
    async (request, reply) => {
      const { table, change } = await changing(request);
      await addColumn(deps, change, newColumn(request.body));
      return reply.code(201).send({ data: await gridTable(deps, table) });
    },
  );

  app.patch(
    '/v1/grid/tables/:table_id/columns/:name',
    {
      schema: {
        tags,
        summary: 'Rename, retype or make nullable a column',
        description:
          'A retype must lose nothing, unless `cast` is true; rows that stand in the way are named (409, member `rows`). The columns of an imported table can be retyped and made nullable, until it is imported anew.',
        params: columnParams,
        body: changeColumnBody,
        response: { 200: envelope(gridTableSchema) },
      },
      config: {
        scope: 'agent:write',
        exists: columnExists,
        errors: ['name_taken', 'not_appendable', 'conflict'],
      },
    },
    async (request) => {
      const { table, change } = await changing(request, ['data', 'import']);
      if (table.kind === 'import' && request.body.name !== undefined)
        throw new AppError('conflict', 'The columns of an imported table keep the names of its import.');
      if (['s_id', '_sm_created_at'].includes(request.params.name.toLowerCase())) {
        throw new AppError('conflict', 'The automatic columns cannot be changed.');
      }
      const { name, data_type: wanted, cast, nullable } = request.body;
      const dataType = wanted === undefined ? undefined : normalType(wanted);
      await changeColumn(deps, change, request.params.name, { name, dataType, cast, nullable });
      const renamed = await inOrganization(deps.db, table.organization_id, (db) =>
        getTable(db, table.organization_id, table.id),
      );
      return { data: await gridTable(deps, renamed) };
    },
  );

  async function changing(
    request: Parameters<typeof callerOf>[0] & { params: { table_id: string } },
    kinds: readonly string[] = ['data'],
  ) {
    const caller = callerOf(request);
    const { organizationId } = caller;
    const table = await inOrganization(deps.db, organizationId, (db) =>
      getTable(db, organizationId, request.params.table_id),
    );
    if (!kinds.includes(table.kind) || table.quarantine_of !== null) {
      throw new AppError(
        'not_appendable',
        'The columns of a data table can be changed, and the types of an imported one.',
      );
    }
    return { table, change: { table, operationId: idFor(request, 'opr'), committedBy: caller.id } };
  }
}

function newColumn(column: { name: string; nullable: boolean; data_type?: string | undefined }): LakeColumn {
  const { name, nullable, data_type: dataType } = column;
  return dataType === undefined
    ? { name, nullable, dataType: 'STRING', typing: 'undetermined' }
    : { name, nullable, dataType: normalType(dataType), typing: 'declared' };
}

async function gridTable(deps: ApiDeps, table: TableRow) {
  const lake = await deps.lake.catalog.get(table.organization_id);
  const physical = (await physicalTables(deps.lake.catalogPool, lake.schema, table.name))
    .values()
    .next().value;
  return {
    tableId: table.id,
    name: table.name,
    kind: table.kind as 'data' | 'import',
    status: 'fresh' as const,
    columns: (physical?.columns ?? []).map(({ name, dataType, nullable }) => ({ name, dataType, nullable })),
    keyColumns: table.key_columns,
  };
}

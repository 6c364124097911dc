import { AppError, notFound } from '../../../data/errors.ts';
import {
  changeCalculatedTable,
  createCalculatedTable,
} from '../../../domain/tables/calculated-tables/calculated-tables.ts';
import { followPendingRenames } from '../../../domain/tables/definition-analyses/renames.ts';
import { findPhysicalTable, type LakeColumn } from '../../../domain/tables/tables/columns.ts';
import { addColumn, changeColumn, dropColumn } from '../../../domain/tables/tables/columns-change.ts';
import { setKeyEnforced } from '../../../domain/tables/tables/enforce-key.ts';
import { automaticColumns, createDataTable } from '../../../domain/tables/tables/lifecycle.ts';
import { getTable, type TableKind, type TableRow } from '../../../domain/tables/tables/registry.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { type Call, type Load, route } from '../../route.ts';
import { confirmQuery } from '../../schemas.ts';
import { addColumnBody, changeColumnBody } from './column-schemas.ts';
import { gridTable } from './records.ts';
import { changeGridTableBody, createGridTableBody, normalType, oneGridTable, refreshOf } from './schemas.ts';

export function gridTablesRoutes(app: Routes, deps: ApiDeps): void {
  const at = {
    db: deps.db,
    tag: {
      name: 'Grid',
      description: 'Create tables and change their columns, and keep calculated tables up to date.',
    },
  };
  const exists: Load<'/:table_id', TableRow> = (db, organizationId, { table_id: id }) =>
    getTable(db, organizationId, id);

  const existsInGrid: Load<'/:table_id', TableRow> = async (...found) => {
    const table = await exists(...found);
    if (gridKinds.includes(table.kind)) return table;
    throw notFound('The grid table');
  };

  /** A column of a table whose columns can be changed. */
  const columnExists: Load<'/:table_id/:name', void> = async (db, organizationId, params, caller) => {
    const { name } = await exists(db, organizationId, params, caller);
    const { schema } = await deps.lake.catalog.get(organizationId);
    const physical = await findPhysicalTable(deps.lake.catalogPool, schema, name);
    if (!physical?.columns.some((column) => column.name.toLowerCase() === params.name.toLowerCase()))
      throw notFound('The column');
  };

  route(
    app,
    at,
    ['POST', '/v1/grid/tables'],
    {
      summary: 'Create a grid table',
      audit: 'table.created',
      description:
        '`kind=data` creates an empty table that accepts rows at once. It has an integer key `s_id`, which you supply, and an automatic column `_sm_created_at`. A column without `data_type` gets the type of its first value. `kind=calc` checks the query and stores it; errors in it are reported at `["body", "query"]`. The table is empty until it is materialized.',
      body: createGridTableBody,
      errors: ['name_taken', 'conflict', 'queries_saturated'],
    },
    { 201: oneGridTable },
    async ({ organizationId, caller, body, newId, reply }) => {
      if (body.kind === 'calc') {
        const { row } = await createCalculatedTable(deps, {
          organizationId,
          id: newId('tbl'),
          name: body.name,
          query: body.query!,
          refresh: { mode: 'manual', minIntervalSeconds: 60, ...refreshOf(body.refresh) },
          projectId: body.project_id ?? null,
          definerId: caller.id,
        });
        reply.header('Location', `/v1/grid/tables/${row.id}`);
        return { data: await gridTable(deps, row) };
      }
      const table = await createDataTable(deps, {
        organizationId,
        id: newId('tbl'),
        name: body.name,
        columns: body.columns!.map((column) => newColumn(column)),
        keyColumns: body.key_columns ?? [],
        keyEnforced: body.key_enforced ?? true,
        ownerUserId: caller.kind === 'user' ? caller.id : null,
        committedBy: caller.id,
      });
      reply.header('Location', `/v1/tables/${table.id}`);
      return { data: await gridTable(deps, table) };
    },
  );

  route(
    app,
    at,
    ['GET', '/v1/grid/tables/:table_id'],
    { summary: 'Show a grid table', exists: existsInGrid },
    { 200: oneGridTable },
    async ({ organizationId, caller, params, transaction }) => ({
      data: await gridTable(
        deps,
        await transaction((db) => existsInGrid(db, organizationId, params, caller)),
      ),
    }),
  );

  route(
    app,
    at,
    ['PATCH', '/v1/grid/tables/:table_id'],
    {
      summary: 'Change a grid table',
      audit: 'table.updated',
      description:
        'You can change a calculated table, or whether a data table enforces its key. A calculated table with a new query is stale; its old content stays readable until the next build. Before keys are enforced, the service checks the existing rows. If several rows share a key, the response is 409 and `keys` lists those keys.',
      exists: existsInGrid,
      body: changeGridTableBody,
      errors: ['not_appendable', 'conflict', 'revision_conflict', 'queries_saturated'],
    },
    { 200: oneGridTable },
    async ({ organizationId, caller, params, body }) => {
      const tableId = params.table_id;
      if (body.key_enforced !== undefined) {
        const isEnforced = body.key_enforced;
        return {
          data: await gridTable(deps, await setKeyEnforced(deps, { organizationId, tableId, isEnforced })),
        };
      }
      const { row } = await changeCalculatedTable(deps, {
        organizationId,
        id: tableId,
        callerId: caller.id,
        query: body.query,
        refresh: refreshOf(body.refresh),
        expectedRevision: body.expected_revision,
      });
      return { data: await gridTable(deps, row) };
    },
  );

  route(
    app,
    at,
    ['POST', '/v1/grid/tables/:table_id/columns'],
    {
      summary: 'Add a column',
      audit: 'table.column_added',
      exists,
      body: addColumnBody,
      errors: ['name_taken', 'not_appendable', 'conflict'],
    },
    { 201: oneGridTable },
    async (call) => {
      const { table, change } = await changing(call);
      await addColumn(deps, change, newColumn(call.body));
      return { data: await gridTable(deps, table) };
    },
  );

  route(
    app,
    at,
    ['PATCH', '/v1/grid/tables/:table_id/columns/:name'],
    {
      summary: 'Change a column',
      audit: 'table.column_changed',
      description:
        "Renames a column, changes its type, or makes it nullable. A new type must not lose anything, unless `cast` is true. Otherwise the response is 409 and `rows` lists the rows that prevent it. You can change the type of an imported table's columns and make them nullable; the next import that replaces the table resets them.",
      exists: columnExists,
      body: changeColumnBody,
      errors: ['name_taken', 'not_appendable', 'conflict'],
    },
    { 200: oneGridTable },
    async (call) => {
      const { params, body, organizationId, transaction } = call;
      const { table, change } = await changing(call, ['data', 'import']);
      if (table.kind === 'import' && body.name !== undefined)
        throw new AppError(
          'conflict',
          "You can't rename the columns of an imported table. They keep the names of the import.",
        );
      refuseAutomatic(params.name);
      const { name, data_type: wanted, cast, nullable } = body;
      const dataType = wanted === undefined ? undefined : normalType(wanted);
      await changeColumn(deps, change, params.name, { name, dataType, cast, nullable });
      // Definitions that could not be rewritten now are when they are next looked at.
      if (name !== undefined)
        await followPendingRenames(deps, organizationId).catch((err: unknown) =>
          deps.logger.warn({ err }, 'renamed columns will be followed later'),
        );
      const renamed = await transaction((db) => getTable(db, organizationId, table.id));
      return { data: await gridTable(deps, renamed) };
    },
  );

  route(
    app,
    at,
    ['DELETE', '/v1/grid/tables/:table_id/columns/:name'],
    {
      summary: 'Delete a column',
      audit: 'table.column_dropped',
      description:
        "Older versions of the table keep the column. You can't delete a column that is part of a key of the table or of one of its data syncs (409, with `dependents`).",
      exists: columnExists,
      query: confirmQuery,
      errors: ['not_appendable', 'conflict'],
    },
    { 200: oneGridTable },
    async (call) => {
      const { table, change } = await changing(call);
      refuseAutomatic(call.params.name);
      await dropColumn(deps, change, call.params.name);
      return { data: await gridTable(deps, table) };
    },
  );
}

/** Kinds of tables shown by the grid. */
const gridKinds: readonly TableKind[] = ['data', 'calc', 'import'];

function refuseAutomatic(column: string): void {
  if (automaticColumns.some(({ name }) => name === column.toLowerCase()))
    throw new AppError('conflict', "The automatic columns can't be changed or deleted.");
}

/** The table whose columns a request changes, and the caller. */
async function changing(
  { organizationId, caller, params, newId, transaction }: Call<'/:table_id'>,
  kinds: readonly string[] = ['data'],
) {
  const table = await transaction((db) => getTable(db, organizationId, params.table_id));
  if (!kinds.includes(table.kind) || table.quarantine_of !== null) {
    throw new AppError(
      'not_appendable',
      'You can change only the columns of a data table, and the column types of an imported table.',
    );
  }
  return { table, change: { table, operationId: newId('opr'), committedBy: caller.id } };
}

function newColumn(column: { name: string; nullable: boolean; data_type?: string | undefined }): LakeColumn {
  const { name, nullable, data_type: dataType } = column;
  return dataType === undefined
    ? { name, nullable, dataType: 'STRING', typing: 'undetermined' }
    : { name, nullable, dataType: normalType(dataType), typing: 'declared' };
}

import { z } from 'zod';
import { AppError } from '../../../data/errors.ts';
import { listVersions } from '../../../data/lake/ledger.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import { dropTable } from '../../../domain/tables/tables/lifecycle.ts';
import { getTable, isInLake, listTables, lockTable } from '../../../domain/tables/tables/registry.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { type Load, route } from '../../route.ts';
import { confirmQuery, decodeCursor, type ListRequest, page, pageQuery, toPage } from '../../schemas.ts';
import { catalogQuery, changeCatalog, updateCatalogBody } from '../catalog.ts';
import { catalogFacts, catalogView, describeTables, type KnownTable, tableView } from './records.ts';
import {
  catalogExample,
  listCatalogQuery,
  listOfCatalog,
  listOfTables,
  listTablesQuery,
  oneCatalog,
  oneTable,
  tableExample,
  versionExample,
  versionSchema,
} from './schemas.ts';

export function tablesRoutes(app: Routes, deps: ApiDeps): void {
  const at = {
    db: deps.db,
    tag: {
      name: 'Tables',
      description: 'Read table metadata, catalog and profiles, and append or upsert rows.',
    },
  };
  const exists: Load<'/:table_id'> = (db, organizationId, { table_id: id }) =>
    getTable(db, organizationId, id);

  async function known(organizationId: string, tableId: string): Promise<KnownTable> {
    const row = await inOrganization(deps.db, organizationId, (db) => getTable(db, organizationId, tableId));
    return (await describeTables(deps, organizationId, [row]))[0]!;
  }

  /** System tables have no catalog metadata; catalog routes answer 404 for them. */
  async function knownInCatalog(organizationId: string, tableId: string): Promise<KnownTable> {
    const table = await known(organizationId, tableId);
    if (table.physical === undefined) throw new AppError('not_found', 'The table has no catalog metadata.');
    return table;
  }

  route(
    app,
    at,
    ['GET', '/v1/tables'],
    {
      summary: 'List tables',
      description:
        "Returns every table of the organization. The list isn't paginated; `total` is the number of tables. System tables are listed, but you can't query them.",
      query: listTablesQuery,
    },
    { 200: listOfTables.meta({ examples: [{ tables: [tableExample], total: 1 }] }) },
    async ({ organizationId, query, transaction }) => {
      const { project_id: projectId } = query;
      const rows = await transaction((db) =>
        listTables(db, organizationId, projectId === undefined ? {} : { projectId }),
      );
      const tables = (await describeTables(deps, organizationId, rows)).map(tableView);
      return { tables, total: tables.length };
    },
  );

  route(
    app,
    at,
    ['GET', '/v1/tables/catalog'],
    {
      summary: 'List the catalog metadata of tables',
      operationId: 'listTableCatalogs',
      description:
        "Returns the tables that have catalog metadata. The list isn't paginated. `project_id` is accepted and ignored, because tables belong to the organization.",
      query: listCatalogQuery,
    },
    { 200: listOfCatalog.meta({ examples: [{ tables: [catalogExample], total: 1 }] }) },
    async ({ organizationId, query, transaction }) => {
      const { compact, modeling_tier: tier } = query;
      const rows = await transaction((db) => listTables(db, organizationId));
      const wanted = rows.filter((row) => tier === undefined || row.modeling_tier === tier);
      const facts = await transaction((db) =>
        catalogFacts(
          db,
          organizationId,
          wanted.map(({ id }) => id),
        ),
      );
      const tables = (await describeTables(deps, organizationId, wanted))
        .filter(({ physical }) => physical !== undefined)
        .map((table) => catalogView(table, facts, compact === 'true'));
      return { tables, total: tables.length };
    },
  );

  route(
    app,
    at,
    ['GET', '/v1/tables/:table_id'],
    { summary: 'Show a table', exists },
    { 200: oneTable },
    async ({ organizationId, params }) => ({ data: tableView(await known(organizationId, params.table_id)) }),
  );

  route(
    app,
    at,
    ['DELETE', '/v1/tables/:table_id'],
    {
      summary: 'Delete a table and its rows',
      audit: 'table.deleted',
      exists,
      query: confirmQuery,
      errors: ['conflict'],
    },
    { 200: oneTable },
    async ({ organizationId, params, caller }) => {
      const table = await known(organizationId, params.table_id);
      await dropTable(deps, organizationId, table.row.id, caller.id);
      return { data: { ...tableView(table), queryable: false, appendable: false } };
    },
  );

  route(
    app,
    at,
    ['GET', '/v1/tables/:table_id/catalog'],
    { summary: 'Show the catalog metadata of a table', exists, query: catalogQuery },
    { 200: oneCatalog },
    async ({ organizationId, params, query, transaction }) => {
      const table = await knownInCatalog(organizationId, params.table_id);
      const facts = await transaction((db) => catalogFacts(db, organizationId, [table.row.id]));
      return { data: catalogView(table, facts, query.compact === 'true') };
    },
  );

  route(
    app,
    at,
    ['PATCH', '/v1/tables/:table_id/catalog'],
    {
      summary: 'Change the catalog metadata of a table',
      audit: 'table.described',
      description:
        'Fields that you omit keep their values. `columns` changes only the notes of the columns that you list.',
      exists,
      body: updateCatalogBody,
    },
    { 200: oneCatalog },
    async ({ organizationId, params, body, transaction }) => {
      const table = await knownInCatalog(organizationId, params.table_id);
      const row = await transaction(async (db) => {
        const locked = await lockTable(db, organizationId, table.row.id);
        return changeCatalog(db, locked, table.physical?.columns ?? [], body);
      });
      const facts = await transaction((db) => catalogFacts(db, organizationId, [row.id]));
      return { data: catalogView({ ...table, row }, facts, false) };
    },
  );

  route(
    app,
    at,
    ['GET', '/v1/tables/:table_id/versions'],
    {
      summary: 'List the versions of a table, newest first',
      description:
        'A version is a snapshot number of the lake. Use it in `at_versions` of a query and in `version` of the rows.',
      exists,
      query: pageQuery,
    },
    { 200: page(versionSchema).meta({ examples: [{ items: [versionExample], nextCursor: null }] }) },
    async ({ organizationId, params, query, request }) => {
      const { row } = await known(organizationId, params.table_id);
      const list = request as ListRequest;
      const before = decodeCursor(z.int(), list);
      if (!isInLake(row)) return { items: [], nextCursor: null };
      const lake = await deps.lake.catalog.get(organizationId);
      const versions = await listVersions(
        deps.lake.catalogPool,
        lake.schema,
        row.id,
        before,
        query.limit + 1,
      );
      return toPage(
        list,
        versions,
        ({ version }) => version,
        (version) => ({ ...version, committedAt: version.committedAt.toISOString() }),
      );
    },
  );
}

import { identifier } from '../../../data/lake/sql.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import { currentDefinitions } from '../../../domain/tables/definition-analyses/analyses.ts';
import { lineageSummary, relationRefs } from '../../../domain/tables/derived-relations/describe.ts';
import { loadGraph } from '../../../domain/tables/derived-relations/graph.ts';
import { revisionOf } from '../../../domain/tables/derived-relations/revisions.ts';
import {
  changeView,
  createView,
  dropView,
  getView,
  listViews,
  type View,
} from '../../../domain/tables/views/views.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { type Load, route } from '../../route.ts';
import { confirmQuery } from '../../schemas.ts';
import { catalogQuery, changeCatalog, notedColumns, updateCatalogBody } from '../catalog.ts';
import {
  changeViewBody,
  createViewBody,
  listOfViewCatalog,
  listOfViews,
  listViewCatalogQuery,
  listViewsQuery,
  oneView,
  oneViewCatalog,
} from './schemas.ts';

/** Saved SELECTs, which can be read like tables. */
export function viewsRoutes(app: Routes, deps: ApiDeps): void {
  const at = {
    db: deps.db,
    tag: {
      name: 'Views',
      description: 'Save SELECTs that can be used like tables, with their metadata, catalog and lineage.',
    },
  };
  const path = '/v1/views/:view_id';
  const exists: Load<'/:view_id', View> = (db, organizationId, { view_id: id }) =>
    getView(db, organizationId, id);

  route(
    app,
    at,
    ['GET', '/v1/views'],
    {
      summary: 'List views',
      description:
        "Returns every view of the organization. The list isn't paginated; `total` is the number of views.",
      query: listViewsQuery,
    },
    { 200: listOfViews },
    async ({ organizationId, query: { project_id: projectId }, transaction }) => {
      const all = await transaction((db) => listViews(db, organizationId));
      const wanted = all.filter(({ row }) => projectId === undefined || row.project_id === projectId);
      const views = (await describeViews(deps, organizationId, wanted)).map(viewOf);
      return { views, total: views.length };
    },
  );

  route(
    app,
    at,
    ['POST', '/v1/views'],
    {
      summary: 'Create a view',
      audit: 'view.created',
      description:
        'The service checks the query like a query execution and stores it as you wrote it. Errors in it are reported at `["body", "query"]`. Everyone who reads the view reads with the rights of the person who defined it.',
      body: createViewBody,
      errors: ['name_taken', 'conflict', 'queries_saturated'],
    },
    { 201: oneView },
    async ({ organizationId, caller, body, newId, reply }) => {
      const view = await createView(deps, {
        organizationId,
        id: newId('viw'),
        name: body.name,
        query: body.query,
        description: body.description,
        projectId: body.project_id ?? null,
        definerId: caller.id,
      });
      reply.header('Location', `/v1/views/${view.row.id}`);
      return { data: await shown(deps, organizationId, view) };
    },
  );

  route(
    app,
    at,
    ['GET', '/v1/views/catalog'],
    {
      summary: 'List the catalog metadata of views',
      operationId: 'listViewCatalogs',
      query: listViewCatalogQuery,
    },
    { 200: listOfViewCatalog },
    async ({ organizationId, query, transaction }) => {
      const { compact, modeling_tier: tier } = query;
      const all = await transaction((db) => listViews(db, organizationId));
      const wanted = all.filter(({ row }) => tier === undefined || row.modeling_tier === tier);
      const described = await describeViews(deps, organizationId, wanted);
      const views = described.map((view) => catalogOf(view, compact === 'true'));
      return { views, total: views.length };
    },
  );

  route(
    app,
    at,
    ['GET', path],
    { summary: 'Show a view', exists },
    { 200: oneView },
    async ({ organizationId, params, transaction }) => {
      const view = await transaction((db) => getView(db, organizationId, params.view_id));
      return { data: await shown(deps, organizationId, view) };
    },
  );

  route(
    app,
    at,
    ['PATCH', path],
    {
      summary: 'Change a view',
      audit: 'view.updated',
      description:
        'A new name is also changed in the queries that use the view. A new query uses the rights of the person who writes it.',
      exists,
      body: changeViewBody,
      errors: ['name_taken', 'revision_conflict', 'conflict', 'queries_saturated'],
    },
    { 200: oneView },
    async ({ organizationId, caller, params, body }) => {
      const view = await changeView(deps, {
        organizationId,
        id: params.view_id,
        callerId: caller.id,
        name: body.name,
        query: body.query,
        description: body.description,
        expectedRevision: body.expected_revision,
      });
      return { data: await shown(deps, organizationId, view) };
    },
  );

  route(
    app,
    at,
    ['DELETE', path],
    {
      summary: 'Delete a view',
      audit: 'view.deleted',
      description: 'If other things read the view, the response is 409 with `dependents`.',
      exists,
      query: confirmQuery,
      errors: ['conflict'],
    },
    { 200: oneView },
    async ({ organizationId, params, transaction }) => {
      const view = await transaction((db) => getView(db, organizationId, params.view_id));
      const before = await shown(deps, organizationId, view);
      await dropView(deps, organizationId, params.view_id);
      return { data: before };
    },
  );

  route(
    app,
    at,
    ['GET', `${path}/catalog`],
    { summary: 'Show the catalog metadata of a view', exists, query: catalogQuery },
    { 200: oneViewCatalog },
    async ({ organizationId, params, query, transaction }) => {
      const view = await transaction((db) => getView(db, organizationId, params.view_id));
      const [described] = await describeViews(deps, organizationId, [view]);
      return { data: catalogOf(described!, query.compact === 'true') };
    },
  );

  route(
    app,
    at,
    ['PATCH', `${path}/catalog`],
    {
      summary: 'Change the catalog metadata of a view',
      audit: 'view.described',
      description:
        'Fields that you omit keep their values. `columns` changes only the notes of the columns that you list.',
      exists,
      body: updateCatalogBody,
    },
    { 200: oneViewCatalog },
    async ({ organizationId, params, body, transaction }) => {
      const view = await transaction((db) => getView(db, organizationId, params.view_id));
      const [described] = await describeViews(deps, organizationId, [view]);
      const row = await transaction(async (db) => {
        const { row: now } = await getView(db, organizationId, params.view_id);
        return changeCatalog(db, now, described!.columns, body);
      });
      return { data: catalogOf({ ...described!, row }, false) };
    },
  );
}

/** A view with what is found out about it at each look. */
interface DescribedView extends View {
  columns: { name: string; dataType: string; nullable: boolean }[];
  error: { code: string; message: string } | null;
  dependsOn: { id: string; kind: 'table' | 'view'; name: string }[];
  lineage: { upstream: number; downstream: number };
}

async function describeViews(
  deps: ApiDeps,
  organizationId: string,
  views: readonly View[],
): Promise<DescribedView[]> {
  if (views.length === 0) return [];
  const ids = views.map(({ row }) => row.id);
  const { analyzed, defined } = await currentDefinitions(deps, organizationId, ids);
  return inOrganization(deps.db, organizationId, async (db) => {
    const graph = await loadGraph(db, organizationId);
    const refs = await relationRefs(db, organizationId, [...new Set(ids.flatMap(graph.reads))]);
    return views.map(({ row, definition }) => {
      const found = analyzed.get(row.id);
      const isBroken = found === undefined || 'failure' in found;
      return {
        row,
        // A renamed column may just have been followed in it.
        definition: defined.get(row.id) ?? definition,
        columns: isBroken ? [] : found.columns.map((column) => ({ ...column, nullable: true })),
        error: found !== undefined && 'failure' in found ? found.failure : null,
        dependsOn: graph.reads(row.id).flatMap((id) => refs.get(id) ?? []),
        lineage: lineageSummary(graph, row.id),
      };
    });
  });
}

async function shown(deps: ApiDeps, organizationId: string, view: View) {
  return viewOf((await describeViews(deps, organizationId, [view]))[0]!);
}

function viewOf({ row, definition, columns, error, dependsOn }: DescribedView) {
  return {
    id: row.id,
    name: row.name,
    qualifiedName: `lake.main.${identifier(row.name)}`,
    query: definition.query,
    columns,
    projectId: row.project_id,
    description: row.description,
    dependsOn,
    status: error === null ? ('valid' as const) : ('broken' as const),
    error,
    definedByUserId: definition.defined_by,
    revision: revisionOf(definition),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

function catalogOf({ row, columns, lineage }: DescribedView, compact: boolean) {
  return {
    viewId: row.id,
    name: row.name,
    qualifiedName: `lake.main.${identifier(row.name)}`,
    description: row.description,
    ownerUserId: row.owner_user_id,
    ...(compact ? {} : { semantics: row.semantics as Record<string, unknown> }),
    modelingTier: row.modeling_tier,
    columns: notedColumns(row, columns, compact),
    lineage,
    rowCount: null,
    updatedAt: row.updated_at.toISOString(),
  };
}

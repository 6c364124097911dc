import { z } from 'zod';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import {
  deleteDashboard,
  getDashboard,
  insertDashboard,
  listDashboards,
  reviseDashboard,
} from '../../../domain/publishing/dashboards/dashboards.ts';
import { dashboardData } from '../../../domain/publishing/dashboards/data.ts';
import { dashboardPdf } from '../../../domain/publishing/dashboards/document.ts';
import { dashboardSvg } from '../../../domain/publishing/dashboards/picture.ts';
import { shownTiles } from '../../../domain/publishing/dashboards/shown.ts';
import { getProject } from '../../../domain/workspace/projects/projects.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { attachment, clientGone, sendText } from '../../reply.ts';
import { resource } from '../../resource.ts';
import { route } from '../../route.ts';
import { envelope } from '../../schemas.ts';
import { sendPublished } from '../page.ts';
import { dashboardPage } from './page.ts';
import {
  changeDashboardBody,
  contentQuery,
  createDashboardBody,
  dashboardExample,
  dashboardSchema,
  dashboardView,
  dataBody,
  dataText,
  filtersOf,
  tileData,
  tileDataExample,
  tilesOf,
} from './schemas.ts';

const path = '/v1/projects/:project_id/dashboards/:dashboard_id' as const;
const load = (
  db: OrganizationTransaction,
  organizationId: string,
  { project_id: projectId, dashboard_id: id }: Record<'project_id' | 'dashboard_id', string>,
) => getDashboard(db, organizationId, projectId, id);

/** Tiles of saved queries and texts. */
export function dashboardsRoutes(app: Routes, deps: ApiDeps): void {
  const tag = {
    name: 'Dashboards',
    description: 'Place saved queries and texts on a grid, with filters, and read all of them at once.',
  };
  const dashboards = resource(app, deps, {
    tag,
    path,
    schema: dashboardSchema,
    example: dashboardExample,
    load,
    parent: (db, organizationId, { project_id: id }) => getProject(db, organizationId, id),
    view: dashboardView,
  });

  dashboards.list({
    summary: 'List the dashboards of a project, newest first',
    rows: (db, { organizationId, params }, slice) =>
      listDashboards(db, organizationId, params.project_id, slice),
  });
  dashboards.create({
    summary: 'Create a dashboard',
    audit: 'dashboard.created',
    description:
      'A tile shows a saved query of the same project, or a text. `bindings` gives parameters of the query the values of filters.',
    body: createDashboardBody,
    errors: ['conflict', 'limit_reached'],
    run: ({ organizationId, caller, params, body, newId, transaction }) =>
      transaction((db) =>
        insertDashboard(db, {
          ...body,
          tiles: tilesOf(body.tiles),
          filters: filtersOf(body.filters),
          organizationId,
          projectId: params.project_id,
          id: newId('dsh'),
          createdBy: caller.id,
        }),
      ),
  });
  dashboards.show({ summary: 'Show a dashboard' });
  dashboards.change({
    summary: 'Change a dashboard',
    audit: 'dashboard.updated',
    description: 'Fields that you omit keep their values. `tiles` and `filters` are replaced as a whole.',
    body: changeDashboardBody,
    errors: ['conflict', 'revision_conflict'],
    run: ({ organizationId, params, body, transaction }) => {
      const { expected_revision: expectedRevision, name, description, tiles, filters } = body;
      const change = {
        ...(name === undefined ? {} : { name }),
        ...(description === undefined ? {} : { description }),
        ...(tiles === undefined ? {} : { tiles: tilesOf(tiles) }),
        ...(filters === undefined ? {} : { filters: filtersOf(filters) }),
      };
      return transaction(async (db) =>
        reviseDashboard(
          db,
          await getDashboard(db, organizationId, params.project_id, params.dashboard_id, 'update'),
          change,
          expectedRevision,
        ),
      );
    },
  });
  dashboards.remove({
    summary: 'Delete a dashboard',
    audit: 'dashboard.deleted',
    description: 'Its queries stay. Its shares end.',
    run: ({ organizationId, params, transaction }) =>
      transaction(async (db) => deleteDashboard(db, await load(db, organizationId, params))),
  });

  route(
    app,
    { db: deps.db, tag },
    ['POST', `${path}/data`],
    {
      summary: 'Read the tiles of a dashboard',
      operationId: 'readDashboardData',
      audit: { none: 'It only reads.' },
      description:
        "Runs the queries of all tiles with the caller's rights, from one snapshot of the lake. A tile that fails has an `error` and leaves the others. A tile has up to 2,000 rows. Tiles of text aren't in the answer.",
      scope: 'agent:read',
      idempotent: false,
      exists: load,
      body: dataBody,
      errors: ['queries_saturated'],
    },
    { 200: envelope(tileData).meta({ examples: [{ data: tileDataExample }] }) },
    async ({ organizationId, caller, params, body, reply, transaction }) => {
      const dashboard = await transaction((db) => load(db, organizationId, params));
      const { snapshotId, tiles } = await dashboardData(
        deps,
        {
          ...{ dashboard, callerId: caller.id, filters: body.filters, tileIds: body.tile_ids },
          rowFormat: 'both',
        },
        clientGone(reply),
      );
      return sendText(reply, dataText(snapshotId, tiles));
    },
  );

  route(
    app,
    { db: deps.db, tag },
    ['GET', `${path}/content`],
    {
      summary: 'Read a dashboard as a page, a document or a picture',
      operationId: 'getDashboardContent',
      audit: 'dashboard.exported',
      description:
        "Reads the tiles with the caller's rights and the defaults of the filters. The page has no script and loads nothing.",
      exists: load,
      query: contentQuery,
      errors: ['invalid_request', 'queries_saturated'],
    },
    {
      200: {
        description: 'The dashboard.',
        content: {
          'text/html': { schema: z.string() },
          'application/pdf': { schema: binary },
          'image/png': { schema: binary },
        },
      },
    },
    async ({ organizationId, caller, params, query: { format }, reply, transaction }) => {
      const dashboard = await transaction((db) => load(db, organizationId, params));
      const gone = clientGone(reply);
      const tiles = await shownTiles(deps, { dashboard, callerId: caller.id, filters: {} }, gone);
      reply.header('content-disposition', attachment(`${dashboard.name}.${format}`));
      if (format === 'html') return sendPublished(reply, await dashboardPage(deps, dashboard, tiles, gone));
      const content =
        format === 'pdf'
          ? await dashboardPdf(deps, dashboard, tiles, gone)
          : await deps.charts.png(organizationId, dashboardSvg(dashboard.name, tiles), gone);
      return reply
        .type(format === 'pdf' ? 'application/pdf' : 'image/png')
        .header('x-content-type-options', 'nosniff')
        .send(content);
    },
  );
}

const binary = z.string().meta({ format: 'binary' });

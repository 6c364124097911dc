import type { z } from 'zod';
import { notFound } from '../../../data/errors.ts';
import { lineageOf } from '../../../domain/tables/lineage/lineage.ts';
import { getTable } from '../../../domain/tables/tables/registry.ts';
import { getView } from '../../../domain/tables/views/views.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { clientGone } from '../../reply.ts';
import { type Call, type Load, route } from '../../route.ts';
import { openLineageEvents } from './openlineage.ts';
import { lineageAnswer, lineageQuery } from './schemas.ts';

const described = {
  description:
    "Returns tables, views and their columns, with files, datasets, playbooks, reports and your workflows at the ends. Things that you can't read are left out, and so is everything that is reached only through them. `format` can also return OpenLineage job events, or a picture of up to 500 nodes and 1,000 arrows. A larger graph gets 400 `unsupported_option`.",
  query: lineageQuery,
  errors: ['unsupported_option', 'queries_saturated'],
} as const;

/** What tables and views are made from, and what is made from them. */
export function lineageRoutes(app: Routes, deps: ApiDeps): void {
  const at = (tag: string) => ({ db: deps.db, tag });
  const table: Load<'/:table_id'> = (db, organizationId, { table_id: id }) =>
    getTable(db, organizationId, id);
  const gridTable: Load<'/:table_id'> = async (db, organizationId, { table_id: id }) => {
    const found = await getTable(db, organizationId, id);
    if (found.kind === 'system') throw notFound('The table');
  };
  const view: Load<'/:view_id'> = (db, organizationId, { view_id: id }) => getView(db, organizationId, id);

  route(
    app,
    at('Grid'),
    ['GET', '/v1/grid/tables/:table_id/lineage'],
    { ...described, summary: 'Show the lineage of a grid table', exists: gridTable },
    { 200: lineageAnswer },
    (call) => answer(call, call.params.table_id, gridTable),
  );
  route(
    app,
    at('Tables'),
    ['GET', '/v1/tables/:table_id/lineage'],
    { ...described, summary: 'Show the lineage of a table', exists: table },
    { 200: lineageAnswer },
    (call) => answer(call, call.params.table_id, table),
  );
  route(
    app,
    at('Views'),
    ['GET', '/v1/views/:view_id/lineage'],
    { ...described, summary: 'Show the lineage of a view', exists: view },
    { 200: lineageAnswer },
    (call) => answer(call, call.params.view_id, view),
  );

  async function answer<Path extends string>(
    { organizationId, caller, params, query, reply, transaction }: Call<Path, z.output<typeof lineageQuery>>,
    id: string,
    load: Load<Path>,
  ): Promise<unknown> {
    await transaction((db) => load(db, organizationId, params, caller));
    const { direction, depth, format } = query;
    const request = { organizationId, callerId: caller.id, id, direction, depth };
    const lineage = await lineageOf(deps, request);
    if (format === 'openlineage')
      return { data: { events: openLineageEvents(lineage, organizationId, new Date()) } };
    const { nodes, edges, truncated } = lineage;
    if (format === 'json') return { data: { nodes, edges, truncated } };
    const svg = await deps.lineagePictures.svg(organizationId, lineage, id, clientGone(reply));
    // When opened as a page, it must not load or run anything.
    return reply
      .header('x-content-type-options', 'nosniff')
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")
      .type('image/svg+xml')
      .send(Buffer.from(svg));
  }
}

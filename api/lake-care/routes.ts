import { z } from 'zod';
import { inOrganization } from '../../data/postgres/client.ts';
import {
  ensureActiveLakeCareRun,
  getLakeCareRun,
  listLakeCareRuns,
} from '../../data/postgres/lake-care-runs.ts';
import { lakeCareWorkflowId, runLakeCareSignal } from '../../workflows/lake-care/names.ts';
import { callerOf, idFor } from '../caller.ts';
import type { ApiDeps, Routes } from '../deps.ts';
import { wake } from '../process-starter.ts';
import { decodeCursor, envelope, idCursor, page, pageQuery, toPage } from '../schemas.ts';
import { lakeCareRunSchema, lakeCareRunView } from './schemas.ts';

/** What the service does for an organization's lake by itself, and a way to have it done now. */
export function lakeCareRoutes(app: Routes, deps: ApiDeps): void {
  const tags = ['Lake'];

  app.get(
    '/v1/lake-care/runs',
    {
      schema: {
        tags,
        summary: 'List runs of lake care, newest first',
        description: 'Of the last 30 days.',
        querystring: pageQuery,
        response: { 200: page(lakeCareRunSchema) },
      },
      config: { scope: 'agent:read' },
    },
    async (request) => {
      const { organizationId } = callerOf(request);
      const { limit, cursor } = request.query;
      const after = decodeCursor(idCursor, cursor);
      const rows = await inOrganization(deps.db, organizationId, (db) =>
        listLakeCareRuns(db, organizationId, { after, limit: limit + 1 }),
      );
      return toPage(rows, limit, (row) => row.id, lakeCareRunView);
    },
  );

  app.post(
    '/v1/lake-care/runs',
    {
      schema: {
        tags,
        summary: 'Run lake care now',
        description:
          'A durable process: 202, then poll the Location. While a run waits or is under way it is the one that is answered.',
        response: { 202: envelope(lakeCareRunSchema) },
      },
      config: { scope: 'agent:write' },
    },
    async (request, reply) => {
      const { organizationId } = callerOf(request);
      // An organization that never wrote anything has no lake yet, and without one no care.
      await deps.lake.catalog.get(organizationId);
      const row = await inOrganization(deps.db, organizationId, (db) =>
        ensureActiveLakeCareRun(db, {
          organization_id: organizationId,
          id: idFor(request, 'car'),
          status: 'queued',
          trigger: 'request',
        }),
      );
      // The row says what is wanted: a signal that is lost, or that finds no process yet, only delays the run.
      if (row.status === 'queued') await wake(deps, lakeCareWorkflowId(organizationId), runLakeCareSignal);
      return reply
        .code(202)
        .header('Location', `/v1/lake-care/runs/${row.id}`)
        .send({ data: lakeCareRunView(row) });
    },
  );

  app.get(
    '/v1/lake-care/runs/:run_id',
    {
      schema: {
        tags,
        summary: 'Show a run of lake care',
        params: z.object({ run_id: z.string() }),
        response: { 200: envelope(lakeCareRunSchema) },
      },
      config: {
        scope: 'agent:read',
        exists: (organizationId, params) =>
          inOrganization(deps.db, organizationId, (db) =>
            getLakeCareRun(db, organizationId, params['run_id']!),
          ),
      },
    },
    async (request) => {
      const { organizationId } = callerOf(request);
      const row = await inOrganization(deps.db, organizationId, (db) =>
        getLakeCareRun(db, organizationId, request.params.run_id),
      );
      return { data: lakeCareRunView(row) };
    },
  );
}

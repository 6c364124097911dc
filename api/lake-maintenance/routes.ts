import { z } from 'zod';
import { inOrganization } from '../../data/postgres/client.ts';
import { wake } from '../../data/processes/starter.ts';
import {
  ensureActiveLakeMaintenanceRun,
  getLakeMaintenanceRun,
  listLakeMaintenanceRuns,
} from '../../domain/lake-maintenance/runs.ts';
import {
  lakeMaintenanceWorkflowId,
  runLakeMaintenanceSignal,
} from '../../workflows/lake-maintenance/names.ts';
import { callerOf, idFor } from '../caller.ts';
import type { ApiDeps, Routes } from '../deps.ts';
import { decodeCursor, envelope, idCursor, page, pageQuery, toPage } from '../schemas.ts';
import { lakeMaintenanceRunSchema, lakeMaintenanceRunView } from './schemas.ts';

/** What the service does for an organization's lake by itself, and a way to have it done now. */
export function lakeMaintenanceRoutes(app: Routes, deps: ApiDeps): void {
  const tags = ['Lake'];

  app.get(
    '/v1/lake-maintenance/runs',
    {
      schema: {
        tags,
        summary: 'List runs of lake maintenance, newest first',
        description: 'Of the last 30 days.',
        querystring: pageQuery,
        response: { 200: page(lakeMaintenanceRunSchema) },
      },
      config: { scope: 'agent:read' },
    },
    async (request) => {
      const { organizationId } = callerOf(request);
      const { limit } = request.query;
      const after = decodeCursor(idCursor, request);
      const rows = await inOrganization(deps.db, organizationId, (db) =>
        listLakeMaintenanceRuns(db, organizationId, { after, limit: limit + 1 }),
      );
      return toPage(request, rows, (row) => row.id, lakeMaintenanceRunView);
    },
  );

  app.post(
    '/v1/lake-maintenance/runs',
    {
      schema: {
        tags,
        summary: 'Run lake maintenance now',
        description:
          'A durable process: 202, then poll the Location. While a run waits or is under way it is the one that is answered.',
        response: { 202: envelope(lakeMaintenanceRunSchema) },
      },
      config: { scope: 'agent:write' },
    },
    async (request, reply) => {
      const { organizationId } = callerOf(request);
      // An organization that never wrote anything has no lake yet, and without one nothing to maintain.
      await deps.lake.catalog.get(organizationId);
      const row = await inOrganization(deps.db, organizationId, (db) =>
        ensureActiveLakeMaintenanceRun(db, {
          organization_id: organizationId,
          id: idFor(request, 'car'),
          status: 'queued',
          trigger: 'request',
        }),
      );
      // The row says what is wanted: a signal that is lost, or that finds no process yet, only delays the run.
      if (row.status === 'queued')
        await wake(deps, lakeMaintenanceWorkflowId(organizationId), runLakeMaintenanceSignal);
      return reply
        .code(202)
        .header('Location', `/v1/lake-maintenance/runs/${row.id}`)
        .send({ data: lakeMaintenanceRunView(row) });
    },
  );

  app.get(
    '/v1/lake-maintenance/runs/:run_id',
    {
      schema: {
        tags,
        summary: 'Show a run of lake maintenance',
        params: z.object({ run_id: z.string() }),
        response: { 200: envelope(lakeMaintenanceRunSchema) },
      },
      config: {
        scope: 'agent:read',
        exists: (organizationId, params) =>
          inOrganization(deps.db, organizationId, (db) =>
            getLakeMaintenanceRun(db, organizationId, params['run_id']!),
          ),
      },
    },
    async (request) => {
      const { organizationId } = callerOf(request);
      const row = await inOrganization(deps.db, organizationId, (db) =>
        getLakeMaintenanceRun(db, organizationId, request.params.run_id),
      );
      return { data: lakeMaintenanceRunView(row) };
    },
  );
}

import { requestMaintenance } from '../../../domain/tables/lake-maintenance/request.ts';
import {
  getLakeMaintenanceRun,
  listLakeMaintenanceRuns,
} from '../../../domain/tables/lake-maintenance/runs.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { resource } from '../../resource.ts';
import { lakeMaintenanceRunExample, lakeMaintenanceRunSchema, lakeMaintenanceRunView } from './schemas.ts';

/** Automatic maintenance of an organization's lake, and requests to run it now. */
export function lakeMaintenanceRoutes(app: Routes, deps: ApiDeps): void {
  const runs = resource(app, deps, {
    tag: 'Lake',
    path: '/v1/lake-maintenance/runs/:run_id',
    schema: lakeMaintenanceRunSchema,
    example: lakeMaintenanceRunExample,
    load: (db, organizationId, { run_id: id }) => getLakeMaintenanceRun(db, organizationId, id),
    view: lakeMaintenanceRunView,
  });

  runs.list({
    summary: 'List runs of lake maintenance, newest first',
    description: 'Returns the runs of the last 30 days.',
    rows: (db, { organizationId }, slice) => listLakeMaintenanceRuns(db, organizationId, slice),
  });
  runs.create({
    summary: 'Run lake maintenance now',
    operationId: 'runLakeMaintenance',
    audit: 'lake.maintenance_started',
    description:
      'The run works in the background: the response is 202. Poll the Location. If a run is already queued or in progress, that run is returned.',
    status: 202,
    run: ({ organizationId, newId }) => requestMaintenance(deps, organizationId, newId('car')),
  });
  runs.show({ summary: 'Show a run of lake maintenance' });
}

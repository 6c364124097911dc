import { z } from 'zod';
import { getProject } from '../../../domain/workspace/projects/projects.ts';
import { cancelRun } from '../../../domain/workspace/runs/cancel.ts';
import type { Run, RunPlace } from '../../../domain/workspace/runs/runs.ts';
import { showRun, showRuns } from '../../../domain/workspace/runs/show.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { resource } from '../../resource.ts';
import { confirmQuery } from '../../schemas.ts';
import { listRunsQuery, runExample, runSchema, runView } from './schemas.ts';

/** A run's position in the list. */
const placeOf = ({ created_at: createdAt, id }: Run): RunPlace => [createdAt.toISOString(), id];

/** Every process of a project, of any feature. */
export function runsRoutes(app: Routes, deps: ApiDeps): void {
  const runs = resource(app, deps, {
    tag: { name: 'Runs', description: 'List, follow and cancel the background work of a project.' },
    path: '/v1/projects/:project_id/runs/:run_id',
    schema: runSchema,
    example: runExample,
    load: (db, organizationId, { project_id: projectId, run_id: runId }, { id: callerId }) =>
      showRun(db, organizationId, { projectId, runId, callerId }),
    parent: (db, organizationId, { project_id: id }) => getProject(db, organizationId, id),
    view: runView,
  });

  runs.list({
    summary: 'List the runs of a project, newest first',
    description: 'Runs are imports, reports, playbooks and everything else that continues after its request.',
    query: listRunsQuery,
    rows: (db, { organizationId, params, query, caller }, slice) => {
      const { kind, status } = query;
      const filters = { projectId: params.project_id, callerId: caller.id, kind, status };
      return showRuns(db, organizationId, filters, slice);
    },
    place: {
      schema: z.tuple([z.iso.datetime(), z.string()]),
      of: placeOf,
    },
  });
  runs.show({ summary: 'Show a run' });
  runs.action('cancel', {
    summary: 'Cancel a run',
    audit: 'run.cancelled',
    description:
      "A run that has ended doesn't change. A run that is past the point where it can be undone may still succeed.",
    query: confirmQuery,
    status: [200, 202],
    run: async ({ organizationId, params, caller, transaction, reply }) => {
      const { project_id: projectId, run_id: runId } = params;
      const read = () =>
        transaction((db) => showRun(db, organizationId, { projectId, runId, callerId: caller.id }));
      if (await cancelRun(deps, await read())) reply.code(202);
      return read();
    },
  });
}

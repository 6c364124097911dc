import { cancelProfile } from '../../../domain/tables/profiles/cancel.ts';
import { getProfile } from '../../../domain/tables/profiles/profiles.ts';
import { startProfile } from '../../../domain/tables/profiles/start.ts';
import { getTable } from '../../../domain/tables/tables/registry.ts';
import type { Run } from '../../../domain/workspace/runs/runs.ts';
import { withProblem } from '../../../domain/workspace/runs/show.ts';
import { memoOf } from '../../caller.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { type Call, type Load, route } from '../../route.ts';
import { confirmQuery } from '../../schemas.ts';
import { runView } from '../../workspace/runs/schemas.ts';
import { oneProfile, profileRun, profileView } from './schemas.ts';

const path = '/v1/tables/:table_id/profile';

/** What the columns of a table hold. */
export function profilesRoutes(app: Routes, deps: ApiDeps): void {
  const at = { db: deps.db, tag: 'Tables' };
  const exists: Load<'/:table_id'> = (db, organizationId, { table_id: id }) =>
    getTable(db, organizationId, id);
  const shown = async (
    { organizationId, transaction }: Pick<Call, 'organizationId' | 'transaction'>,
    run: Run,
  ) => ({
    data: runView(await transaction((db) => withProblem(db, organizationId, run))),
  });

  route(
    app,
    at,
    ['GET', path],
    {
      summary: 'Show the profile of a table',
      description:
        'Returns the last computed profile. Before the first one, the response is 409 `not_materialized`. Its detail gives the progress, or says why the last attempt failed.',
      exists,
      errors: ['not_materialized'],
    },
    { 200: oneProfile },
    async ({ organizationId, params }) => ({
      data: profileView(await getProfile(deps, organizationId, params.table_id)),
    }),
  );

  route(
    app,
    at,
    ['POST', path],
    {
      summary: 'Profile a table',
      audit: 'table.profile_started',
      description:
        'Computes the profile of every column of the current version, in the background. Follow its run at the Location, then read the profile. If a profile of the table is in progress, its run is returned. An organization computes two profiles at a time; others wait in a queue. A calculated table that was never built gets 409 `not_materialized`.',
      exists,
      errors: ['not_materialized', 'workflows_unavailable'],
    },
    { 202: profileRun },
    async (call) => {
      const { organizationId, params, caller, request, reply, newId } = call;
      const run = await startProfile(deps, {
        organizationId,
        tableId: params.table_id,
        runId: newId('run'),
        callerId: caller.id,
        memo: memoOf(request),
      });
      reply.header('Location', `/v1/grid/tables/${params.table_id}/runs/${run.id}`);
      return shown(call, run);
    },
  );

  route(
    app,
    at,
    ['POST', `${path}/cancel`],
    {
      summary: 'Cancel the profile of a table',
      operationId: 'cancelTableProfile',
      audit: 'table.profile_cancelled',
      description:
        'Cancels the profile in progress. If there is none, the newest run is returned unchanged. The previous profile is kept.',
      exists,
      query: confirmQuery,
    },
    { 200: profileRun, 202: profileRun },
    async (call) => {
      const { organizationId, params, reply } = call;
      const { run, isAsked } = await cancelProfile(deps, organizationId, params.table_id);
      if (isAsked) reply.code(202);
      return shown(call, run);
    },
  );
}

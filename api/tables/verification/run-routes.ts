import { getTable } from '../../../domain/tables/tables/registry.ts';
import { startVerification } from '../../../domain/tables/verification/start.ts';
import { tableVerification } from '../../../domain/tables/verification/table-state.ts';
import { listVerifications, showVerification } from '../../../domain/tables/verification/verifications.ts';
import { cancelRun } from '../../../domain/workspace/runs/cancel.ts';
import { memoOf } from '../../caller.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { resource } from '../../resource.ts';
import { route } from '../../route.ts';
import { confirmQuery } from '../../schemas.ts';
import {
  listRunsQuery,
  oneTableVerification,
  runBody,
  runExample,
  runSchema,
  runView,
  tableVerificationView,
} from './run-schemas.ts';

/** Runs of tests, and what they said of a table. */
export function verificationRunsRoutes(app: Routes, deps: ApiDeps): void {
  const runs = resource(app, deps, {
    tag: 'Verification Tests',
    path: '/v1/verification-tests/runs/:run_id',
    schema: runSchema,
    example: runExample,
    load: (db, organizationId, { run_id: runId }) => showVerification(db, { organizationId, runId }),
    view: runView,
  });

  runs.list({
    summary: 'List test runs, newest first',
    operationId: 'listVerificationRuns',
    description: 'The list includes runs of gates, which test new content before anybody can see it.',
    query: listRunsQuery,
    rows: (db, { organizationId, query }, slice) =>
      listVerifications(db, organizationId, { ...slice, tableId: query.table_id }),
  });
  runs.create({
    summary: 'Run tests',
    operationId: 'runTests',
    audit: 'tests.run',
    description:
      'Tests the tables that you list, those of a project, those of definitions, or all tables that have tests. The run works in the background. Each table is tested at one version. Tests also run automatically after their tables get new versions, collected for ten seconds.',
    body: runBody,
    status: 202,
    errors: ['not_found', 'version_expired', 'conflict', 'workflows_unavailable'],
    run: async ({ organizationId, caller, body, newId, request, transaction }) => {
      const { id: runId } = await startVerification(deps, {
        ...{ organizationId, runId: newId('run'), callerId: caller.id },
        ...{ tableIds: body.table_ids, projectId: body.project_id, definitionIds: body.definition_ids },
        atVersions: body.at_versions ?? {},
        memo: memoOf(request),
      });
      return transaction((db) => showVerification(db, { organizationId, runId }));
    },
  });
  runs.show({ summary: 'Show a test run and its results', operationId: 'getVerificationRun' });
  runs.action('cancel', {
    summary: 'Cancel a test run',
    operationId: 'cancelVerificationRun',
    audit: 'run.cancelled',
    description: 'Results of tables that were already tested stay.',
    query: confirmQuery,
    status: [200, 202],
    run: async ({ organizationId, params, transaction, reply }) => {
      const id = { organizationId, runId: params.run_id };
      const { run } = await transaction((db) => showVerification(db, id));
      if (await cancelRun(deps, run)) reply.code(202);
      return transaction((db) => showVerification(db, id));
    },
  });

  route(
    app,
    { db: deps.db, tag: 'Verification Tests' },
    ['GET', '/v1/tables/:table_id/verification'],
    {
      summary: 'Show the test results of a table',
      operationId: 'getTableVerification',
      description: 'Returns the results of the newest tested version, with the history of each test.',
      exists: (db, organizationId, { table_id: id }) => getTable(db, organizationId, id),
    },
    { 200: oneTableVerification },
    async ({ organizationId, params, transaction }) => {
      const tableId = params.table_id;
      const found = await transaction(async (db) => {
        await getTable(db, organizationId, tableId);
        return tableVerification(db, organizationId, tableId);
      });
      return { data: tableVerificationView(tableId, found) };
    },
  );
}

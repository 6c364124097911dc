import { newId } from '../../../data/ids.ts';
import { getQueryExecution, listQueryExecutions } from '../../../domain/tables/query/query-executions.ts';
import { runQuery } from '../../../domain/tables/query/run.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { clientGone, sendText } from '../../reply.ts';
import { resource } from '../../resource.ts';
import { route } from '../../route.ts';
import { envelope } from '../../schemas.ts';
import {
  answerText,
  queryAnswer,
  queryBody,
  queryExample,
  queryExecutionExample,
  queryExecutionSchema,
  queryExecutionView,
} from './schemas.ts';

export function queryExecutionsRoutes(app: Routes, deps: ApiDeps): void {
  const tag = 'Query Executions';
  const executions = resource(app, deps, {
    tag,
    path: '/v1/query-executions/:query_execution_id',
    schema: queryExecutionSchema,
    example: queryExecutionExample,
    load: (db, organizationId, { query_execution_id: id }, viewer) =>
      getQueryExecution(db, organizationId, { id, viewer }),
    view: queryExecutionView,
  });

  route(
    app,
    { db: deps.db, tag },
    ['POST', '/v1/query-executions'],
    {
      summary: 'Run one read-only SELECT',
      description:
        'In DuckDB SQL, over the tables of the organization by name. A read exposed over POST: it takes no idempotency key.',
      scope: 'agent:read',
      idempotent: false,
      body: queryBody,
      errors: [
        'query_not_read_only',
        'query_failed',
        'query_timeout',
        'query_too_large',
        'version_expired',
        'queries_saturated',
      ],
    },
    { 200: envelope(queryAnswer).meta({ examples: [{ data: queryExample }] }) },
    async ({ organizationId, caller, body, reply }) => {
      const { sql, limit, timeout_ms: timeoutMs, row_format: rowFormat, at_versions: atVersions = {} } = body;
      const query = {
        organizationId,
        callerId: caller.id,
        id: newId('qry'),
        sql,
        limit,
        timeoutMs,
        rowFormat,
      };
      const result = await runQuery(deps, { ...query, atVersions }, clientGone(reply));
      return sendText(reply, answerText(query.id, result));
    },
  );
  executions.list({
    summary: 'List past queries, newest first, without rows',
    description: 'What a workflow ran is shown to the owner of the workflow, and to administrators.',
    rows: (db, { organizationId, caller }, slice) => listQueryExecutions(db, organizationId, caller, slice),
  });
  executions.show({ summary: 'Show a past query, without rows' });
}

import { z } from 'zod';
import { newId } from '../../data/ids.ts';
import { inOrganization } from '../../data/postgres/client.ts';
import { getQueryExecution, listQueryExecutions } from '../../domain/query/query-executions.ts';
import { runQuery } from '../../domain/query/run.ts';
import { callerOf } from '../caller.ts';
import type { ApiDeps, Routes } from '../deps.ts';
import { clientGone, sendText } from '../reply.ts';
import { decodeCursor, envelope, idCursor, page, pageQuery, toPage } from '../schemas.ts';
import { answerText, queryAnswer, queryBody, queryExecutionSchema, queryExecutionView } from './schemas.ts';

export function queryExecutionsRoutes(app: Routes, deps: ApiDeps): void {
  const tags = ['Query Executions'];

  app.post(
    '/v1/query-executions',
    {
      schema: {
        tags,
        summary: 'Run one read-only SELECT',
        description:
          'In DuckDB SQL, over the tables of the organization by name. A read exposed over POST: it takes no idempotency key.',
        body: queryBody,
        response: { 200: envelope(queryAnswer) },
      },
      config: {
        scope: 'agent:read',
        idempotent: false,
        errors: [
          'query_not_read_only',
          'query_failed',
          'query_timeout',
          'query_too_large',
          'version_expired',
          'queries_saturated',
        ],
      },
    },
    async (request, reply) => {
      const { organizationId, id: callerId } = callerOf(request);
      const {
        sql,
        limit,
        timeout_ms: timeoutMs,
        row_format: rowFormat,
        at_versions: atVersions,
      } = request.body;
      const query = { organizationId, callerId, id: newId('qry'), sql, limit, timeoutMs, rowFormat };
      const result = await runQuery(deps, { ...query, atVersions: atVersions ?? {} }, clientGone(reply));
      return sendText(reply, answerText(query.id, result));
    },
  );

  app.get(
    '/v1/query-executions',
    {
      schema: {
        tags,
        summary: 'List past queries, newest first, without rows',
        querystring: pageQuery,
        response: { 200: page(queryExecutionSchema) },
      },
      config: { scope: 'agent:read' },
    },
    async (request) => {
      const { organizationId } = callerOf(request);
      const { limit } = request.query;
      const after = decodeCursor(idCursor, request);
      const rows = await inOrganization(deps.db, organizationId, (db) =>
        listQueryExecutions(db, organizationId, { after, limit: limit + 1 }),
      );
      return toPage(request, rows, (row) => row.id, queryExecutionView);
    },
  );

  app.get(
    '/v1/query-executions/:query_execution_id',
    {
      schema: {
        tags,
        summary: 'Show a past query, without rows',
        params: z.object({ query_execution_id: z.string() }),
        response: { 200: envelope(queryExecutionSchema) },
      },
      config: {
        scope: 'agent:read',
        exists: (organizationId, params) =>
          inOrganization(deps.db, organizationId, (db) =>
            getQueryExecution(db, organizationId, params['query_execution_id']!),
          ),
      },
    },
    async (request) => {
      const { organizationId } = callerOf(request);
      const row = await inOrganization(deps.db, organizationId, (db) =>
        getQueryExecution(db, organizationId, request.params.query_execution_id),
      );
      return { data: queryExecutionView(row) };
    },
  );
}

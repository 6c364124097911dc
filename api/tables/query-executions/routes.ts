import { z } from 'zod';
import { newId } from '../../../data/ids.ts';
import { getQueryExecution, listQueryExecutions } from '../../../domain/tables/query/query-executions.ts';
import { runQuery, streamQuery } from '../../../domain/tables/query/run.ts';
import { callerOf } from '../../caller.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { validate } from '../../plugins/validation.ts';
import { clientGone, sendText } from '../../reply.ts';
import { resource } from '../../resource.ts';
import { route } from '../../route.ts';
import { envelope } from '../../schemas.ts';
import { formatAccepted, streamTypes } from './accept.ts';
import {
  answerText,
  jsonLimit,
  maxStreamedRows,
  parameterValues,
  queryAnswer,
  queryBody,
  queryErrors,
  queryExample,
  queryExecutionExample,
  queryExecutionSchema,
  queryExecutionView,
} from './schemas.ts';
import { sendStream } from './stream.ts';

const runDescription = `Runs one read-only statement in DuckDB SQL over the organization's tables, which the statement uses by name. This route doesn't accept an idempotency key.

If the \`Accept\` header names \`text/csv\`, \`application/x-ndjson\` or \`application/vnd.apache.arrow.stream\`, the response streams up to 1,000,000 rows while the statement runs. \`row_format\` is then ignored. Columns keep the names of the statement. If two names are equal, later ones get \`_1\`, \`_2\` and so on. An error before the first byte gets a normal error response. A later error closes the connection without the end of the chunked response, so a client always knows whether the response is complete. The same happens when \`timeout_ms\` is over, or when the client reads nothing for 30 seconds. The header \`x-query-execution-id\` gives the id of the stored query.

CSV follows RFC 4180, with a header line. A null is an empty field, and an empty text is quoted. NDJSON has one object per line, with the same values as a JSON response. Arrow uses its IPC streaming format and keeps lists, structs and maps.`;

const path = '/v1/query-executions';

export function queryExecutionsRoutes(app: Routes, deps: ApiDeps): void {
  const tag = { name: 'Query Executions', description: 'Run read-only SQL.' };
  // Whoever looks sees what this process has run, though records are written in groups. That comes before the
  // route takes a connection, which the writing may need.
  app.addHook('preHandler', async (request) => {
    const isLook = request.method === 'GET' && request.routeOptions.url?.startsWith(path) === true;
    if (isLook && request.caller !== undefined) await deps.history.written(callerOf(request).organizationId);
  });
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
    ['POST', path],
    {
      summary: 'Run a query',
      operationId: 'runQuery',
      audit: { none: 'It only reads.' },
      description: runDescription,
      scope: 'agent:read',
      idempotent: false,
      body: queryBody,
      errors: queryErrors,
    },
    {
      200: {
        description: 'The result of the query.',
        content: {
          'application/json': {
            schema: envelope(queryAnswer).meta({
              id: 'QueryAnswerEnvelope',
              examples: [{ data: queryExample }],
            }),
          },
          [streamTypes.csv]: {
            schema: z.string().meta({ examples: ['city,orders\r\nPorto,42\r\n'] }),
          },
          [streamTypes.ndjson]: {
            schema: z.string().meta({ examples: ['{"city":"Porto","orders":42}\n'] }),
          },
          [streamTypes.arrow]: { schema: z.string().meta({ format: 'binary' }) },
        },
      },
    },
    async ({ organizationId, caller, body, request, reply }) => {
      const { sql, timeout_ms: timeoutMs, row_format: rowFormat, at_versions: atVersions = {} } = body;
      const format = formatAccepted(request.headers.accept);
      const query = {
        ...{ organizationId, callerId: caller.id, id: newId('qry'), sql, timeoutMs, atVersions },
        parameters: parameterValues(body.parameters),
      };
      const gone = clientGone(reply);
      if (format !== 'json') {
        const { limit = maxStreamedRows } = body;
        return sendStream(reply, { id: query.id, format }, (onPiece) =>
          streamQuery(deps, { ...query, limit }, { format, onPiece }, gone),
        );
      }
      const { limit } = validate(jsonLimit, { limit: body.limit });
      const result = await runQuery(deps, { ...query, limit, rowFormat }, gone);
      return sendText(reply, answerText(query.id, result));
    },
  );
  executions.list({
    summary: 'List past queries, newest first',
    description:
      "The list doesn't include rows. Queries of a workflow are visible to the owner of the workflow and to administrators.",
    rows: (db, { organizationId, caller }, slice) => listQueryExecutions(db, organizationId, caller, slice),
  });
  executions.show({ summary: 'Show a past query' });
}

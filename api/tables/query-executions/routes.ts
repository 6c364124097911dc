import { z } from 'zod';
import { newId } from '../../../data/ids.ts';
import { getQueryExecution, listQueryExecutions } from '../../../domain/tables/query/query-executions.ts';
import { runQuery, streamQuery } from '../../../domain/tables/query/run.ts';
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
  queryAnswer,
  queryBody,
  queryErrors,
  queryExample,
  queryExecutionExample,
  queryExecutionSchema,
  queryExecutionView,
} from './schemas.ts';
import { sendStream } from './stream.ts';

const runDescription = `In DuckDB SQL, over the tables of the organization by name. A read exposed over POST: it takes no idempotency key.

An \`Accept\` header that names \`text/csv\`, \`application/x-ndjson\` or \`application/vnd.apache.arrow.stream\` streams the answer while the statement runs, up to 1,000,000 rows; \`row_format\` does not matter then. Columns have the statement's own names; of equal names, later ones get \`_1\`, \`_2\` and so on. What fails before the first byte is answered as any other error. What fails later, within \`timeout_ms\` for the whole, ends the connection before the end of the chunked answer, which is therefore whole or seen not to be. So does a reader that takes nothing for 30 seconds. \`x-query-execution-id\` names its record.

CSV is RFC 4180 with a header line; null is nothing, and empty text is quoted. NDJSON has one object a line, with the values of a JSON answer. Arrow is its IPC streaming format; lists, structs and maps are JSON text.`;

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
      description: runDescription,
      scope: 'agent:read',
      idempotent: false,
      body: queryBody,
      errors: queryErrors,
    },
    {
      200: {
        description: 'The answer.',
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
      const query = { organizationId, callerId: caller.id, id: newId('qry'), sql, timeoutMs, atVersions };
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
    summary: 'List past queries, newest first, without rows',
    description: 'What a workflow ran is shown to the owner of the workflow, and to administrators.',
    rows: (db, { organizationId, caller }, slice) => listQueryExecutions(db, organizationId, caller, slice),
  });
  executions.show({ summary: 'Show a past query, without rows' });
}

import { newId } from '../../../data/ids.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import {
  deleteSavedQuery,
  getSavedQuery,
  insertSavedQuery,
  listSavedQueries,
  reviseSavedQuery,
  statementFor,
} from '../../../domain/publishing/saved-queries/saved-queries.ts';
import { runQuery, streamQuery } from '../../../domain/tables/query/run.ts';
import { getProject } from '../../../domain/workspace/projects/projects.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { validate } from '../../plugins/validation.ts';
import { clientGone, sendText } from '../../reply.ts';
import { resource } from '../../resource.ts';
import { route } from '../../route.ts';
import { envelope } from '../../schemas.ts';
import { formatAccepted } from '../../tables/query-executions/accept.ts';
import {
  answerText,
  jsonLimit,
  maxStreamedRows,
  queryAnswer,
  queryErrors,
  queryExample,
} from '../../tables/query-executions/schemas.ts';
import { sendStream } from '../../tables/query-executions/stream.ts';
import {
  changeSavedQueryBody,
  createSavedQueryBody,
  executeBody,
  savedQueryExample,
  savedQuerySchema,
  savedQueryView,
} from './schemas.ts';

const path = '/v1/projects/:project_id/queries/:query_id' as const;
const load = (
  db: OrganizationTransaction,
  organizationId: string,
  { project_id: projectId, query_id: id }: Record<'project_id' | 'query_id', string>,
) => getSavedQuery(db, organizationId, projectId, id);

/** As long as a statement of `POST /v1/query-executions` by default. */
const timeoutMs = 30_000;

/** SELECTs with parameters that a project keeps. */
export function savedQueriesRoutes(app: Routes, deps: ApiDeps): void {
  const tag = {
    name: 'Saved Queries',
    description: 'Keep queries with parameters and a chart in a project, and run them.',
  };
  const queries = resource(app, deps, {
    tag,
    path,
    schema: savedQuerySchema,
    example: savedQueryExample,
    load,
    parent: (db, organizationId, { project_id: id }) => getProject(db, organizationId, id),
    view: savedQueryView,
  });

  queries.list({
    summary: 'List the saved queries of a project, newest first',
    operationId: 'listSavedQueries',
    rows: (db, { organizationId, params }, slice) =>
      listSavedQueries(db, organizationId, params.project_id, slice),
  });
  queries.create({
    summary: 'Save a query',
    operationId: 'createSavedQuery',
    audit: 'saved_query.created',
    description:
      "`{{name}}` in the text is the value of a parameter. It is bound and never becomes part of the text, so don't put quotes around it. The statement itself is checked when it runs.",
    body: createSavedQueryBody,
    errors: ['conflict', 'limit_reached'],
    run: ({ organizationId, caller, params, body, newId: idOf, transaction }) =>
      transaction((db) =>
        insertSavedQuery(db, {
          ...body,
          organizationId,
          projectId: params.project_id,
          id: idOf('sqy'),
          createdBy: caller.id,
        }),
      ),
  });
  queries.show({ summary: 'Show a saved query', operationId: 'getSavedQuery' });
  queries.change({
    summary: 'Change a saved query',
    operationId: 'updateSavedQuery',
    audit: 'saved_query.updated',
    description: 'Fields that you omit keep their values. `parameters` and `chart` are replaced as a whole.',
    body: changeSavedQueryBody,
    errors: ['conflict', 'revision_conflict'],
    run: ({ organizationId, params, body, transaction }) => {
      const { expected_revision: expectedRevision, ...given } = body;
      const change = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
      return transaction(async (db) =>
        reviseSavedQuery(
          db,
          await getSavedQuery(db, organizationId, params.project_id, params.query_id, 'update'),
          change,
          expectedRevision,
        ),
      );
    },
  });
  queries.remove({
    summary: 'Delete a saved query',
    operationId: 'deleteSavedQuery',
    audit: 'saved_query.deleted',
    description: 'Its shares end. Tiles of dashboards that show it fail until you remove them.',
    run: ({ organizationId, params, transaction }) =>
      transaction(async (db) => deleteSavedQuery(db, await load(db, organizationId, params))),
  });

  route(
    app,
    { db: deps.db, tag },
    ['POST', `${path}/executions`],
    {
      summary: 'Run a saved query',
      operationId: 'runSavedQuery',
      audit: { none: 'It only reads.' },
      description:
        "Runs the query with the caller's rights, and answers as `POST /v1/query-executions` does, also in its other formats. This route doesn't accept an idempotency key.",
      scope: 'agent:read',
      idempotent: false,
      exists: load,
      body: executeBody,
      errors: queryErrors,
    },
    {
      200: envelope(queryAnswer).meta({
        id: 'SavedQueryAnswerEnvelope',
        examples: [{ data: queryExample }],
      }),
    },
    async ({ organizationId, caller, params, body, request, reply, transaction }) => {
      const saved = await transaction((db) => load(db, organizationId, params));
      const { sql, parameters } = statementFor(saved, body.params, ['body', 'params']);
      const { at_versions: atVersions = {} } = body;
      const query = {
        ...{ organizationId, callerId: caller.id, id: newId('qry'), sql, timeoutMs, atVersions },
        parameters,
      };
      const gone = clientGone(reply);
      const format = formatAccepted(request.headers.accept);
      if (format !== 'json') {
        const { limit = maxStreamedRows } = body;
        return sendStream(reply, { id: query.id, format }, (onPiece) =>
          streamQuery(deps, { ...query, limit }, { format, onPiece }, gone),
        );
      }
      const { limit } = validate(jsonLimit, { limit: body.limit });
      const result = await runQuery(deps, { ...query, limit, rowFormat: 'both' }, gone);
      return sendText(reply, answerText(query.id, result));
    },
  );
}

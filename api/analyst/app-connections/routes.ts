import { z } from 'zod';
import { AppError } from '../../../data/errors.ts';
import {
  deleteAppConnection,
  getAppConnection,
  getAppConnectionRow,
  listAppConnections,
} from '../../../domain/analyst/app-connections/app-connections.ts';
import { decideTool, getTool, toolsOf } from '../../../domain/analyst/app-connections/app-tools.ts';
import { changeAppConnection, createAppConnection } from '../../../domain/analyst/app-connections/change.ts';
import { refreshTools } from '../../../domain/analyst/app-connections/refresh.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { resource } from '../../resource.ts';
import { type Load, route } from '../../route.ts';
import { decodeCursor, type ListRequest, toPage } from '../../schemas.ts';
import {
  appConnectionExample,
  appConnectionSchema,
  appConnectionView,
  changeAppConnectionBody,
  createAppConnectionBody,
  testAnswer,
} from './schemas.ts';
import { decideToolBody, toolAnswer, toolsAnswer, toolsQuery, toolView } from './tool-schemas.ts';
import { typesAnswer, typesExample } from './types.ts';

const tag = {
  name: 'App Connectors',
  description:
    'Connect servers of the Model Context Protocol whose tools the analyst can use, and decide on each tool.',
};
const path = '/v1/connections/app/:connection_id';
const toolPath = `${path}/tools/:tool` as const;

const loadRow: Load<typeof path> = (db, organizationId, { connection_id: id }) =>
  getAppConnectionRow(db, organizationId, id);
const loadTool: Load<typeof toolPath> = async (db, organizationId, { connection_id: id, tool }) => {
  await getAppConnectionRow(db, organizationId, id);
  return getTool(db, organizationId, id, tool);
};

/** Model Context Protocol servers whose tools the analyst may use. */
export function appConnectionsRoutes(app: Routes, deps: ApiDeps): void {
  const connections = resource(app, deps, {
    tag,
    path,
    schema: appConnectionSchema,
    example: appConnectionExample,
    load: (db, organizationId, { connection_id: id }) => getAppConnection(db, organizationId, id),
    view: appConnectionView,
  });

  route(
    app,
    { db: deps.db, tag },
    ['GET', '/v1/connections/app/types'],
    {
      summary: 'List the types of app connections, with their fields',
      operationId: 'listAppConnectionTypes',
    },
    { 200: typesAnswer },
    async () => typesExample,
  );
  connections.list({
    summary: 'List app connections, newest first',
    operationId: 'listAppConnections',
    rows: (db, { organizationId }, slice) => listAppConnections(db, organizationId, slice),
  });
  connections.create({
    summary: 'Create an app connection',
    operationId: 'createAppConnection',
    audit: 'connection.created',
    description:
      "The service first asks the server for its tools. If the server doesn't answer, the connection is still created, and `status` and `failure` say why.",
    body: createAppConnectionBody,
    errors: ['name_taken', 'conflict', 'limit_reached', 'unsupported_option'],
    run: async ({ organizationId, caller, body, newId, transaction }) => {
      const id = newId('app');
      await createAppConnection(deps, {
        organizationId,
        id,
        name: body.name,
        url: body.url,
        secrets: body.secrets,
        validateServerAddress: body.validate_server_address,
        createdBy: caller.id,
      });
      return transaction((db) => getAppConnection(db, organizationId, id));
    },
  });
  connections.show({ summary: 'Show an app connection', operationId: 'getAppConnection' });
  connections.change({
    summary: 'Change an app connection',
    operationId: 'updateAppConnection',
    audit: 'connection.updated',
    description:
      'Fields that you omit keep their values. `secrets` are merged key by key. If `url` changes, tools must be allowed again. If its origin changes, the secrets must be sent again too.',
    body: changeAppConnectionBody,
    errors: ['name_taken', 'unsupported_option'],
    run: async ({ organizationId, params, body, transaction }) => {
      if (body.type !== undefined && body.type !== 'mcp')
        throw new AppError(
          'unsupported_option',
          "The type of a connection can't change. Create another connection instead.",
        );
      const id = params.connection_id;
      await changeAppConnection(deps, {
        organizationId,
        id,
        name: body.name,
        url: body.url,
        secrets: body.secrets,
        validateServerAddress: body.validate_server_address,
      });
      return transaction((db) => getAppConnection(db, organizationId, id));
    },
  });
  connections.remove({
    summary: 'Delete an app connection',
    operationId: 'deleteAppConnection',
    audit: 'connection.deleted',
    description: 'This also deletes the decisions on its tools.',
    run: ({ organizationId, params, transaction }) =>
      transaction((db) => deleteAppConnection(db, organizationId, params.connection_id)),
  });
  toolsRoutes(app, deps);
}

function toolsRoutes(app: Routes, deps: ApiDeps): void {
  const at = { db: deps.db, tag };

  route(
    app,
    at,
    ['POST', `${path}/test`],
    {
      summary: 'Test an app connection',
      operationId: 'testAppConnection',
      audit: 'connection.tested',
      description: 'Asks the server for its tools. The response is 200 even if the test fails.',
      exists: loadRow,
      errors: ['rate_limited'],
    },
    { 200: testAnswer },
    async ({ organizationId, params }) => ({
      data: await refreshTools(deps, {
        organizationId,
        id: params.connection_id,
      }),
    }),
  );
  route(
    app,
    at,
    ['GET', `${path}/tools`],
    {
      summary: 'List the tools of an app connection, by name',
      operationId: 'listAppTools',
      description:
        "Returns the tools from the last listing. With `refresh=true`, the service asks the server before it returns the first page. If the server doesn't answer, the response is 400 `source_failed` with the reason.",
      exists: loadRow,
      query: toolsQuery,
      errors: ['source_failed'],
    },
    { 200: toolsAnswer },
    async ({ organizationId, params, query, caller, request, transaction }) => {
      const id = params.connection_id;
      const list = request as unknown as ListRequest;
      const after = decodeCursor(z.string(), list);
      if (query.refresh === 'true' && after === undefined) {
        const { failure } = await refreshTools(deps, { organizationId, id });
        if (failure !== null) throw new AppError('source_failed', failure.message);
      }
      const tools = await transaction(async (db) => {
        await loadRow(db, organizationId, params, caller);
        return toolsOf(db, organizationId, [id]);
      });
      const rest = tools.filter(({ name }) => after === undefined || name > after);
      return toPage(list, rest.slice(0, query.limit + 1), ({ name }) => name, toolView);
    },
  );
  route(
    app,
    at,
    ['PUT', toolPath],
    {
      summary: 'Decide on a tool',
      operationId: 'decideAppTool',
      audit: 'connection.tool_decided',
      description:
        "`allow`: the analyst calls the tool without asking. `ask`: a person must approve each call. `deny`: the analyst doesn't see the tool. The decision applies to the current version of the tool. If its description, schema or annotations change, the decision goes back to `ask`.",
      exists: loadTool,
      body: decideToolBody,
      errors: ['conflict'],
    },
    { 200: toolAnswer },
    async ({ organizationId, params, body, caller, transaction }) => {
      const decided = await transaction(async (db) => {
        await loadRow(db, organizationId, params, caller);
        return decideTool(db, {
          organizationId,
          connectionId: params.connection_id,
          tool: params.tool,
          policy: body.policy,
          fingerprint: body.fingerprint,
          decidedBy: caller.id,
        });
      });
      return { data: toolView(decided) };
    },
  );
}

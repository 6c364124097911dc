import { z } from 'zod';
import { ValidationError } from '../../../data/errors.ts';
import {
  changeDataConnection,
  createDataConnection,
} from '../../../domain/intake/data-connections/change.ts';
import {
  type DataConnection,
  getDataConnection,
  listDataConnections,
  removeDataConnection,
} from '../../../domain/intake/data-connections/data-connections.ts';
import { listResources, testConnection } from '../../../domain/intake/data-connections/probe.ts';
import { detachDatasets } from '../../../domain/intake/datasets/datasets.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { resource } from '../../resource.ts';
import { type Load, route } from '../../route.ts';
import { decodeCursor, type ListRequest, toPage } from '../../schemas.ts';
import {
  changeDataConnectionBody,
  createDataConnectionBody,
  dataConnectionExample,
  dataConnectionSchema,
  dataConnectionView,
} from './schemas.ts';
import { resourcesAnswer, resourcesBody, testAnswer } from './source-schemas.ts';
import { listedTypes, typesAnswer } from './types.ts';

const tag = {
  name: 'Data Connectors',
  description: 'Connect databases, object stores and HTTP APIs, and copy their data into the lake.',
};
const path = '/v1/connections/data/:connection_id';

const load: Load<typeof path, DataConnection> = (db, organizationId, { connection_id: id }) =>
  getDataConnection(db, organizationId, id);

/** Connections to sources of data, and what may be copied from them. */
export function dataConnectionsRoutes(app: Routes, deps: ApiDeps): void {
  const rules = { cipher: deps.cipher, allowUnvalidated: deps.sources.allowUnvalidated };
  const connections = resource(app, deps, {
    tag,
    path,
    schema: dataConnectionSchema,
    example: dataConnectionExample,
    load,
    view: dataConnectionView,
  });

  route(
    app,
    { db: deps.db, tag },
    ['GET', '/v1/connections/data/types'],
    {
      summary: 'List the types of data connections',
      operationId: 'listDataConnectionTypes',
      description:
        "Returns each type with its keys. Read it before you create a connection. Put secret values in `secrets`, because `config` isn't encrypted.",
    },
    { 200: typesAnswer },
    async () => ({ types: listedTypes, undocumented_types: [] }),
  );
  connections.list({
    summary: 'List data connections, newest first',
    operationId: 'listDataConnections',
    rows: (db, { organizationId }, slice) => listDataConnections(db, organizationId, slice),
  });
  connections.create({
    summary: 'Create a data connection',
    operationId: 'createDataConnection',
    audit: 'connection.created',
    description:
      "This doesn't open a connection; use `POST …/test` for that. Problems in `config` or `secrets` are reported at their key, with its label.",
    body: createDataConnectionBody,
    errors: ['name_taken', 'conflict', 'limit_reached', 'unsupported_option'],
    run: ({ organizationId, caller, body, newId, transaction }) =>
      transaction((db) =>
        createDataConnection(db, rules, {
          organizationId,
          id: newId('con'),
          name: body.name,
          type: body.type,
          description: body.description,
          config: body.config,
          secrets: body.secrets,
          snapshotConfig: body.snapshot_config,
          createdBy: caller.id,
        }),
      ),
  });
  connections.show({ summary: 'Show a data connection', operationId: 'getDataConnection' });
  connections.change({
    summary: 'Change a data connection or rotate its secrets',
    operationId: 'updateDataConnection',
    audit: 'connection.updated',
    description:
      'Fields that you omit keep their values. `config` and `secrets` are merged key by key, and a null removes a key. The service validates the merged result as a whole. If a change sends secrets elsewhere or less safely (another server, port or bucket, a weaker `ssl_mode`, `validate_server_address: false`), the same request must include those secrets again, or a null for each. Otherwise the response is a 422 that names them. A `snapshot_config` replaces the stored policy. On HTTP connections, an omitted `http_replication` keeps its value.',
    body: changeDataConnectionBody,
    errors: ['admin_required', 'name_taken', 'unsupported_option'],
    run: ({ organizationId, params, body, transaction }) =>
      transaction((db) =>
        changeDataConnection(db, rules, {
          organizationId,
          id: params.connection_id,
          name: body.name,
          type: body.type,
          description: body.description,
          config: body.config,
          secrets: body.secrets,
          snapshotConfig: body.snapshot_config,
        }),
      ),
  });
  connections.remove({
    summary: 'Delete a data connection',
    operationId: 'deleteDataConnection',
    audit: 'connection.deleted',
    description:
      'If a dataset uses the connection, the response is 409 `conflict`, unless you send `detach=true`. Then its datasets and their runs are deleted too. Their tables stay.',
    query: z.object({
      detach: z.enum(['true', 'false']).default('false').describe('Whether to delete its datasets too.'),
    }),
    errors: ['admin_required', 'conflict'],
    run: ({ organizationId, params, query, transaction }) =>
      transaction(async (db) => {
        const id = params.connection_id;
        const connection = await getDataConnection(db, organizationId, id, 'update');
        await detachDatasets(db, connection, query.detach === 'true');
        await removeDataConnection(db, organizationId, id);
        return connection;
      }),
  });
  sourceRoutes(app, deps);
}

/** Routes that call the source itself; they answer within ten seconds, whatever the source does. */
function sourceRoutes(app: Routes, deps: ApiDeps): void {
  const at = { db: deps.db, tag };
  route(
    app,
    at,
    ['POST', `${path}/test`],
    {
      summary: 'Test a data connection',
      operationId: 'testDataConnection',
      audit: 'connection.tested',
      description:
        'Connects, logs in and reads a little. The response is 200 even if this fails. `failure` says which stage failed and why.',
      exists: load,
      errors: ['rate_limited'],
    },
    { 200: testAnswer },
    async ({ organizationId, params }) => ({
      data: await testConnection(deps, { organizationId, id: params.connection_id }),
    }),
  );
  route(
    app,
    at,
    ['POST', `${path}/resources`],
    {
      summary: 'List the resources of a data connection',
      operationId: 'listSourceResources',
      audit: { none: 'It only reads.' },
      description:
        "Lists what you can copy, by name: tables and views of a database, endpoints of an HTTP API, or files and folders of a bucket, with their columns and keys. If the source doesn't answer, the response is 400 `source_failed` with the reason.",
      scope: 'agent:read',
      idempotent: false,
      exists: load,
      body: resourcesBody,
      errors: ['source_failed', 'rate_limited'],
    },
    { 200: resourcesAnswer },
    async ({ organizationId, params, body, request }) => {
      const { prefix, limit, cursor } = body;
      // The prefix is part of the list's identity: a cursor of another prefix is refused.
      const url = `${request.url.split('?')[0]}?prefix=${encodeURIComponent(prefix)}`;
      const list: ListRequest = { url, query: { prefix, limit, cursor } };
      const after = cursorOf(list);
      const where = { organizationId, id: params.connection_id };
      const found = await listResources(deps, where, { prefix, after, limit });
      return toPage(
        list,
        found,
        ({ resource }) => resource,
        ({ error = null, ...one }) => ({ ...one, error }),
      );
    },
  );
}

/** The cursor of a list requested with a body. */
function cursorOf(list: ListRequest): string | undefined {
  try {
    return decodeCursor(z.string(), list);
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    throw new ValidationError(error.faults.map((fault) => ({ ...fault, loc: ['body', 'cursor'] })));
  }
}

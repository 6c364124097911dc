import { z } from 'zod';
import { AppError, notFound } from '../../../data/errors.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import { listQueryable, type TableRow } from '../../../domain/tables/tables/registry.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { type Call, type Load, route } from '../../route.ts';
import { accessTo, credentialsOf, signRequest } from './access.ts';
import { base, getNamed, main, refuseForeign, tablePath, tablesPath, toLoad } from './named.ts';
import {
  catalogConfig,
  configQuery,
  listQuery,
  loadedTable,
  loadQuery,
  metricsReport,
  namespaceList,
  namespaceView,
  signBody,
  signed,
  tableCredentials,
  tableList,
} from './schemas.ts';

/** What a client may ask of this catalog, as `GET v1/config` lists it. */
const endpoints = [
  'GET /v1/{prefix}/namespaces',
  'GET /v1/{prefix}/namespaces/{namespace}',
  'HEAD /v1/{prefix}/namespaces/{namespace}',
  'GET /v1/{prefix}/namespaces/{namespace}/tables',
  'GET /v1/{prefix}/namespaces/{namespace}/tables/{table}',
  'HEAD /v1/{prefix}/namespaces/{namespace}/tables/{table}',
  'GET /v1/{prefix}/namespaces/{namespace}/tables/{table}/credentials',
  'POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/metrics',
  'POST /v1/{prefix}/namespaces/{namespace}/tables',
  'POST /v1/{prefix}/namespaces/{namespace}/tables/{table}',
  'DELETE /v1/{prefix}/namespaces/{namespace}/tables/{table}',
];

/** An Iceberg REST catalog over the lake: other engines read its tables as they are now. */
export function icebergRoutes(app: Routes, deps: ApiDeps): void {
  const at = {
    db: deps.db,
    tag: {
      name: 'Iceberg catalog',
      description:
        "Read tables with Spark, Trino, DuckDB, PyIceberg and other engines. The routes follow Apache Iceberg's REST catalog specification, with its names and its form of errors.",
    },
  };
  const exists: Load<typeof tablePath> = (db, organizationId, params) => {
    refuseForeign(organizationId, params);
    return getNamed(db, organizationId, params.table);
  };
  const table = { iceberg: 'Table', idempotent: false, exists } as const;
  const namespace = { iceberg: 'Namespace', idempotent: false } as const;

  // Before the same paths with GET, which would answer HEAD with all that GET does.
  for (const [path, iceberg] of [
    [`${base}/:prefix/namespaces/:namespace`, 'Namespace'],
    [tablePath, 'Table'],
  ] as const)
    app.route({
      method: 'HEAD',
      url: path,
      schema: { hide: true },
      config: { scope: 'agent:read', iceberg },
      handler: async (request, reply) => {
        const { organizationId } = request.caller!;
        const params = request.params as { prefix: string; namespace: string; table?: string };
        refuseForeign(organizationId, params);
        const { table: name } = params;
        if (name !== undefined)
          await inOrganization(deps.db, organizationId, (db) => getNamed(db, organizationId, name));
        return reply.code(204).send();
      },
    });

  route(
    app,
    at,
    ['GET', `${base}/config`],
    {
      ...namespace,
      summary: "Show the catalog's configuration",
      operationId: 'getIcebergConfig',
      description: 'The prefix of all other routes is the id of your organization. `warehouse` is ignored.',
      query: configQuery,
    },
    { 200: catalogConfig },
    async ({ organizationId }) => ({ defaults: {}, overrides: { prefix: organizationId }, endpoints }),
  );
  route(
    app,
    at,
    ['GET', `${base}/:prefix/namespaces`],
    {
      ...namespace,
      summary: 'List namespaces',
      operationId: 'listIcebergNamespaces',
      description: 'There is one namespace, `main`.',
      query: listQuery,
    },
    { 200: namespaceList },
    async ({ organizationId, params, query }) => {
      refuseForeign(organizationId, params);
      const isRoot = query.parent === undefined || query.parent === '';
      if (!isRoot && query.parent !== main) throw notFound(`The namespace ${query.parent}`);
      return { namespaces: isRoot ? [[main]] : [] };
    },
  );
  route(
    app,
    at,
    ['GET', `${base}/:prefix/namespaces/:namespace`],
    { ...namespace, summary: 'Show a namespace', operationId: 'getIcebergNamespace' },
    { 200: namespaceView },
    async ({ organizationId, params }) => {
      refuseForeign(organizationId, params);
      return { namespace: [main], properties: {} };
    },
  );
  route(
    app,
    at,
    ['GET', tablesPath],
    {
      ...namespace,
      summary: 'List tables',
      operationId: 'listIcebergTables',
      description: 'Returns the tables that you can read and that have content. Views are not listed.',
      query: listQuery,
    },
    { 200: tableList },
    async ({ organizationId, params, query, transaction }) => {
      refuseForeign(organizationId, params);
      const all = await transaction((db) => listQueryable(db, organizationId));
      const names = all
        .filter(({ kind, isUnbuilt }) => kind !== 'view' && !isUnbuilt)
        .map(({ name }) => name)
        .sort();
      const { pageToken, pageSize } = query;
      const after = pageToken === undefined || pageToken === '' ? undefined : fromToken(pageToken);
      const left = after === undefined ? names : names.filter((name) => name > after);
      const shown =
        pageToken === undefined && pageSize === undefined ? left : left.slice(0, pageSize ?? 1_000);
      const hasMore = shown.length < left.length;
      return {
        identifiers: shown.map((name) => ({ namespace: [main], name })),
        ...(hasMore ? { 'next-page-token': toToken(shown.at(-1)!) } : {}),
      };
    },
  );

  route(
    app,
    at,
    ['GET', tablePath],
    {
      ...table,
      summary: 'Load a table',
      operationId: 'loadIcebergTable',
      description:
        "Returns the table's metadata for its version now: every row that was acknowledged before is in it. `snapshot-id` is the version's number; the newest 25 earlier versions that are still kept are listed too. With `X-Iceberg-Access-Delegation`, the response has keys that read this table's files for an hour (`vended-credentials`), or the address that signs requests (`remote-signing`).",
      query: loadQuery,
      errors: ['conflict', 'storage_unavailable'],
    },
    { 200: loadedTable },
    async (call) => {
      const row = await tableOf(call);
      const loaded = await deps.iceberg.load(await toLoad(deps, row));
      call.reply.header('ETag', loaded.etag).header('Cache-Control', 'no-store');
      if (call.request.headers['if-none-match'] === loaded.etag) return call.reply.code(304).send();
      const access = await accessTo(deps, call, row, loaded);
      const metadata = call.query.snapshots === 'refs' ? onlyCurrent(loaded.metadata) : loaded.metadata;
      return { 'metadata-location': loaded.metadataLocation, metadata, ...access };
    },
  );
  route(
    app,
    at,
    ['GET', `${tablePath}/credentials`],
    {
      ...table,
      summary: "Issue keys for a table's files",
      operationId: 'issueIcebergCredentials',
      description: "The keys read this table's files for an hour.",
      errors: ['conflict', 'limit_reached', 'storage_unavailable'],
    },
    { 200: tableCredentials },
    async (call) => {
      const row = await tableOf(call);
      const loaded = await deps.iceberg.load(await toLoad(deps, row));
      call.reply.header('Cache-Control', 'no-store');
      const credentials = await credentialsOf(deps, call, row, loaded);
      if (credentials === undefined)
        throw new AppError('unsupported_option', "This catalog can't issue keys. Use remote signing.");
      return { 'storage-credentials': credentials };
    },
  );
  route(
    app,
    at,
    ['POST', `${tablePath}/metrics`],
    {
      ...table,
      summary: 'Report metrics of a scan',
      operationId: 'reportIcebergMetrics',
      description: 'Reports are accepted and not kept.',
      scope: 'agent:read',
      audit: { none: 'Nothing is kept.' },
      body: metricsReport,
    },
    { 204: z.null().describe('The report was accepted.') },
    async (call) => {
      await tableOf(call);
      return null;
    },
  );

  route(
    app,
    at,
    ['POST', `${tablePath}/sign`],
    {
      ...table,
      summary: 'Sign a request to the object store',
      operationId: 'signIcebergRequest',
      description:
        "For engines that read with remote signing. Only requests that read one of this table's files are signed.",
      scope: 'agent:read',
      audit: { none: 'It only reads.' },
      body: signBody,
      errors: ['admin_required', 'unsupported_option', 'storage_unavailable'],
    },
    { 200: signed },
    async (call) => {
      const loaded = await deps.iceberg.load(await toLoad(deps, await tableOf(call)));
      return signRequest(deps, loaded, call.body);
    },
  );

  async function tableOf(call: Call<typeof tablePath>): Promise<TableRow> {
    refuseForeign(call.organizationId, call.params);
    return call.transaction((db) => getNamed(db, call.organizationId, call.params.table));
  }
}

/** The metadata with the current version only. */
function onlyCurrent(metadata: object): object {
  const { snapshots, ...rest } = metadata as { snapshots: object[] };
  return { ...rest, snapshots: snapshots.slice(-1) };
}

const toToken = (name: string): string => Buffer.from(name).toString('base64url');
const fromToken = (token: string): string => Buffer.from(token, 'base64url').toString();

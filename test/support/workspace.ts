import { randomUUID } from 'node:crypto';
import { type Client, Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import type { LightMyRequestResponse } from 'fastify';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import type { ActivityDeps } from '../../activities/deps.ts';
import { buildApp } from '../../api/app.ts';
import { readApiConfig } from '../../api/config.ts';
import type { ApiDeps, Routes } from '../../api/deps.ts';
import { lakeAddresses } from '../../domain/tables/lake-credentials/attach.ts';
import { provisionOrganization } from '../../domain/workspace/organizations/provision.ts';
import { createIdentityProvider } from '../../domain/workspace/people/identity-provider.ts';
import { activityStaging } from '../../service/engine-process/open.ts';
import { openService } from '../../service/open.ts';
import { ensureSearchAttributes } from '../../worker/search-attributes.ts';
import { auditedCall } from './audited-call.ts';
import { startWorker } from './worker.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Answer {
  status: number;
  headers: LightMyRequestResponse['headers'];
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape.
  body: any;
}

export interface CallOptions {
  body?: unknown;
  /** Sent verbatim, with its own content type. */
  raw?: { text: string | Buffer; contentType: string };
  headers?: Record<string, string>;
}

/** One organization's client: its token is fetched when first needed. */
export interface TestClient {
  organizationId: string;
  clientId: string;
  clientSecret: string;
  /** Of the page on which the owner makes an account. */
  ownerToken: string;
  token(scope?: string): Promise<string>;
  call(method: Method, url: string, options?: CallOptions): Promise<Answer>;
}

export interface Workspace {
  app: Routes;
  deps: ApiDeps;
  activityDeps: ActivityDeps;
  temporal: Client;
  databaseUrl: string;
  /** Has it listen on loopback, on a free port if none is named; returns its origin. */
  listen(port?: number): Promise<string>;
  /** Of a stack that files share: whether this one needs a worker. */
  shared?: { hasWorker: boolean };
  organization(name?: string): Promise<TestClient>;
  /** A call without any token. */
  call(method: Method, url: string, options?: CallOptions): Promise<Answer>;
}

/** The stacks of this process, with a worker and without; they end with the process. */
const stacks = new Map<boolean, Promise<Workspace>>();

/**
 * The API, database and engines that the files of one process share; a file calls `useWorker` to get those
 * with a worker. Files are told apart by their organizations: one that changes what others see, or looks at
 * what they leave, needs its own workspace.
 */
export function useWorkspace(): Workspace {
  const workspace = { shared: { hasWorker: false } } as Workspace;
  beforeAll(async () => {
    const { hasWorker } = workspace.shared!;
    let stack = stacks.get(hasWorker);
    if (stack === undefined) {
      stack = openShared(hasWorker);
      stacks.set(hasWorker, stack);
    }
    Object.assign(workspace, await stack);
  });
  return workspace;
}

/** As an installation that copies sources on its own machine, behind a proxy. */
async function openShared(hasWorker: boolean): Promise<Workspace> {
  const environment = { ALLOWED_PRIVATE_ADDRESSES: '127.0.0.0/8' };
  const workspace = await open({ trustedProxies: ['127.0.0.1'] }, environment, []);
  if (hasWorker) await startWorker(workspace);
  return workspace;
}

/** One organization for the tests of a file: each more costs a lake and a query process. */
export function useOrganization(workspace: Workspace, name?: string): TestClient {
  const client = {} as TestClient;
  beforeAll(async () => {
    Object.assign(client, await workspace.organization(name));
  });
  return client;
}

/** A complete API on a separate database, for one file alone: made before its tests, removed after them. */
export function useOwnWorkspace(
  change: Partial<ApiDeps> = {},
  environment: () => NodeJS.ProcessEnv = () => ({}),
): Workspace {
  const workspace = {} as Workspace;
  const closers: (() => Promise<unknown> | unknown)[] = [];
  beforeAll(async () => {
    Object.assign(workspace, await open(change, environment(), closers));
  });
  afterAll(async () => {
    for (const close of closers.reverse()) await close();
  });
  return workspace;
}

async function open(
  change: Partial<ApiDeps>,
  environment: NodeJS.ProcessEnv,
  closers: (() => Promise<unknown> | unknown)[],
): Promise<Workspace> {
  const databaseUrl = environment['DATABASE_URL'] ?? (await createTestDatabase(closers));
  const namespace = await createTestNamespace(process.env['TEMPORAL_ADDRESS']!);
  const config = readApiConfig({
    ...process.env,
    DATABASE_URL: databaseUrl,
    TEMPORAL_NAMESPACE: namespace,
    LAKE_PROCESSES: '2',
    LAKE_MEMORY_MIB: '954',
    ...environment,
  });
  const { service, temporal, close } = await openService(config, {
    applicationName: 'test',
    maxConnections: 10,
    lakeThreads: 2,
    // Most files need one pool or none.
    startsEarly: false,
    // Tests wait for it, beside the other processes of a busy machine.
    staging: { ...activityStaging(1), niceness: 0 },
    // A busy machine takes ten times as long as an idle one.
    processDeadlineMs: 30_000,
    logger: pino({ level: process.env['LOG_LEVEL'] ?? 'silent' }),
  });
  closers.push(close);
  await service.objects.ensureBucket();
  const identityProvider = config.oidc && createIdentityProvider(config.oidc);
  closers.push(() => identityProvider?.close());
  const deps: ApiDeps = {
    ...service,
    rateLimitPerMinute: 1_000_000,
    sharesRateLimits: false,
    publicUrl: undefined,
    lakeAddresses: lakeAddresses(config),
    publicClients: [],
    allowClientRegistration: true,
    temporalUi: { url: 'http://temporal-ui.test', namespace: 'default' },
    identityProvider,
    probes: {
      postgres: async () => undefined,
      objectStore: () => service.objects.ping(),
      temporal: async () => undefined,
    },
    validateResponses: true,
    ...change,
  };
  const app = await buildApp(deps);
  await app.ready();
  closers.push(() => app.close());
  let origin: Promise<string> | undefined;
  const call = auditedCall(app, caller(app), service.lake.catalogPool);
  return {
    app,
    deps,
    activityDeps: service,
    temporal,
    databaseUrl,
    listen: (port = 0) => {
      origin ??= app.listen({ host: '127.0.0.1', port });
      return origin;
    },
    call,
    organization: (name = 'Test organization') => newClient(databaseUrl, name, call),
  };
}

/** A copy of the migrated template, under its own name. */
export async function createTestDatabase(
  closers: (() => Promise<unknown> | unknown)[],
  template = process.env['TEMPLATE_DATABASE'],
): Promise<string> {
  const adminUrl = process.env['DATABASE_URL']!;
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const run = async (statement: string) => {
    const admin = new pg.Client({ connectionString: adminUrl });
    await admin.connect();
    await admin.query(statement).finally(() => admin.end());
  };
  await run(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  closers.push(() => run(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Workers of different files poll the same queues: in one namespace they would take each other's tasks. */
async function createTestNamespace(address: string): Promise<string> {
  const connection = await Connection.connect({ address });
  const namespace = `test-${randomUUID()}`;
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: msToTs('1 day'),
  });
  await ensureSearchAttributes(connection, namespace);
  await connection.close();
  return namespace;
}

function caller(app: Routes) {
  return async (method: Method, url: string, { body, raw, headers }: CallOptions = {}): Promise<Answer> => {
    const payload = raw?.text ?? (body === undefined ? undefined : JSON.stringify(body));
    const contentType = raw?.contentType ?? (body === undefined ? undefined : 'application/json');
    const response = await app.inject({
      method,
      url,
      headers: { ...(contentType === undefined ? {} : { 'content-type': contentType }), ...headers },
      ...(payload === undefined ? {} : { payload }),
    });
    const isJson = String(response.headers['content-type'] ?? '').includes('json');
    return {
      status: response.statusCode,
      headers: response.headers,
      text: response.body,
      body: isJson && response.body !== '' ? JSON.parse(response.body) : undefined,
    };
  };
}

async function newClient(databaseUrl: string, name: string, call: Workspace['call']): Promise<TestClient> {
  return clientOf(call, await provisionOrganization({ DATABASE_URL: databaseUrl }, { name }));
}

/** A client of an organization that is there already, as in a restored database. */
export function clientOf(
  call: Workspace['call'],
  made: Pick<TestClient, 'organizationId' | 'clientId' | 'clientSecret' | 'ownerToken'>,
): TestClient {
  const { organizationId, clientId, clientSecret, ownerToken } = made;
  const tokens = new Map<string, Promise<string>>();
  const token = (scope = '') => {
    let known = tokens.get(scope);
    if (known === undefined) {
      known = call('POST', '/v1/auth/m2m/token', {
        raw: {
          text: new URLSearchParams({
            client_id: clientId,
            client_secret: clientSecret,
            scope,
          }).toString(),
          contentType: 'application/x-www-form-urlencoded',
        },
      }).then(({ body }) => body.access_token as string);
      tokens.set(scope, known);
    }
    return known;
  };
  return {
    ...{ organizationId, clientId, clientSecret, ownerToken },
    token,
    call: async (method, url, options = {}) =>
      call(method, url, {
        ...options,
        headers: { authorization: `Bearer ${await token()}`, ...options.headers },
      }),
  };
}

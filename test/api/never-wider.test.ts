import { beforeAll, expect, test } from 'vitest';
import { type Scope, scopes } from '../../api/caller.ts';
import { projectOf } from '../support/conversations.ts';
import { exporting } from '../support/exports.ts';
import { type Person, personOf, tokenOf } from '../support/people.ts';
import { madeSchedule, scheduleBody, writtenPlaybook } from '../support/schedules.ts';
import { useWorker } from '../support/worker.ts';
import { graphOf, node, workflowsOf } from '../support/workflows.ts';
import { type TestClient, useWorkspace } from '../support/workspace.ts';

/**
 * A token never makes more than it is. Every route that answers a credential or raises a role is in one of these
 * tables; a new one fails here until it is.
 */
const workspace = useWorkspace();
useWorker(workspace);
let client: TestClient;
/** Who has everything, by a token with all scopes. */
let owner: Person;
beforeAll(async () => {
  client = await workspace.organization();
  owner = await personOf(workspace, client, 'owner');
});

/** The same person by a narrower token. */
const narrowed = (has: readonly Scope[]) => tokenOf(workspace, client.organizationId, owner.id, has);

interface HandingOut {
  /** What the receiver could then use. */
  scopes: readonly Scope[];
  /** A request that is granted to a token with all scopes. */
  request: () => Promise<{ path: string; body?: object }>;
  granted: number;
}

const member = async () => (await personOf(workspace, client, 'member')).id;
const newClient = async () =>
  (await client.call('POST', '/v1/auth/m2m/clients', { body: { name: 'reads', scopes: ['agent:read'] } }))
    .body.data.clientId as string;

const handingOut: Record<string, HandingOut> = {
  'POST /v1/invitations': {
    scopes,
    request: async () => ({ path: '/v1/invitations', body: { email: 'ada@example.com', role: 'member' } }),
    granted: 201,
  },
  'PATCH /v1/members/{user_id}': {
    scopes,
    request: async () => ({ path: `/v1/members/${await member()}`, body: { role: 'admin' } }),
    granted: 200,
  },
  'POST /v1/members/{user_id}/password-reset': {
    scopes,
    request: async () => ({ path: `/v1/members/${await member()}/password-reset` }),
    granted: 200,
  },
  'POST /v1/auth/m2m/clients': {
    scopes: ['tables:append'],
    request: async () => ({
      path: '/v1/auth/m2m/clients',
      body: { name: 'appends', scopes: ['tables:append'] },
    }),
    granted: 201,
  },
  'POST /v1/auth/m2m/clients/{client_id}/secret': {
    scopes: ['agent:read'],
    request: async () => ({ path: `/v1/auth/m2m/clients/${await newClient()}/secret` }),
    granted: 200,
  },
  'POST /v1/lake/credentials': {
    scopes: ['agent:read'],
    request: async () => ({ path: '/v1/lake/credentials', body: { name: 'outside' } }),
    granted: 201,
  },
  // Anyone with the link reads as who made it.
  'POST /v1/shares': {
    scopes: ['agent:read'],
    request: async () => {
      const url = `/v1/projects/${await projectOf(client)}/dashboards`;
      const { id } = (await client.call('POST', url, { body: { name: 'Shared' } })).body.data;
      return { path: '/v1/shares', body: { resource: { type: 'dashboard', id } } };
    },
    granted: 201,
  },
  // What runs later reads tables as who made it, and may send them elsewhere.
  'POST /v1/schedules': {
    scopes: ['agent:read'],
    request: async () => {
      const project = await projectOf(client);
      const body = scheduleBody(project, await writtenPlaybook(client, project));
      return { path: '/v1/schedules', body };
    },
    granted: 201,
  },
  'POST /v1/workflows/{workflow_id}/activation': {
    scopes: ['agent:read'],
    request: async () => {
      const project = await projectOf(client);
      const flows = workflowsOf({ ...client, call: owner.call }, () => project);
      const draft = await flows.draft(graphOf([node('one', 'query', { sql: 'SELECT 1 AS a' })]));
      return { path: `/v1/workflows/${draft.id}/activation`, body: { expected_revision: draft.revision } };
    },
    granted: 200,
  },
  'POST /v1/schedules/{schedule_id}/take-over': {
    scopes: ['agent:read'],
    request: async () => {
      const { id } = await left(async (leaver, project) =>
        madeSchedule(leaver, project, await writtenPlaybook(leaver, project)),
      );
      return { path: `/v1/schedules/${id}/take-over` };
    },
    granted: 200,
  },
  'POST /v1/workflows/{workflow_id}/take-over': {
    scopes: ['agent:read'],
    request: async () => {
      const { id } = await left((leaver, project) =>
        workflowsOf(leaver, () => project).active(graphOf([node('one', 'query', { sql: 'SELECT 1 AS a' })])),
      );
      return { path: `/v1/workflows/${id}/take-over` };
    },
    granted: 200,
  },
};

/** What somebody made who is not a member any more. */
async function left<T>(make: (leaver: TestClient, projectId: string) => Promise<T>): Promise<T> {
  const leaver = await personOf(workspace, client, 'member');
  const made = await make({ ...client, call: leaver.call }, await projectOf(client));
  expect((await owner.call('DELETE', `/v1/members/${leaver.id}`)).status).toBe(200);
  return made;
}

/** Of what they show, the receiver can do what the token that asks has to be able to do anyhow. */
const showingOwn: readonly string[] = [
  // The secret and the address of a trigger start a run, as agent:write does.
  'POST /v1/workflows',
  'PUT /v1/workflows/{workflow_id}',
  'POST /v1/workflows/{workflow_id}/activation',
  'POST /v1/workflows/{workflow_id}/pause',
  'POST /v1/workflows/{workflow_id}/resume',
  'POST /v1/workflows/{workflow_id}/archive',
  'POST /v1/workflows/{workflow_id}/take-over',
  'POST /v1/workflows/{workflow_id}/triggers/{trigger_id}/secret',
  'GET /v1/workflows',
  'GET /v1/workflows/{workflow_id}',
  'GET /v1/workflows/{workflow_id}/versions',
  'GET /v1/workflows/{workflow_id}/versions/{version_id}',
  // An address to send one file to.
  'POST /v1/projects/{project_id}/files/uploads',
  // Addresses to read files of an export, where the token may read.
  'GET /v1/exports',
  'GET /v1/exports/{export_id}',
  'POST /v1/exports',
  'POST /v1/exports/{export_id}/cancel',
  // Addresses of apps.
  ...['GET /v1/connections/app', 'POST /v1/connections/app'],
  ...['GET', 'PATCH', 'DELETE'].map((method) => `${method} /v1/connections/app/{connection_id}`),
  ...['GET /v1/sum-apps', 'POST /v1/sum-apps', 'DELETE /v1/sum-apps/{slug}'],
];

// biome-ignore lint/suspicious/noExplicitAny: schemas have any shape.
type Schema = any;

test('a route that answers a credential or raises a role is known', async () => {
  const document = (await workspace.call('GET', '/openapi.json')).body;
  const membersOf = (given: Schema, seen = new Set<Schema>()): string[] => {
    const schema = given?.$ref ? document.components.schemas[given.$ref.split('/').at(-1)] : given;
    if (typeof schema !== 'object' || schema === null || seen.has(schema)) return [];
    seen.add(schema);
    return [
      ...Object.keys(schema.properties ?? {}),
      ...Object.values(schema)
        .flat()
        .flatMap((part) => membersOf(part, seen)),
      ...Object.values(schema.properties ?? {}).flatMap((part) => membersOf(part, seen)),
    ];
  };
  const found: string[] = [];
  for (const [path, operations] of Object.entries<Schema>(document.paths))
    for (const [method, operation] of Object.entries<Schema>(operations)) {
      if (operation.security?.length === 0) continue;
      const answers = Object.entries<Schema>(operation.responses).filter(([status]) =>
        status.startsWith('2'),
      );
      const contents = (given: Schema) => Object.values<Schema>(given?.content ?? {});
      const answered = answers
        .flatMap(([, answer]) => contents(answer).flatMap(({ schema }) => membersOf(schema)))
        .some((name) => /^(url|token|secret|password|.*Secret|secretAccessKey)$/.test(name));
      const asked = contents(operation.requestBody)
        .flatMap(({ schema }) => membersOf(schema))
        .some((name) => name === 'role' || name === 'admin');
      if (answered || asked) found.push(`${method.toUpperCase()} ${path}`);
    }
  const known = [...Object.keys(handingOut), ...showingOwn];
  expect(found.filter((route) => !known.includes(route))).toEqual([]);
  expect(showingOwn.filter((route) => !found.includes(route))).toEqual([]);
});

test.each(Object.entries(handingOut))(
  '%s needs every scope that its receiver could then use',
  async (route, needs) => {
    const [method] = route.split(' ') as ['POST' | 'PATCH'];
    const { path, body } = await needs.request();
    const options = body === undefined ? {} : { body };
    const routeScope: Scope = 'agent:write';
    for (const lacked of needs.scopes) {
      if (lacked === routeScope) continue;
      const has = scopes.filter((scope) => scope !== lacked);
      const narrow = await (await narrowed(has)).call(method, path, options);
      expect([narrow.status, narrow.body.code, narrow.body.missing_scope]).toEqual([
        403,
        'missing_scope',
        lacked,
      ]);
    }
    const enough = await narrowed([...new Set([...needs.scopes, routeScope])]);
    const granted = await enough.call(method, path, options);
    expect([granted.status, granted.text]).toEqual([needs.granted, expect.anything()]);
  },
);

test('a narrow token does not get what a wide one of the same person was answered under a key', async () => {
  const narrow = await narrowed(['agent:write']);
  const options = {
    body: { email: 'grace@example.com', role: 'member' },
    headers: { 'idempotency-key': 'invite grace' },
  };
  expect((await owner.call('POST', '/v1/invitations', options)).status).toBe(201);
  const again = await narrow.call('POST', '/v1/invitations', options);
  expect([again.status, again.body.missing_scope]).toEqual([403, 'agent:read']);
});

test('a token that may not read gets no address of what was exported', async () => {
  const narrow = await narrowed(['agent:write']);
  const made = await narrow.call('POST', '/v1/exports', { body: { sql: 'SELECT 1 AS a', format: 'csv' } });
  expect(made.status).toBe(202);
  const { id } = made.body.data;
  const done = await exporting(client).ended(id);
  expect(done.files[0].url).toEqual(expect.any(String));
  const shown = await narrow.call('POST', `/v1/exports/${id}/cancel?confirm=true`);
  expect([shown.status, shown.body.data.files[0].url]).toEqual([200, null]);
});

test('an unknown person is not found before scopes are told', async () => {
  const narrow = await narrowed(['agent:write']);
  const other = await personOf(workspace, await workspace.organization(), 'member');
  for (const id of [other.id, 'usr_01kahz3v6dfyvb1s8m3h9q2w4x'])
    expect((await narrow.call('POST', `/v1/members/${id}/password-reset`)).status).toBe(404);
});

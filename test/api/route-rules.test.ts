import type { RouteOptions } from 'fastify';
import { beforeAll, expect, test } from 'vitest';
import { scopes } from '../../api/caller.ts';
import { newId } from '../../data/ids.ts';
import { inOrganization } from '../../data/postgres/client.ts';
import { requestApprovals } from '../../domain/analyst/conversations/approvals.ts';
import { insertChart } from '../../domain/analyst/conversations/charts.ts';
import { addParts, findMessage } from '../../domain/analyst/conversations/messages.ts';
import { insertResult } from '../../domain/analyst/conversations/results.ts';
import { insertApproval } from '../../domain/automation/workflows/runs/approvals.ts';
import { insertDeliveries } from '../../domain/publishing/deliveries/deliveries.ts';
import { outputDeliveries } from '../../domain/publishing/deliveries/planned.ts';
import { insertReport } from '../../domain/publishing/reports/reports.ts';
import { startMcpServer } from '../support/mcp-server.ts';
import { personOf } from '../support/people.ts';
import { madeSchedule } from '../support/schedules.ts';
import { graphOf, node, workflowsOf } from '../support/workflows.ts';
import { type TestClient, useWorkspace } from '../support/workspace.ts';

const workspace = useWorkspace();

/** Routes of another specification, which have its form of errors: their own tests look at them. */
const isIceberg = (path: string): boolean => path.startsWith('/v1/iceberg/');

/** The public interface, written down a second time: the declarations in the code are compared with it. */
const appendRoutes = [
  'POST /v1/tables/{table_id}/rows',
  'POST /v1/tables/{table_id}/row-ids/reservations',
  'PUT /v1/tables/{table_id}/rows',
  'DELETE /v1/tables/{table_id}/rows',
  'GET /v1/tables/{table_id}/ingestion-batches',
  'POST /v1/tables/{table_id}/ingestion-batches',
  'PUT /v1/tables/{table_id}/ingestion-batches/{batch_id}/pages/{page_number}',
  'POST /v1/tables/{table_id}/ingestion-batches/{batch_id}/complete',
  'GET /v1/tables/{table_id}/ingestion-batches/{batch_id}',
  'DELETE /v1/tables/{table_id}/ingestion-batches/{batch_id}',
  'POST /v1/data-syncs/{sync_id}/snapshots/{snapshot_id}/pages',
  'GET /v1/data-syncs/{sync_id}/checkpoint',
  'GET /v1/data-syncs/{sync_id}/pages/{page_id}',
  'POST /v1/sum-apps',
  'DELETE /v1/sum-apps/{slug}',
];
const readsOverPost = [
  'POST /v1/query-executions',
  'POST /v1/projects/{project_id}/queries/{query_id}/executions',
  'POST /v1/projects/{project_id}/dashboards/{dashboard_id}/data',
  'POST /v1/assets/{asset_id}/previews',
  'POST /v1/connections/data/{connection_id}/resources',
  'POST /v1/iceberg/v1/{prefix}/namespaces/{namespace}/tables/{table}/metrics',
  'POST /v1/iceberg/v1/{prefix}/namespaces/{namespace}/tables/{table}/sign',
];
const signedInRoutes = [
  'GET /v1/me',
  'GET /v1/auth/status',
  'POST /v1/auth/logout',
  'GET /v1/auth/sessions',
  'DELETE /v1/auth/sessions/{session_id}',
  'GET /v1/organization',
];
const publicRoutes = [
  'POST /v1/auth/m2m/token',
  'POST /v1/iceberg/v1/oauth/tokens',
  'POST /v1/auth/token',
  'POST /v1/auth/revoke',
  'POST /v1/auth/register',
  'POST /v1/auth/device/code',
  'POST /v1/auth/device/token',
  'GET /.well-known/oauth-authorization-server',
  'GET /.well-known/oauth-protected-resource',
  'GET /.well-known/oauth-protected-resource/mcp',
  'GET /healthz',
  'GET /readyz',
  'GET /problems/{code}',
  'POST /v1/hooks/{token}',
];

const adminRoutes = [
  'GET /v1/lake/credentials',
  'POST /v1/lake/credentials',
  'GET /v1/lake/credentials/{credential_id}',
  'DELETE /v1/lake/credentials/{credential_id}',
  'GET /v1/auth/m2m/clients',
  'POST /v1/auth/m2m/clients',
  'GET /v1/auth/m2m/clients/{client_id}',
  'DELETE /v1/auth/m2m/clients/{client_id}',
  'POST /v1/auth/m2m/clients/{client_id}/secret',
  'PATCH /v1/members/{user_id}',
  'DELETE /v1/members/{user_id}',
  'POST /v1/members/{user_id}/password-reset',
  'GET /v1/invitations',
  'POST /v1/invitations',
  'DELETE /v1/invitations/{invitation_id}',
  'GET /v1/audit-events',
  'GET /v1/temporal-ui',
  'GET /v1/tables/{table_id}/grants',
  'PUT /v1/tables/{table_id}/grants',
  'POST /v1/schedules/{schedule_id}/take-over',
  'POST /v1/workflows/{workflow_id}/take-over',
  ...['definitions', 'overlays'].flatMap((what) => [
    `GET /v1/verification-tests/${what}`,
    `POST /v1/verification-tests/${what}`,
    ...['GET', 'PATCH', 'DELETE'].map(
      (method) => `${method} /v1/verification-tests/${what}/{${what.slice(0, -1)}_id}`,
    ),
  ]),
  'POST /v1/verification-tests/effective-set/previews',
];

function expectedScope(route: string): string {
  if (publicRoutes.includes(route)) return 'public';
  if (signedInRoutes.includes(route)) return 'signed-in';
  if (appendRoutes.includes(route)) return 'tables:append';
  return route.startsWith('GET ') || readsOverPost.includes(route) ? 'agent:read' : 'agent:write';
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, { examples?: object[] }> };
}

interface Operation {
  requestBody?: { content: Record<string, { example?: object }> };
  security?: { bearer?: string[] }[];
  responses: Record<
    string,
    { description?: string; content?: Record<string, { example?: object; schema: { $ref?: string } }> }
  >;
  summary?: string;
  description?: string;
}

let document: Document;
let operations: {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  name: string;
  operation: Operation;
}[];

beforeAll(async () => {
  document = (await workspace.call('GET', '/openapi.json')).body as Document;
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const upper = method.toUpperCase() as RouteOptions['method'] & 'GET';
      return { method: upper, path, name: `${upper} ${path}`, operation };
    }),
  );
});

test('every route declares the scope of the public interface, in the document too', () => {
  expect(operations.length).toBeGreaterThan(35);
  for (const { name, operation } of operations) {
    const declared = operation.security?.[0]?.bearer;
    const scope = expectedScope(name);
    const expected = scope === 'public' ? undefined : scope === 'signed-in' ? [] : [scope];
    expect(declared, name).toEqual(expected);
    expect(operation.summary, name).toBeTruthy();
  }
});

test('every answer in JSON is shown by an example', () => {
  const shown = operations.filter(({ path }) => path.startsWith('/v1/'));
  for (const { name, operation } of shown) {
    for (const [status, { content }] of Object.entries(operation.responses)) {
      const json = content?.['application/json'];
      if (status.startsWith('2') && json !== undefined)
        expect(json.example ?? exampleOf(json.schema), `${name} ${status}`).toBeTypeOf('object');
    }
  }
});

function exampleOf({ $ref: ref = '' }: { $ref?: string }): object | undefined {
  return document.components.schemas[ref.split('/').at(-1)!]?.examples?.[0];
}

test('every scoped route refuses every token without its scope, naming it, and serves no one without a token', async () => {
  const client = await workspace.organization();
  for (const { method, path, name } of operations) {
    const needed = expectedScope(name);
    if (needed === 'public' || isIceberg(path)) continue;
    const url = path.replace(/\{[^}]+\}/g, 'nothing');
    const without = await workspace.call(method, url);
    expect([without.status, without.body.code], name).toEqual([401, 'unauthorized']);
    if (needed === 'signed-in') continue;
    for (const scope of scopes) {
      const headers = { authorization: `Bearer ${await client.token(scope)}` };
      const answer = await workspace.call(method, url, { headers });
      if (scope === needed) expect(answer.body?.code, `${name} with ${scope}`).not.toBe('missing_scope');
      else
        expect(answer.body, `${name} with ${scope}`).toMatchObject({
          status: 403,
          code: 'missing_scope',
          missing_scope: needed,
        });
    }
  }
});

test('routes for administrators refuse members and clients without admin, before they look at anything', async () => {
  const client = await workspace.organization();
  const issued = await client.call('POST', '/v1/auth/m2m/clients', {
    body: { name: 'Plain', scopes: [...scopes] },
  });
  const { clientId: client_id, clientSecret: client_secret } = issued.body.data;
  const exchanged = await workspace.call('POST', '/v1/auth/m2m/token', {
    raw: {
      text: new URLSearchParams({ client_id, client_secret }).toString(),
      contentType: 'application/x-www-form-urlencoded',
    },
  });
  const plain = { authorization: `Bearer ${exchanged.body.access_token}` };
  const member = await personOf(workspace, client, 'member');
  const admin = await personOf(workspace, client, 'admin');
  for (const { method, path, name } of operations) {
    if (expectedScope(name) === 'public' || name === 'POST /v1/auth/logout') continue;
    const url = path.replace(/\{[^}]+\}/g, 'nothing');
    const answers = [await member.call(method, url), await workspace.call(method, url, { headers: plain })];
    for (const { status, body } of answers) {
      if (adminRoutes.includes(name)) expect([status, body.code], name).toEqual([403, 'admin_required']);
      else expect(body?.code, name).not.toBe('admin_required');
    }
    expect((await admin.call(method, url)).body?.code, name).not.toBe('admin_required');
  }
});

test("another organization's ids are the same 404 as unknown ones, before anything is said about the body", async () => {
  const [owner, stranger] = [await workspace.organization('Owner'), await workspace.organization('Stranger')];
  const ids = await withExamples(owner, await thingsOf(owner));
  const foreign = operations.filter(
    ({ path }) => path.startsWith('/v1/') && path.includes('{') && !isIceberg(path),
  );
  expect(foreign.length).toBeGreaterThan(15);
  const idOf = (path: string, param: string, at: number) => {
    const id = ids[`${path.slice(0, at)}{${param}}`] ?? ids[param];
    if (id === undefined) throw new Error(`${path}: nothing is made for {${param}}.`);
    return id;
  };
  for (const { method, path, name } of foreign) {
    const known = path.replace(/\{([^}]+)\}/g, (_, param: string, at: number) => idOf(path, param, at));
    const unknown = path.replace(/\{([^}]+)\}/g, (_, param: string, at: number) =>
      flipped(idOf(path, param, at)),
    );
    for (const raw of bodiesOf(method)) {
      const seen = await stranger.call(method, known, raw);
      const missing = await owner.call(method, unknown, raw);
      expect([seen.status, seen.body?.code], name).toEqual([404, 'not_found']);
      expect(seen.body.detail, name).toBe(missing.body.detail);
      expect(missing.status, name).toBe(404);
    }
  }
  await owned(owner, 'cli_another');
  const own = foreign.filter(({ path }) => path.startsWith(ownPath) && !path.endsWith('/take-over'));
  for (const { method, path, name } of own) {
    const known = path.replace(/\{([^}]+)\}/g, (_, param: string, at: number) => idOf(path, param, at));
    for (const raw of bodiesOf(method)) {
      const seen = await owner.call(method, known, raw);
      expect([seen.status, seen.body?.code], `${name} of another client`).toEqual([404, 'not_found']);
    }
  }
});

/**
 * One body that cannot be parsed and one without content, so that code that checks the path itself is
 * reached.
 */
const bodiesOf = (method: string) =>
  method === 'GET' || method === 'DELETE'
    ? [{}]
    : [{ raw: { text: '{"surely": "not right', contentType: 'application/json' } }, {}];

/** What a client of an organization keeps private, until an administrator takes it over. */
const ownPath = '/v1/workflows/{workflow_id}';

async function owned({ organizationId }: TestClient, ownerId: string): Promise<void> {
  await inOrganization(workspace.deps.db, organizationId, async (db) => {
    for (const table of ['workflows', 'workflow_runs', 'runs'] as const)
      await db
        .updateTable(table)
        .set({ owner_id: ownerId })
        .where('organization_id', '=', organizationId)
        .execute();
  });
}

/** With one of everything else, made from the documented example of the route that creates it. */
async function withExamples(
  client: TestClient,
  things: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const all = { ...things };
  for (const { path } of operations) {
    const [, collection = '', param = ''] = /^(.*)\/\{(\w+)\}$/.exec(path) ?? [];
    const { post } = document.paths[collection] ?? {};
    const body = post?.requestBody?.content['application/json']?.example;
    if (body === undefined || path in all || param in all || isIceberg(path)) continue;
    const url = collection.replace(/\{(\w+)\}/g, (_, name: string) => all[name]!);
    const made = await client.call('POST', url, { body });
    expect(made.status, `The example of ${url}: ${made.text}`).toBeLessThan(300);
    const { id, clientId } = made.body.data;
    all[param] = id ?? clientId;
  }
  return all;
}

/**
 * One of everything that a path can name and that isn't made from an example alone, by its parameter, or by the
 * path up to it.
 */
async function thingsOf(client: TestClient): Promise<Record<string, string>> {
  const project = (await client.call('POST', '/v1/projects', { body: { name: 'Theirs' } })).body.data.id;
  const file = await client.call('PUT', `/v1/projects/${project}/files/content?path=a.csv`, {
    body: { content: 'a\n1\n' },
  });
  const upload = await client.call('POST', `/v1/projects/${project}/files/uploads`);
  const table = await client.call('POST', '/v1/grid/tables', {
    body: { name: 't', kind: 'data', columns: [{ name: 'a' }] },
  });
  const query = await client.call('POST', '/v1/query-executions', { body: { sql: 'SELECT 1' } });
  const { tableId } = table.body.data;
  const view = await client.call('POST', '/v1/views', { body: { name: 'v', query: 'SELECT a FROM t' } });
  const sync = await client.call('POST', '/v1/data-syncs', {
    body: { table_id: tableId, provider: 'p', generation: 'g' },
  });
  const batch = await client.call('POST', `/v1/tables/${tableId}/ingestion-batches`, {
    body: { mode: 'provider_snapshot', sync_id: sync.body.data.id },
  });
  const { id: batchId } = batch.body.data;
  const page = await client.call('POST', `/v1/data-syncs/${sync.body.data.id}/snapshots/${batchId}/pages`, {
    body: { page_number: 1, records: [], sync_generation: 'g' },
  });
  expect(page.status, page.text).toBe(200);
  const run = await client.call('POST', '/v1/lake-maintenance/runs');
  const invited = await client.call('POST', '/v1/invitations', {
    body: { email: 'ada@example.com', role: 'member' },
  });
  const entry = await client.call('POST', `/v1/projects/${project}/catalog-entries`, {
    body: { table_id: tableId },
  });
  const definition = await client.call('POST', '/v1/verification-tests/definitions', {
    body: { name: 'd', kind: 'row_count', params: { min: 1 }, target: { table_id: tableId } },
  });
  const overlay = await client.call('POST', '/v1/verification-tests/overlays', {
    body: { definition_id: definition.body.data.id, enabled: false },
  });
  const tested = await client.call('POST', '/v1/verification-tests/runs', { body: { table_ids: [tableId] } });
  const exported = await client.call('POST', '/v1/exports', { body: { table_id: tableId, format: 'csv' } });
  const credential = await client.call('POST', '/v1/lake/credentials', { body: { name: 'theirs' } });
  const board = await client.call('POST', `/v1/projects/${project}/dashboards`, { body: { name: 'Theirs' } });
  const shared = await client.call('POST', '/v1/shares', {
    body: { resource: { type: 'dashboard', id: board.body.data.id } },
  });
  const talk = await talkOf(client, project);
  return {
    ...talk,
    ...(await scheduleOf(client, project, talk['playbook_id']!)),
    ...(await appOf(client)),
    slug: await deployedAppOf(client),
    user_id: (await personOf(workspace, client, 'member')).id,
    invitation_id: invited.body.data.id,
    session_id: newId('lgn'),
    ...(await workflowOf(client, project)),
    ...(await sourceOf(client)),
    project_id: project,
    file_id: file.body.data.id,
    asset_id: file.body.data.id,
    upload_id: upload.body.data.upload_id,
    table_id: tableId,
    view_id: view.body.data.id,
    batch_id: batchId,
    snapshot_id: batchId,
    sync_id: sync.body.data.id,
    page_id: `${batchId}.1`,
    page_number: '1',
    query_execution_id: query.body.data.id,
    definition_id: definition.body.data.id,
    overlay_id: overlay.body.data.id,
    export_id: exported.body.data.id,
    credential_id: credential.body.data.id,
    share_id: shared.body.data.id,
    '/v1/verification-tests/runs/{run_id}': tested.body.data.id,
    '/v1/lake-maintenance/runs/{run_id}': run.body.data.id,
    '/v1/grid/tables/{table_id}/runs/{run_id}': 'run_01kahz3v6dfyvb1s8m3h9q2w4x',
    '/v1/projects/{project_id}/runs/{run_id}': 'imp_01kahz3v6dfyvb1s8m3h9q2w4x',
    entry_id: entry.body.data.id,
    import_id: 'imp_01kahz3v6dfyvb1s8m3h9q2w4x',
    name: 'a',
  };
}

/** A schedule that fired once; no worker processes either. */
async function scheduleOf(
  client: TestClient,
  project: string,
  playbook: string,
): Promise<Record<string, string>> {
  const { id } = await madeSchedule(client, project, playbook);
  const fired = await client.call('POST', `/v1/schedules/${id}/trigger`);
  const range = { from: '2026-01-01T00:00:00Z', to: '2026-01-03T00:00:00Z' };
  const backfill = await client.call('POST', `/v1/schedules/${id}/backfills`, { body: range });
  expect(backfill.status, backfill.text).toBe(202);
  const schedule_run_id = fired.body.data.id;
  const rows = outputDeliveries({
    organizationId: client.organizationId,
    projectId: project,
    scheduleRunId: schedule_run_id,
    outputFolder: '',
    emailRecipients: [{ email: 'ada@example.com' }],
    output: { fileId: 'fil_1', path: 'a.csv' },
    localTime: '2026-01-01T08:00:00',
    createdAtMs: Date.now(),
  });
  await inOrganization(workspace.deps.db, client.organizationId, (db) => insertDeliveries(db, rows));
  return {
    schedule_id: id,
    schedule_run_id,
    delivery_id: rows[0]!.id,
    backfill_id: backfill.body.data.id,
  };
}

/** An activated and running workflow with an approval; no worker processes it. */
async function workflowOf(client: TestClient, project: string): Promise<Record<string, string>> {
  const workflows = workflowsOf(client, () => project);
  const active = await workflows.active(graphOf([node('ask', 'approval', { message: 'Well?' })]), {
    triggers: [{ type: 'webhook' }],
  });
  const { id: run } = await workflows.start(active.id);
  const approval = newId('wap');
  const { organizationId } = client;
  await inOrganization(workspace.deps.db, organizationId, (db) =>
    insertApproval(db, {
      organization_id: organizationId,
      id: approval,
      run_id: run,
      node_id: 'ask',
      message: 'Well?',
      status: 'pending',
      expires_at: new Date(Date.now() + 60_000),
    }),
  );
  const runs = '/v1/workflows/{workflow_id}/runs/{run_id}';
  return {
    workflow_id: active.id,
    trigger_id: active.triggers[0].id,
    // A hook is identified by its token, which any caller may present: there is nothing to hide from another
    // organization.
    token: 'nobody',
    [runs]: run,
    [`${runs}/approvals/{approval_id}`]: approval,
    '/v1/workflows/{workflow_id}/versions/{version_id}': active.activeVersionId,
  };
}

/** A connection to a server that lists one tool. */
async function appOf(client: TestClient): Promise<Record<string, string>> {
  const server = await startMcpServer({ tools: [{ name: 'tool' }] });
  const body = { name: 'App', type: 'mcp', url: server.url };
  const made = await client.call('POST', '/v1/connections/app', { body });
  await server.close();
  expect(made.body.data.tools, made.text).toHaveLength(1);
  return { connection_id: made.body.data.id, tool: 'tool' };
}

/** An app that does not answer. */
async function deployedAppOf(client: TestClient): Promise<string> {
  const body = { slug: 'theirs', name: 'Theirs', url: 'http://127.0.0.1:1', version: '1' };
  const made = await client.call('POST', '/v1/sum-apps', { body });
  expect(made.status, made.text).toBe(201);
  return made.body.data.slug;
}

/** A connection to a source that is never contacted. */
async function sourceOf(client: TestClient): Promise<Record<string, string>> {
  const url = '/v1/connections/data';
  const config = { host: 'db.example.com', database: 'shop', user: 'reader' };
  const body = { name: 'Source', type: 'postgres', config };
  const made = await client.call('POST', url, { body });
  const dataset = await client.call('POST', `${url}/${made.body.data.id}/datasets`, {
    body: { resource: 'public.orders', name: 'Orders', snapshot_enabled: true },
  });
  const at = `${url}/${made.body.data.id}/datasets/${dataset.body.data.id}`;
  const run = await client.call('POST', `${at}/snapshots`);
  expect(run.status, run.text).toBe(202);
  return {
    [`${url}/{connection_id}`]: made.body.data.id,
    dataset_id: dataset.body.data.id,
    [`${url}/{connection_id}/datasets/{dataset_id}/snapshots/{run_id}`]: run.body.data.id,
  };
}

/** A conversation with everything that it may have; no worker answers in it. */
async function talkOf(client: TestClient, project: string): Promise<Record<string, string>> {
  const url = `/v1/projects/${project}/conversations`;
  const made = await client.call('POST', url, { body: { message: 'First' } });
  const chat = made.body.data.id;
  const queued = await client.call('POST', `${url}/${chat}/messages`, { body: { message: 'Second' } });
  const shown = await client.call('GET', `${url}/${chat}`);
  const written = await client.call('POST', `/v1/projects/${project}/playbooks`, {
    body: { title: 'A playbook', instructions: '- how many orders' },
  });
  const { organizationId: organization_id } = client;
  const of = { organization_id, conversation_id: chat, message_id: shown.body.data.activeTurn.id };
  let approval_id = '';
  const [result_id, chart_id, report_id] = [newId('res'), newId('cht'), newId('rpt')];
  await inOrganization(workspace.deps.db, organization_id, async (db) => {
    await insertResult(db, {
      ...of,
      id: result_id,
      sql: '',
      title: '',
      columns: '[]',
      row_count: 0,
      truncated: false,
      elapsed_ms: 0,
      scanned: '[]',
      object_key: 'none',
    });
    const chart = { title: '', result_id, data_versions: '[]', object_prefix: 'none' };
    const reply = (await findMessage(db, organization_id, of.message_id))!;
    const waiting = await addParts(db, reply, [
      { step: 0, type: 'tool_call', name: 'app_tool', input: '{}', status: 'waiting_approval' },
    ]);
    const [requested] = await requestApprovals(db, reply, waiting);
    approval_id = (requested!.data as { approval: { id: string } }).approval.id;
    await insertChart(db, { ...of, ...chart, id: chart_id });
    await insertReport(db, {
      organizationId: organization_id,
      projectId: project,
      id: report_id,
      title: 'A report',
      content: '# A report',
      dataVersions: [],
      createdBy: client.clientId,
      writeId: report_id,
      source: 'conversation',
      sourceId: chat,
    });
  });
  return {
    chat_id: chat,
    message_id: of.message_id,
    queued_message_id: queued.body.data.queuedMessage.id,
    result_id,
    chart_id,
    report_id,
    playbook_id: written.body.data.id,
    approval_id,
  };
}

/** The same id except for its last character: well-formed, but of nothing. */
function flipped(id: string): string {
  return id.slice(0, -1) + (id.endsWith('0') ? '1' : '0');
}

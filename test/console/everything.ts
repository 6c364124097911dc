import { expect } from 'vitest';
import type { paths } from '../../clients/typescript/src/schema.gen.ts';
import { graphOf, node } from '../support/workflows.ts';
import type { Answer, CallOptions, TestClient } from '../support/workspace.ts';

type Call = (method: 'POST' | 'PUT', url: string, options?: CallOptions) => Promise<Answer>;

/** Something of each kind that the console shows, made by whoever looks at it. */
export async function somethingOfEach(client: TestClient, person: TestClient['call'], tableId: string) {
  const make = async (call: Call, url: string, body?: object, method: 'POST' | 'PUT' = 'POST') => {
    const made = await call(method, url, { body });
    expect([200, 201, 202], `${url}: ${made.text}`).toContain(made.status);
    return made.body.data;
  };
  const project = (await make(person, '/v1/projects', { name: 'Sales' })).id as string;
  const inProject = `/v1/projects/${project}`;
  const view = await make(person, '/v1/views', { name: 'by_city', query: 'SELECT city FROM orders' });
  const query = 'SELECT sum(amount) AS total FROM orders';
  const calculated = await make(person, '/v1/grid/tables', { name: 'totals', kind: 'calc', query });
  await make(person, `${inProject}/catalog-entries`, { table_id: tableId });
  const instructions = '# Orders\n\n- how many orders';
  const playbook = await make(person, `${inProject}/playbooks`, { title: 'Orders', instructions });
  const run = await make(person, `${inProject}/playbooks/${playbook.id}/runs`, {});
  const schedule = await make(person, '/v1/schedules', {
    kind: 'playbook',
    target: { project_id: project, playbook_id: playbook.id },
    schedule: { type: 'daily', zone_id: 'Europe/Berlin', time_of_day: '08:00' },
    description: 'Each morning',
  });
  const graph = graphOf(
    [
      node('sales', 'query', { sql: 'SELECT 42 AS total' }),
      node('ask', 'playbook', { playbook_id: playbook.id }),
      node('tests', 'verification', { table_ids: [tableId] }),
    ],
    [],
    { since: { type: 'date', required: false } },
  );
  const draft = await make(person, '/v1/workflows', { project_id: project, title: 'Reminder', graph });
  const workflow = await make(person, `/v1/workflows/${draft.id}/activation`, {
    expected_revision: draft.revision,
  });
  const workflowRun = await make(person, `/v1/workflows/${draft.id}/runs`, { params: {} });
  const report = await make(person, `${inProject}/reports`, { title: 'Nightly', content: 'Nothing new.' });
  const saved = await make(person, `${inProject}/queries`, {
    ...{ name: 'Orders by city', sql: 'SELECT city FROM orders WHERE amount > {{least}}' },
    parameters: { least: { type: 'number', default: 0 } },
  });
  const dashboard = await make(person, `${inProject}/dashboards`, {
    ...{ name: 'Board', tiles: [{ kind: 'query', query_id: saved.id }] },
  });
  await make(person, '/v1/shares', { resource: { type: 'dashboard', id: dashboard.id } });
  const content = { content: 'city,amount\nPorto,30\n' };
  const file = await make(person, `${inProject}/files/content?path=orders.csv`, content, 'PUT');
  const tests = '/v1/verification-tests';
  const definition = await make(person, `${tests}/definitions`, {
    ...{ name: 'No city is missing', kind: 'not_null', params: { columns: ['city'] } },
    target: { table_id: tableId },
  });
  const overlay = { definition_id: definition.id, table_id: tableId, enabled: false, reason: 'Old rows' };
  await make(person, `${tests}/overlays`, overlay);
  const connection = await make(person, '/v1/connections/data', {
    ...{ name: 'Shop', type: 'postgres', secrets: { password: 'secret' } },
    config: { host: 'db.example.com', port: 5432, database: 'shop', user: 'reader', ssl_mode: 'require' },
  });
  const url = 'https://tools.example.com/mcp';
  const app = await make(person, '/v1/connections/app', { name: 'Tickets', type: 'mcp', url });
  await make(person, '/v1/auth/m2m/clients', { name: 'Importer', scopes: ['agent:read'] });
  await make(person, '/v1/invitations', { email: 'grace@example.com', role: 'member' });
  await make(person, '/v1/query-executions', { sql: 'SELECT 1 AS one' });
  expect((await client.call('GET', '/v1/me')).status).toBe(200);
  return {
    ...{ project, table: tableId, view: view.id, calculated: calculated.tableId, file: file.id },
    ...{ playbook: playbook.id, run: run.id, schedule: schedule.id, report: report.id },
    ...{ workflow: workflow.id ?? draft.id, workflowRun: workflowRun.id, definition: definition.id },
    ...{ connection: connection.id, app: app.id, query: saved.id, dashboard: dashboard.id },
  } as Record<string, string>;
}

type Got<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Body } } } };
}
  ? Body
  : never;

const at = '2026-01-02T03:04:05.000Z';
const id = 'one';
const many = <Item>(...items: Item[]) => ({ items, nextCursor: null });
const people = { createdByUserId: 'usr_1', createdAt: at };
const ran = { error: null, createdAt: at, startedAt: at, finishedAt: at };

/** What takes other systems, a worker or hours to be had, in the shape in which the service tells it. */
export const had = {
  backfills: many({
    ...{ id, scheduleId: id, from: at, to: at, onlyMissing: true, maxConcurrency: 1, total: 7 },
    ...{ status: 'succeeded' as const, fires: { running: 0, succeeded: 7, failed: 0, cancelled: 0 } },
    ...{ ...people, startedAt: at, finishedAt: at },
  }) satisfies Got<'/v1/schedules/{schedule_id}/backfills'>,
  deliveries: many({
    ...{ id, runId: null, nodeId: null, kind: 'email' as const, target: 'ada@example.com', attempts: 1 },
    ...{ status: 'delivered' as const, receipt: null, error: null, createdAt: at, deliveredAt: at },
  }) satisfies Got<'/v1/workflows/{workflow_id}/deliveries'>,
  scheduleRuns: many({
    ...{ id, scheduleId: id, scheduledFor: at, localTime: '2026-01-02T08:00', firedAt: at },
    ...{ status: 'succeeded' as const, reason: 'Made up for', runId: null },
  }) satisfies Got<'/v1/schedules/{schedule_id}/runs'>,
  approvals: many({
    ...{ id, runId: id, nodeId: id, message: 'Send it?', status: 'pending' as const, note: null },
    ...{ decidedBy: null, expiresAt: at, createdAt: at, decidedAt: null },
  }) satisfies Got<'/v1/workflows/{workflow_id}/runs/{run_id}/approvals'>,
  exports: many({
    ...{ id, status: 'succeeded' as const, sql: 'SELECT 7', tableId: null, format: 'csv' as const },
    ...{
      projectId: null,
      rowsWritten: 1,
      bytesWritten: 1,
      fileId: null,
      versions: [],
      ...ran,
      expiresAt: at,
    },
    files: [{ url: null, name: 'part-1.csv', sizeBytes: 5, sha256: '' }],
  }) satisfies Got<'/v1/exports'>,
  datasets: many({
    ...{ id, connectionId: id, resource: 'shop.orders', name: 'orders', snapshotEnabled: true },
    ...{
      mode: 'full' as const,
      cursor: null,
      keyColumns: [],
      guard: null,
      unreadableValues: 'fail' as const,
      csv: null,
      schedule: null,
    },
    ...{ scheduleStatus: null, projectId: null, tableId: null, snapshotTableName: 'shop_orders' },
    ...{ lastSnapshotAt: null, lastSnapshotRunId: null, createdAt: at, updatedAt: at },
  }) satisfies Got<'/v1/connections/data/{connection_id}/datasets'>,
  snapshots: many({
    ...{ id, connectionId: id, datasetId: id, status: 'awaiting_confirmation' as const, rowsCopied: 3 },
    ...{ rowsDeleted: 0, bytesCopied: 0, requestsMade: 0, progress: 1, snapshotTableName: 'shop_orders' },
    ...{
      tableId: 'tbl_1',
      tableVersion: null,
      schemaChanges: [],
      warnings: [],
      cursor: null,
      waitsUntil: null,
    },
    ...{ waitsFor: null, ...ran, finishedAt: null },
  }) satisfies Got<'/v1/connections/data/{connection_id}/snapshots'>,
  tools: many({
    ...{ name: 'create_ticket', readOnly: false, policy: 'ask' as const, changed: false, offered: true },
    ...{ title: 'Create a ticket', description: '', inputSchema: null, notOfferedReason: null },
    ...{ fingerprint: '', decidedByUserId: null, decidedAt: null, seenAt: at },
  }) satisfies Got<'/v1/connections/app/{connection_id}/tools'>,
  resources: many({
    ...{ resource: 'shop.orders', name: 'orders', kind: 'table' as const, columns: [], estimatedRows: 3 },
    ...{ keyColumns: [], error: null },
  }),
  profile: {
    data: {
      ...{ tableVersion: 1, stale: false, computedAt: at, rowCount: 1, sampled: false },
      columns: [
        {
          ...{ name: 'city', dataType: 'STRING', nulls: 0, distinctApprox: 1, min: 'Lagos', max: 'Porto' },
          ...{ mean: null, top: [], histogram: [] },
        },
      ],
    },
  } satisfies Got<'/v1/tables/{table_id}/profile'>,
  stale: {
    data: {
      ...{ tableId: id, name: 'totals', kind: 'calc' as const, status: 'stale' as const, columns: [] },
      ...{ keyColumns: [], keyEnforced: false, query: 'SELECT 1', refresh: null, projectId: null },
      ...{ definedByUserId: null, revision: 1, createdAt: at, updatedAt: at },
    },
  } satisfies Got<'/v1/grid/tables/{table_id}'>,
  freshness: {
    data: {
      ...{ tableId: id, status: 'stale' as const, tableVersion: 1, materializedAt: at, rowCount: 1 },
      ...{ inputs: [], staleBecause: ['definition'], lastRefresh: null, runId: null, error: null },
    },
  } satisfies Got<'/v1/grid/tables/{table_id}/status'>,
  tables: {
    tables: [
      {
        ...{ id, name: 'read_table', kind: 'data' as const, rowCount: 1, createdAt: at, updatedAt: at },
        ...{ database: 'lake', schema: 'main', projectId: null, queryable: true, appendable: true },
        sizeBytes: 1,
      },
    ],
    total: 1,
  } satisfies Got<'/v1/tables'>,
  report: {
    data: {
      ...{ id, projectId: id, title: 'Nightly', revision: 1, source: 'api' as const, sourceId: null },
      ...{ dataVersions: [{ tableId: id, version: 1 }], withheld: false, ...people, updatedAt: at },
      ...{ contentType: 'text/markdown', sizeBytes: 1 },
    },
  } satisfies Got<'/v1/projects/{project_id}/reports/{report_id}'>,
  verification: {
    data: {
      ...{ tableId: id, state: 'passing' as const, version: 1, at, history: [] },
      results: [
        {
          ...{
            definitionId: id,
            name: 'Cities are there',
            tableId: id,
            version: 1,
            status: 'passed' as const,
          },
          ...{ failingRows: 0, sample: [], failuresTableId: null, message: null, elapsedMs: 1 },
          ...{ history: [], flapping: false },
        },
      ],
    },
  } satisfies Got<'/v1/tables/{table_id}/verification'>,
  imported: {
    data: {
      ...{ id, projectId: id, fileId: id, tableId: id, status: 'succeeded' as const, rowsImported: 7 },
      ...{ rowsQuarantined: 0, quarantineTableId: null, bytesRead: 1, progress: 1, tableVersion: 1 },
      ...{ skippedLines: [], warnings: [], ...ran },
    },
  } satisfies Got<'/v1/table-imports/{import_id}'>,
  /** With a result, a chart, and a call that somebody has to allow. */
  conversation: {
    data: {
      ...{ id, projectId: id, title: 'About orders', createdByUserId: id, createdAt: at, updatedAt: at },
      ...{ messageCount: 1, queueHeld: false, messagesCursor: null, activeTurn: null, queuedTurns: [] },
      lastEventId: 1,
      messages: [
        {
          ...{ id, role: 'assistant' as const, status: 'waiting_approval' as const, content: '' },
          ...{ displayContent: '', model: '', effort: null, usage: null, createdByUserId: null },
          ...{ createdAt: at, completedAt: null, error: null, dataVersions: [], withheld: false },
          parts: [
            {
              ...{ type: 'tool_call' as const, toolCallId: 'call_1', name: 'query', input: {} },
              ...{ status: 'done' as const, summary: 'Seven', resultId: 'res_1', elapsedMs: 1 },
            },
            { type: 'chart' as const, chartId: 'cht_1', title: 'Drawn' },
            {
              ...{ type: 'tool_call' as const, toolCallId: 'call_2', name: 'create_ticket', input: {} },
              ...{ status: 'waiting_approval' as const, summary: '', resultId: null, elapsedMs: null },
            },
          ],
        },
      ],
    },
  } satisfies Got<'/v1/projects/{project_id}/conversations/{chat_id}'>,
  conversations: many({
    ...{ id, projectId: id, title: 'About orders', createdByUserId: id, createdAt: at, updatedAt: at },
    ...{ messageCount: 1, queueHeld: false },
  }) satisfies Got<'/v1/projects/{project_id}/conversations'>,
  callApprovals: many({
    ...{ id, messageId: id, toolCallId: 'call_2', name: 'create_ticket', input: {}, note: '' },
    ...{ status: 'pending' as const, decidedByUserId: null, createdAt: at, expiresAt: at, decidedAt: null },
  }) satisfies Got<'/v1/projects/{project_id}/conversations/{chat_id}/approvals'>,
};

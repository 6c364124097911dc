import { Agent, request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readApiConfig } from '../../api/config.ts';
import { eventually, expectEventually } from '../support/eventually.ts';
import { type CollectedSpan, type Collector, startCollector } from '../support/otlp-collector.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { type TestClient, useOwnWorkspace } from '../support/workspace.ts';

const cell = 'zebra-in-a-cell';
const literal = 'giraffe-in-a-statement';
const secret = 'p4ssw0rd-of-nobody';

const workspace = useOwnWorkspace();
let collector: Collector;
let api: ServiceProcess;
let worker: ServiceProcess;
let client: TestClient;
let origin: string;

const environment = (): NodeJS.ProcessEnv => ({
  DATABASE_URL: workspace.databaseUrl,
  TEMPORAL_NAMESPACE: workspace.temporal.options.namespace,
  LAKE_PROCESSES: '2',
});

beforeAll(async () => {
  collector = await startCollector();
  const sending = {
    ...environment(),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_METRIC_EXPORT_INTERVAL: '1000',
    TRUSTED_PROXIES: '127.0.0.1',
  };
  [api, worker] = await Promise.all([
    startServiceProcess('api', sending),
    startServiceProcess('worker', sending),
  ]);
  origin = `http://127.0.0.1:${api.ready.port}`;
  client = await workspace.organization('Observed');
});
afterAll(async () => {
  await Promise.all([api?.stop(), worker?.stop()]);
  await collector?.close();
});

async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const answer = await fetch(`${origin}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${await client.token()}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape.
  return { status: answer.status, body: (await answer.json()) as any, headers: answer.headers };
}

const textOf = async (port: number | undefined) => {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect(answer.headers.get('content-type')).toContain('text/plain');
  return answer.text();
};

/** The samples of a text, which must be well-formed throughout. */
function samplesOf(text: string): { name: string; labels: string; value: number }[] {
  return text.split('\n').flatMap((line) => {
    if (line === '' || line.startsWith('#')) return [];
    const [, name, labels = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    expect(name, line).toBeDefined();
    return [{ name: name!, labels, value: Number(value === '+Inf' ? Infinity : value) }];
  });
}

async function importFile(requestId: string): Promise<{ status: string; rowsImported: number }> {
  const project = (await ask('POST', '/v1/projects', { name: 'Observed' })).body.data.id;
  const file = await ask('PUT', `/v1/projects/${project}/files/content?path=animals.csv`, {
    content: `id,animal\n1,${cell}\n2,${cell}\n`,
  });
  const started = await ask(
    'POST',
    `/v1/projects/${project}/files/${file.body.data.id}/imports`,
    { table_name: 'animals' },
    { 'x-request-id': requestId },
  );
  expect(started.status).toBe(202);
  return eventually(
    async () => (await ask('GET', started.headers.get('location')!)).body.data,
    ({ status }) => !['queued', 'running'].includes(status),
  );
}

test('an import is one trace, from the request to the engines', async () => {
  const done = await importFile('observed-import');
  expect(done).toMatchObject({ status: 'succeeded' });
  const named = (name: string) => (span: CollectedSpan) => span.name === name;
  const post = 'POST /v1/projects/:project_id/files/:file_id/imports';
  const spans = await eventually(
    () => {
      const all = collector.spans();
      const root = all.find(named(post));
      return root === undefined ? [] : all.filter(({ traceId }) => traceId === root.traceId);
    },
    (all) => all.some(named('RunActivity commitTableImport')) && all.some(named('staging stage')),
  );
  const parentOf = (span: CollectedSpan | undefined) =>
    spans.find(({ spanId }) => spanId === span?.parentSpanId)?.name;
  const root = spans.find(named(post))!;
  expect(root.parentSpanId).toBe(undefined);
  expect(root.attributes).toMatchObject({
    'http.request.method': 'POST',
    'http.response.status_code': 202,
    'workspace.request_id': 'observed-import',
    'workspace.organization_id': client.organizationId,
  });
  const start = spans.find(named('StartWorkflow tableImport'))!;
  expect(parentOf(start)).toBe(post);
  for (const activity of ['beginTableImport', 'stageTableImport', 'commitTableImport']) {
    const span = spans.find(named(`RunActivity ${activity}`))!;
    expect([span.service, parentOf(span)], activity).toEqual([
      'analytics-workspace-worker',
      'StartWorkflow tableImport',
    ]);
    expect(span.attributes).toMatchObject({
      'temporal.workflow.type': 'tableImport',
      'workspace.request_id': 'observed-import',
      'workspace.organization_id': client.organizationId,
    });
  }
  expect(parentOf(spans.find(named('staging stage')))).toBe('RunActivity stageTableImport');
  const sessions = spans.filter(named('engine session'));
  expect(sessions.map(parentOf)).toContain('RunActivity commitTableImport');
  expect(sessions.flatMap(({ attributes }) => attributes['workspace.statements'])).toContain('BEGIN');
});

test('a statement is traced by its kind, and an append with its commit', async () => {
  const answer = await ask(
    'POST',
    '/v1/query-executions',
    { sql: `SELECT animal, '${literal}' AS other FROM animals`, row_format: 'rows' },
    { 'x-request-id': 'observed-query' },
  );
  expect(answer.body.data.rows).toHaveLength(2);
  const span = await eventually(
    () => collector.spans().find(({ name }) => name === 'query run' || name === 'query stream'),
    (found) => found !== undefined,
  );
  expect(span!.attributes).toMatchObject({
    'workspace.statements': ['SELECT'],
    'workspace.organization_id': client.organizationId,
  });

  const columns = [{ name: 'note', data_type: 'STRING' }];
  const made = await ask('POST', '/v1/grid/tables', { name: 'notes', kind: 'data', columns });
  const rows = `/v1/tables/${made.body.data.tableId}/rows`;
  expect((await ask('POST', rows, { rows: [{ s_id: 1, note: cell }] })).status).toBe(200);
  const commit = await eventually(
    () => collector.spans().find(({ name }) => name === 'append commit'),
    (found) => found !== undefined,
  );
  const request = collector.spans().find(({ spanId }) => spanId === commit!.parentSpanId);
  expect(request?.name).toBe('POST /v1/tables/:table_id/rows');
});

test('requests on one connection are traces of their own; only a proxy decides about parents', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const get = async (id: string, proxied = {}) =>
    new Promise<void>((resolve, reject) => {
      const headers = { traceparent, 'x-request-id': id, ...proxied };
      httpRequest(`${origin}/v1/me`, { agent, headers }, (response) => {
        response.resume().once('end', () => resolve());
      })
        .once('error', reject)
        .end();
    });
  for (const id of ['kept-1', 'kept-2']) await get(id);
  await get('proxied', { 'x-forwarded-for': '192.0.2.7' });
  agent.destroy();
  const spans = await eventually(
    () =>
      collector
        .spans()
        .filter(({ attributes }) => String(attributes['workspace.request_id']).startsWith('kept-')),
    (found) => found.length === 2,
  );
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(2);
  for (const { traceId, parentSpanId, linkedTraces } of spans)
    expect([traceId === linkedTraces[0], parentSpanId, linkedTraces]).toEqual([
      false,
      undefined,
      ['0af7651916cd43dd8448eb211c80319c'],
    ]);
  const proxied = await eventually(
    () => collector.spans().find(({ attributes }) => attributes['workspace.request_id'] === 'proxied'),
    (found) => found !== undefined,
  );
  expect(proxied).toMatchObject({
    traceId: '0af7651916cd43dd8448eb211c80319c',
    parentSpanId: 'b7ad6b7169203331',
    linkedTraces: [],
  });
});

describe('metrics', () => {
  test('of the API have its requests, pools and connections', async () => {
    const samples = samplesOf(await textOf(api.ready.metricsPort));
    const names = new Set(samples.map(({ name }) => name));
    for (const name of [
      'http_server_request_duration_seconds_bucket',
      'workspace_pool_limit',
      'workspace_pool_size',
      'workspace_pool_busy',
      'workspace_pool_queue',
      'workspace_pool_wait_duration_seconds_bucket',
      'workspace_pool_job_duration_seconds_count',
      'workspace_append_commit_requests_count',
      'workspace_append_commit_rows_sum',
      'workspace_dependency_up',
      'db_client_connection_count',
      'db_client_connection_max',
      'process_memory_usage_bytes',
      'workspace_memory_limit_bytes',
      'nodejs_eventloop_utilization_ratio',
      'target_info',
    ])
      expect([...names]).toContain(name);
    expect(samples).toContainEqual(
      expect.objectContaining({
        name: 'http_server_request_duration_seconds_count',
        labels: expect.stringContaining('http_route="/v1/projects/:project_id/files/:file_id/imports"'),
        value: 1,
      }),
    );
    const labels = samples.map((sample) => sample.labels).join('\n');
    expect(labels).not.toMatch(/\b(?:org|prj|imp|fil|tbl|usr)_[0-9a-z]{8}/i);
  });

  test('of the worker have its processes, queues and repairs', async () => {
    const text = await eventually(
      () => textOf(worker.ready.healthPort),
      (seen) => seen.includes('workspace_reconciler_looks_total') && seen.includes('kind="tableImport"'),
    );
    const samples = samplesOf(text);
    expect(samples).toContainEqual({
      name: 'workspace_process_ended_total',
      labels: 'kind="tableImport",outcome="completed"',
      value: 1,
    });
    const names = new Set(samples.map(({ name }) => name));
    for (const name of [
      'workspace_process_duration_seconds_bucket',
      'workspace_process_failing',
      'workspace_task_queue_wait_duration_seconds_bucket',
      'workspace_task_queue_slots',
      'workspace_reconciler_items_total',
      'workspace_organization_stored_bytes',
      'workspace_dependency_up',
    ])
      expect([...names]).toContain(name);
    for (const queue of ['control', 'lake'])
      expect(text, queue).toMatch(
        new RegExp(
          `workspace_task_queue_wait_duration_seconds_count\\{task_queue="${queue}",task="activity"`,
        ),
      );
    const stored = samples.filter(({ name }) => name === 'workspace_organization_stored_bytes');
    expect(stored.map(({ labels }) => labels)).toContain(`organization="${client.organizationId}"`);
  });

  test('are not served to tenants, and are sent to the collector too', async () => {
    expect((await fetch(`${origin}/metrics`)).status).toBe(404);
    await expectEventually(() => [...collector.metricNames()]).toContain('http.server.request.duration');
    expect([...collector.metricNames()]).toContain('workspace.pool.job.duration');
  });
});

test('no value, statement or secret is in anything that was sent or shown', async () => {
  const everything = [
    collector.sent(),
    await textOf(api.ready.metricsPort),
    await textOf(worker.ready.healthPort),
  ].join('\n');
  expect(everything.length).toBeGreaterThan(10_000);
  for (const hidden of [cell, literal, client.clientSecret, await client.token(), 'animals'])
    expect(everything.includes(hidden), hidden).toBe(false);
  for (const name of ['S3_SECRET_ACCESS_KEY', 'ENCRYPTION_KEYS', 'DATABASE_URL'])
    expect(everything.includes(process.env[name]!), name).toBe(false);
});

test('a collector that does not answer costs a line in the log, and no request', async () => {
  const lonely = await startServiceProcess('api', {
    ...environment(),
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=${secret}`,
    OTEL_EXPORTER_OTLP_TIMEOUT: '1000',
    OTEL_METRIC_EXPORT_INTERVAL: '1000',
    METRICS_PORT: 'off',
  });
  expect(lonely.ready.metricsPort).toBe(undefined);
  const answer = await fetch(`http://127.0.0.1:${lonely.ready.port}/v1/me`);
  expect(answer.status).toBe(401);
  await expectEventually(() => lonely.log()).toContain('telemetry could not be sent');
  const { code, tookMs } = await lonely.stop();
  expect(code).toBe(0);
  expect(tookMs).toBeLessThan(15_000);
  expect(lonely.log().match(/telemetry could not be sent/g)).toHaveLength(1);
  expect(lonely.log()).not.toContain(secret);
});

test('what is set wrongly is named', () => {
  const configOf = (settings: Record<string, string>) => readApiConfig({ ...process.env, ...settings });
  expect(configOf({}).telemetry).toMatchObject({ sendsTraces: false, sendsMetrics: false });
  expect(configOf({}).metricsPort).toBe(9_464);
  expect(configOf({ METRICS_PORT: 'off' }).metricsPort).toBe(undefined);
  const onlyTraces = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' };
  expect(configOf(onlyTraces).telemetry).toMatchObject({ sendsTraces: true, sendsMetrics: false });
  for (const [name, value] of [
    ['METRICS_PORT', 'on'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_TRACES_SAMPLER', 'sometimes'],
    ['OTEL_TRACES_SAMPLER_ARG', '2'],
  ] as const)
    expect(() => configOf({ [name]: value }), name).toThrow(name);
});

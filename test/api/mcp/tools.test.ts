import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tools } from '../../../api/mcp/tools/index.ts';
import { eventually, expectEventually } from '../../support/eventually.ts';
import { type McpClient, mcpClientOf } from '../../support/mcp.ts';
import { useWorker } from '../../support/worker.ts';
import { graphOf, node, workflowsOf } from '../../support/workflows.ts';
import { type TestClient, useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);

const csv = 'order_no,city,amount\nA1,Porto,12.50\nA2,Lagos,7.25\nA3,Porto,30.00\n';
let client: TestClient;
let projectId: string;
let mcp: McpClient;

beforeAll(async () => {
  await workspace.listen();
  client = await workspace.organization();
  projectId = (await client.call('POST', '/v1/projects', { body: { name: 'Sales' } })).body.data.id;
  const written = await client.call('PUT', `/v1/projects/${projectId}/files/content?path=orders.csv`, {
    raw: { text: csv, contentType: 'text/csv' },
  });
  const body = { table_name: 'orders' };
  const started = await client.call(
    'POST',
    `/v1/projects/${projectId}/files/${written.body.data.id}/imports`,
    { body },
  );
  const ended = await eventually(
    () => client.call('GET', `/v1/table-imports/${started.body.data.id}`),
    ({ body: { data } }) => data.finishedAt !== null,
  );
  const { tableId } = ended.body.data;
  const attached = await client.call('POST', `/v1/projects/${projectId}/catalog-entries`, {
    body: { table_id: tableId },
  });
  expect(attached.status, attached.text).toBe(201);
  mcp = await mcpClientOf(workspace, await client.token());
});
afterAll(() => mcp?.close());

test.each(['2025', '2026'] as const)('tools say what they need, in the protocol of %s', async (protocol) => {
  const one = await mcpClientOf(workspace, await client.token(), protocol);
  const listed = (await one.client.listTools()).tools;
  expect(listed.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
  for (const { name, annotations, inputSchema, description } of listed) {
    const { scope, readOnly = scope === 'agent:read' } = tools.find((tool) => tool.name === name)!;
    expect(annotations, name).toMatchObject({ readOnlyHint: readOnly, openWorldHint: false });
    expect(inputSchema.additionalProperties, name).toBe(false);
    expect(description!.length, name).toBeGreaterThan(30);
  }
  expect((await one.answer('list_projects')).items[0].name).toBe('Sales');
  await one.close();
});

test('an agent finds imported data, looks at it, and answers a question about it', async () => {
  const { found } = await mcp.answer('search_catalog', { words: 'amount by cities' });
  expect(found[0]).toMatchObject({ name: 'orders', rowCount: 3, columns: expect.arrayContaining(['city']) });
  const listed = await mcp.answer('list_tables', { name_contains: 'ORD' });
  expect(listed).toMatchObject({ total: 1, nextOffset: null, tables: [{ id: found[0].id, kind: 'import' }] });
  const table = await mcp.answer('describe_table', { table_id: found[0].id, sample_rows: 1 });
  const names = table.columns.map((column: { name: string }) => column.name);
  expect([table.inSql, names]).toEqual(['"orders"', expect.arrayContaining(['order_no', 'city', 'amount'])]);
  expect(table.sample[0]).toEqual(expect.arrayContaining(['A1', 'Porto']));
  const sql = `SELECT city, sum(amount) AS total FROM ${table.inSql} GROUP BY city ORDER BY total DESC`;
  const answer = await mcp.answer('query', { sql, limit: 1 });
  expect(answer).toMatchObject({ rows: [['Porto', 42.5]], rowCount: 1, truncated: true });
  expect(answer.versions).toEqual([{ tableId: found[0].id, version: expect.any(Number) }]);
  const [{ tableId, version }] = answer.versions;
  const past = await mcp.answer('query', { sql, at_versions: { [tableId]: version } });
  expect(past.rows).toEqual([
    ['Porto', 42.5],
    ['Lagos', 7.25],
  ]);
});

test('the analyst is asked, tells how far it is, and shows its work', async () => {
  const told: unknown[] = [];
  const question = 'total amount by city as a bar chart';
  const result = await mcp.call(
    'ask_analyst',
    { project_id: projectId, question },
    { onprogress: (progress) => told.push(progress) },
  );
  const reply = result.structuredContent as Record<string, never>;
  expect(reply, JSON.stringify(reply)).toMatchObject({
    status: 'complete',
    charts: [{ chartId: expect.any(String) }],
  });
  expect(reply['answer']).toContain('Porto');
  expect(reply['steps']).toContainEqual(
    expect.objectContaining({
      name: 'run_sql',
      input: expect.objectContaining({ sql: expect.stringContaining('sum(') }),
    }),
  );
  expect(told.length).toBeGreaterThan(0);
  const image = result.content.find(({ type }) => type === 'image') as { data: string };
  expect(Buffer.from(image.data, 'base64').subarray(1, 4).toString()).toBe('PNG');
  const link = result.content.find(({ type }) => type === 'resource_link') as unknown as { uri: string };
  const { contents } = await mcp.client.readResource({ uri: link.uri });
  expect(JSON.parse((contents[0] as { text: string }).text).data.rowCount).toBe(2);
  const again = await mcp.answer('read_reply', {
    project_id: projectId,
    conversation_id: reply['conversationId'],
    message_id: reply['messageId'],
  });
  expect(again.answer).toBe(reply['answer']);
  const more = await mcp.answer('ask_analyst', {
    project_id: projectId,
    question: 'only Porto',
    conversation_id: reply['conversationId'],
  });
  expect([more.status, more.conversationId]).toEqual(['complete', reply['conversationId']]);
});

test('reports are written once per key, revised, read, and are resources', async () => {
  const first = { project_id: projectId, title: 'Cities', content: '# Cities', idempotency_key: 'report-1' };
  const { report } = await mcp.answer('write_report', first);
  expect((await mcp.answer('write_report', first)).report.id).toBe(report.id);
  const revised = { project_id: projectId, report_id: report.id, content: '# Cities\n\nPorto leads.' };
  expect((await mcp.answer('write_report', { ...revised, expected_revision: 1 })).report.revision).toBe(2);
  const late = await mcp.call('write_report', { ...revised, expected_revision: 1 });
  expect(late).toMatchObject({ isError: true, structuredContent: { code: 'revision_conflict' } });
  const read = await mcp.answer('read_report', { project_id: projectId, report_id: report.id });
  expect(read).toMatchObject({ content: revised.content, nextOffset: null });
  const long = { project_id: projectId, title: 'Long', content: `${'a'.repeat(49_999)}🎉b` };
  const { report: other } = await mcp.answer('write_report', long);
  const part = (offset: number) =>
    mcp.answer('read_report', { project_id: projectId, report_id: other.id, offset });
  expect(await part(0)).toMatchObject({ content: 'a'.repeat(49_999), nextOffset: 49_999 });
  expect(await part(49_999)).toMatchObject({ content: '🎉b', nextOffset: null });
  const { resources } = await mcp.client.listResources();
  const uri = `workspace://projects/${projectId}/reports/${report.id}`;
  expect(resources).toContainEqual(expect.objectContaining({ uri, name: 'Cities' }));
  const { contents } = await mcp.client.readResource({ uri });
  expect(contents).toEqual([{ uri, mimeType: 'text/markdown', text: revised.content }]);
  const { total, reports } = await mcp.answer('list_reports', { project_id: projectId });
  expect([total, reports[1].id]).toEqual([2, report.id]);
});

test('playbooks and workflows are run, followed and cancelled', async () => {
  const made = await client.call('POST', `/v1/projects/${projectId}/playbooks`, {
    body: {
      title: 'Cities',
      instructions: 'total amount by city',
      output: { type: 'report', title: 'By city' },
    },
  });
  expect(made.status, made.text).toBe(201);
  const { playbooks } = await mcp.answer('list_playbooks', { project_id: projectId });
  const { run } = await mcp.answer('run_playbook', {
    project_id: projectId,
    playbook_id: playbooks[0].id,
    wait_seconds: 120,
  });
  expect(run, JSON.stringify(run)).toMatchObject({
    status: 'succeeded',
    output: { reportId: expect.any(String) },
  });

  const { draft, activate } = workflowsOf(client, () => projectId);
  const graph = graphOf([node('one', 'query', { sql: 'SELECT 1 AS one' })]);
  const workflow = await activate(await draft(graph));
  const { workflows } = await mcp.answer('list_workflows', { status: 'active' });
  expect(workflows[0]).toMatchObject({ id: workflow.id, parameters: {} });
  const ran = await mcp.answer('run_workflow', { workflow_id: workflow.id, wait_seconds: 120 });
  expect(ran.run).toMatchObject({ status: 'succeeded', steps: [{ status: 'succeeded' }] });
  const begun = await mcp.answer('run_workflow', { workflow_id: workflow.id, wait_seconds: 0 });
  const id = { project_id: projectId, run_id: begun.run.id };
  await mcp.answer('cancel_run', id);
  const last = await mcp.answer('get_run', { ...id, wait_seconds: 120 });
  expect(['cancelled', 'succeeded']).toContain(last.run.status);
  const { runs } = await mcp.answer('list_runs', { project_id: projectId, kind: 'workflow' });
  expect(runs.map((each: { id: string }) => each.id)).toEqual([begun.run.id, ran.run.id]);
});

test('a profile is computed for who may write, and read by who may read', async () => {
  const { tables } = await mcp.answer('list_tables', { name_contains: 'orders' });
  const input = { table_id: tables[0].id, wait_seconds: 120 };
  const reader = await mcpClientOf(workspace, await client.token('agent:read'));
  const refused = await reader.call('profile_table', input);
  expect(refused).toMatchObject({ isError: true, structuredContent: { code: 'missing_scope' } });
  expect(await mcp.answer('profile_table', input)).toMatchObject({ stale: false, rowCount: 3 });
  expect(await reader.answer('profile_table', input)).toMatchObject({ stale: false, rowCount: 3 });
  await reader.close();
});

test('a query ends with its call', async () => {
  const sql = 'SELECT count(*) FROM range(100000000) a, range(100000) b';
  const droppedOnce = async () => {
    const one = await mcpClientOf(workspace, await client.token());
    const running = one.call('query', { sql, timeout_seconds: 120 }).catch(String);
    await delay(1_000);
    await one.close();
    await running;
    const { body } = await client.call('GET', '/v1/query-executions?limit=20');
    return body.items.filter((each: { sql: string }) => each.sql === sql);
  };
  // One that is dropped before it begins has no record.
  await expectEventually(droppedOnce).toContainEqual(
    expect.objectContaining({
      error: expect.objectContaining({ detail: expect.stringContaining('cancelled') }),
    }),
  );
});

test('parameters keep numbers that JavaScript cannot hold', async () => {
  const { draft, activate } = workflowsOf(client, () => projectId);
  const graph = graphOf([node('one', 'query', { sql: 'SELECT 1 AS one' })], [], { n: { type: 'number' } });
  const { id } = await activate(await draft(graph));
  const call = { name: 'run_workflow', arguments: { workflow_id: id, wait_seconds: 0, params: { n: 0 } } };
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call });
  const accept = 'application/json, text/event-stream';
  const sent = await client.call('POST', '/mcp', {
    raw: { text: text.replace('{"n":0}', '{"n":9007199254740993}'), contentType: 'application/json' },
    headers: { accept },
  });
  const runId = /wfr_\w+/.exec(sent.text)![0];
  const { rows } = await workspace.deps.lake.catalogPool.query(
    'SELECT params::text AS params FROM workflow_runs WHERE id = $1',
    [runId],
  );
  expect(rows[0].params).toContain('9007199254740993');
});

test('what a call began is told though looking at it is refused', async () => {
  const { draft, activate } = workflowsOf(client, () => projectId);
  const graph = graphOf([node('wait', 'approval', { message: 'Go on?' })]);
  const workflow = await activate(await draft(graph));
  const token = await client.token('agent:write');
  const writer = await mcpClientOf(workspace, token);
  const { run } = await writer.answer('run_workflow', { workflow_id: workflow.id, wait_seconds: 60 });
  expect(run.id).toMatch(/^wfr_/);
  await mcp.answer('cancel_run', { project_id: projectId, run_id: run.id });
  await writer.close();
});

describe('what is refused', () => {
  test('is an answer with the code of the route, or an error of the protocol', async () => {
    const codeOf = async (name: string, input: object) => {
      const { isError, structuredContent } = await mcp.call(name, input);
      expect(isError).toBe(true);
      return (structuredContent as { code?: string }).code;
    };
    expect(await codeOf('query', { sql: 'DROP TABLE orders' })).toBe('query_not_read_only');
    expect(await codeOf('query', { sql: 'SELECT * FROM nothing' })).toBe('query_failed');
    const wide = "SELECT repeat('x', 200000)";
    expect(await codeOf('query', { sql: wide })).toBe('answer_too_large');
    const long = await mcp.answer('query', { sql: "SELECT repeat('x', 999) FROM range(1000)", limit: 1_000 });
    expect([long.truncated, long.rowCount === long.rows.length, long.rowCount < 100]).toEqual([
      true,
      true,
      true,
    ]);
    const wrong = await mcp.call('query', { sql: 5 });
    expect([wrong.isError, JSON.stringify(wrong.content)]).toEqual([true, expect.stringContaining('sql')]);
    const unwanted = await mcp.call('list_projects', { surprise: 1 });
    expect(unwanted.isError).toBe(true);
    await expect(mcp.call('no_such_tool')).rejects.toMatchObject({ code: -32602 });
    const uri = `workspace://projects/${projectId}/reports/rpt_01kahz3v6dfyvb1s8m3h9q2w4x`;
    await expect(mcp.client.readResource({ uri })).rejects.toThrow();
  });

  test('another organization’s ids name nothing', async () => {
    const other = await workspace.organization();
    const stranger = await mcpClientOf(workspace, await other.token());
    const { tables } = await mcp.answer('list_tables', { name_contains: 'orders' });
    const project = { project_id: projectId };
    const calls: [string, object][] = [
      ['describe_table', { table_id: tables[0].id }],
      ['profile_table', { table_id: tables[0].id }],
      ['list_reports', project],
      ['write_report', { ...project, title: 'x', content: 'x' }],
      ['generate_report', { ...project, prompt: 'x' }],
      ['list_playbooks', project],
      ['list_runs', project],
      ['ask_analyst', { ...project, question: 'x' }],
      ['describe_table', { table_id: 'tbl_../../../projects' }],
      ['describe_table', { table_id: '.' }],
      ['list_runs', { project_id: '..' }],
      ['run_playbook', { project_id: projectId, playbook_id: '..' }],
    ];
    for (const [name, input] of calls)
      expect(await stranger.call(name, input), name).toMatchObject({
        isError: true,
        structuredContent: { code: 'not_found' },
      });
    expect((await stranger.answer('list_tables')).total).toBe(0);
    expect((await stranger.client.listResources()).resources).toEqual([]);
    await stranger.close();
  });

  test('more calls at once than a caller may have', async () => {
    const { draft, activate } = workflowsOf(client, () => projectId);
    const graph = graphOf([node('wait', 'approval', { message: 'Go on?' })]);
    const workflow = await activate(await draft(graph));
    const { run } = await mcp.answer('run_workflow', { workflow_id: workflow.id, wait_seconds: 0 });
    const id = { project_id: projectId, run_id: run.id };
    const patient = await mcpClientOf(workspace, await client.token());
    const waiting = Array.from({ length: 21 }, () =>
      patient
        .call('get_run', { ...id, wait_seconds: 300 }, { timeout: 300_000 })
        .catch((error: unknown) => String(error)),
    );
    expect(await Promise.race(waiting)).toContain('rate_limited');
    // Their connections end with the client, and their places with them.
    await patient.close();
    await Promise.all(waiting);
    await expectEventually(() => mcp.call('list_projects').catch(String)).toHaveProperty('content');
    await mcp.answer('cancel_run', id);
  });
});

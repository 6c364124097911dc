import { beforeAll, beforeEach, expect, test } from 'vitest';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { insertRun, moveRun } from '../../../../domain/workspace/runs/runs.ts';
import { projectOf, useModelServer } from '../../../support/conversations.ts';
import { eventually } from '../../../support/eventually.ts';
import type { ModelReply, ModelRequestBody } from '../../../support/model-server.ts';
import { attachedTable, endedRun } from '../../../support/runs.ts';
import { useWorker } from '../../../support/worker.ts';
import { type TestClient, useOwnWorkspace } from '../../../support/workspace.ts';

/** Playbooks run by the real worker: with the offline analyst, and with a scripted model. */
type Answer = (request: ModelRequestBody) => ModelReply | Promise<ModelReply>;
let script: Answer[] = [];
const models = useModelServer((request) => script.shift()?.(request) ?? { text: 'Done.' });
const workspace = useOwnWorkspace({}, () => models.environment());
useWorker(workspace);

let client: TestClient;
let project: string;

beforeAll(async () => {
  client = await workspace.organization();
  project = await projectOf(client);
  await attachedTable(client, project, 'orders', [
    { s_id: 1, region: 'north', amount: 10, day: '2026-01-05' },
    { s_id: 2, region: 'north', amount: 20, day: '2026-02-05' },
    { s_id: 3, region: 'south', amount: 40, day: '2026-02-06' },
  ]);
});

beforeEach(() => {
  script = [];
});

async function playbook(body: object): Promise<string> {
  const made = await client.call('POST', `/v1/projects/${project}/playbooks`, {
    body: { title: 'Sales', ...body },
  });
  expect(made.status, made.text).toBe(201);
  return made.body.data.id;
}

async function started(id: string, params: object = {}) {
  const url = `/v1/projects/${project}/playbooks/${id}/runs`;
  const answer = await client.call('POST', url, { body: { params } });
  expect(answer.status, answer.text).toBe(202);
  expect(answer.headers['location']).toBe(`/v1/projects/${project}/runs/${answer.body.data.id}`);
  return answer.body.data;
}

const run = async (id: string, params: object = {}) =>
  endedRun(client, project, (await started(id, params)).id);

const report = async (id: string) => {
  const url = `/v1/projects/${project}/reports/${id}`;
  const { body } = await client.call('GET', url);
  return { ...body.data, content: (await client.call('GET', `${url}/content`)).text };
};

test('the offline analyst carries out a list of questions, with the parameters filled in', async () => {
  const id = await playbook({
    instructions:
      '# Sales by ${group}\n\nFigures of the year.\n\n## Amounts\n\n- total amount by ${group} as a bar chart\n- how many orders\n\n## Best\n\n1. top 1 orders by amount',
    parameters: { group: { type: 'string', required: true } },
    output: { type: 'report', title: 'By ${group}' },
    model: 'offline',
  });
  const ended = await run(id, { group: 'region' });
  expect(ended).toMatchObject({
    kind: 'playbook',
    status: 'succeeded',
    error: null,
    progress: 1,
    resource: { type: 'playbook', id },
    workflowId: `agent-run/${ended.id}`,
  });
  const made = await report(ended.output.reportId);
  expect(made).toMatchObject({ title: 'By region', source: 'playbook', sourceId: id, revision: 1 });
  expect(made.dataVersions).toHaveLength(1);
  expect(made.content).toContain('# Sales by region\n\nFigures of the year.\n\n## Amounts');
  expect(made.content).toMatch(/\| south \| 40 \|/);
  expect(made.content).toMatch(/\| north \| 30 \|/);
  expect(made.content).toMatch(/!\[[^\]]+\]\(chart:cht_\w+\)/);
  expect(made.content).toContain('**3**');
  expect(made.content.indexOf('## Best')).toBeGreaterThan(made.content.indexOf('**3**'));
  const tools = ended.steps.map(({ name, status }: { name: string; status: string }) => [name, status]);
  expect(tools).toEqual([
    ['list_tables', 'succeeded'],
    ['describe_table', 'succeeded'],
    ['run_sql', 'succeeded'],
    ['run_sql', 'succeeded'],
    ['run_sql', 'succeeded'],
    ['draw_chart', 'succeeded'],
  ]);
});

test('a question that is not understood ends the run as failed, with the question', async () => {
  const id = await playbook({ instructions: '- total amount\n- the gluon flux of orders', model: 'offline' });
  const ended = await run(id);
  expect(ended).toMatchObject({ status: 'failed', output: null, error: { code: 'question_asked' } });
  expect(ended.error.message).toContain('gluon');
});

test('what a model says last is the report, and what it drew and did not show is at its end', async () => {
  let offered: string[] = [];
  let chart = '';
  script = [
    ({ tools = [] }) => {
      offered = tools.map((tool) => tool.function.name);
      const sql = 'SELECT region, sum(amount) AS total FROM orders GROUP BY region ORDER BY region';
      return {
        text: 'I look first.',
        toolCalls: [{ name: 'run_sql', arguments: JSON.stringify({ sql, title: 'Totals' }) }],
      };
    },
    ({ messages }) => {
      const { resultId } = JSON.parse(messages.at(-1).content.split('\n')[1]);
      const input = { result_id: resultId, kind: 'bar', x: 'region', y: 'total', title: 'By region' };
      return { toolCalls: [{ name: 'draw_chart', arguments: JSON.stringify(input) }] };
    },
    ({ messages }) => {
      chart = JSON.parse(messages.at(-1).content.split('\n')[1]).chartId;
      return { text: '# Regions\n\nSouth leads.' };
    },
  ];
  const id = await playbook({ instructions: 'Which region leads?', model: 'local/scripted' });
  const ended = await run(id);
  expect(ended).toMatchObject({ status: 'succeeded' });
  expect(offered).toContain('ask_person');
  expect(offered).not.toContain('write_report');
  const made = await report(ended.output.reportId);
  expect(made.title).toBe('Regions');
  expect(made.content).toBe(`# Regions\n\nSouth leads.\n\n![By region](chart:${chart})\n`);
});

test('a model that asks ends the run with its question', async () => {
  script = [
    () => ({
      toolCalls: [{ name: 'ask_person', arguments: JSON.stringify({ question: 'Which year?' }) }],
    }),
  ];
  const ended = await run(await playbook({ instructions: 'Sum it up.', model: 'local/scripted' }));
  expect(ended).toMatchObject({
    status: 'failed',
    error: { code: 'question_asked', message: 'Which year?' },
  });
});

test('a provider that fails ends the run with what went wrong', async () => {
  script = [() => ({ status: 401, body: { error: { message: 'no' } } }) as ModelReply];
  const ended = await run(await playbook({ instructions: 'Sum it up.', model: 'local/scripted' }));
  expect(ended.status).toBe('failed');
  expect(ended.error.code).toMatch(/^model_/);
});

test('a file is delivered at its path, which may name parameters, and its next version by the next run', async () => {
  const id = await playbook({
    instructions: '- how many orders',
    parameters: { day: { type: 'date', default: '2026-02-01' } },
    output: { type: 'file', path: 'summaries/${day}.md' },
    model: 'offline',
  });
  const first = await run(id);
  const second = await run(id);
  expect(second.output.fileId).toBe(first.output.fileId);
  const { body } = await client.call('GET', `/v1/projects/${project}/files/${first.output.fileId}`);
  expect(body.data).toMatchObject({ path: 'summaries/2026-02-01.md', version: 2 });
});

test('a cancel ends the run and what the model was doing', async () => {
  const asked = Promise.withResolvers<void>();
  script = [
    () => {
      asked.resolve();
      return { text: Array.from({ length: 1_000 }, () => 'word '), delayMs: 50 };
    },
  ];
  const { id } = await started(await playbook({ instructions: 'Take your time.', model: 'local/scripted' }));
  await asked.promise;
  const url = `/v1/projects/${project}/runs/${id}/cancel?confirm=true`;
  expect((await client.call('POST', url)).status).toBe(202);
  expect(await endedRun(client, project, id)).toMatchObject({
    status: 'cancelled',
    output: null,
    error: null,
  });
  const handle = workspace.temporal.workflow.getHandle(`agent-run/${id}`);
  await handle.result().catch(() => undefined);
  const { status, searchAttributes } = await handle.describe();
  expect([status.name, searchAttributes['Outcome']]).toEqual(['CANCELLED', ['cancelled']]);
});

test('nobody sees where the analyst works, and nothing of it is left', async () => {
  const gate = Promise.withResolvers<void>();
  script = [
    async () => {
      await gate.promise;
      return { text: 'Done.' };
    },
  ];
  const { id } = await started(await playbook({ instructions: 'Sum it up.', model: 'local/scripted' }));
  const working = () =>
    inOrganization(workspace.deps.db, client.organizationId, (db) =>
      db.selectFrom('conversations').select('id').where('run_id', '=', id).execute(),
    );
  const [conversation] = await eventually(working, (rows) => rows.length > 0);
  const url = `/v1/projects/${project}/conversations`;
  expect((await client.call('GET', url)).body.items).toEqual([]);
  expect((await client.call('GET', `${url}/${conversation!.id}`)).status).toBe(404);
  const posted = await client.call('POST', `${url}/${conversation!.id}/messages`, { body: { message: 'x' } });
  expect(posted.status).toBe(404);
  gate.resolve();
  expect(await endedRun(client, project, id)).toMatchObject({ status: 'succeeded' });
  await eventually(working, (rows) => rows.length === 0);
});

test('the same request under one key starts one run', async () => {
  const id = await playbook({ instructions: '- how many orders', model: 'offline' });
  const url = `/v1/projects/${project}/playbooks/${id}/runs`;
  const headers = { 'idempotency-key': 'run-once' };
  const [first, second] = [
    await client.call('POST', url, { body: { params: {} }, headers }),
    await client.call('POST', url, { body: { params: {} }, headers }),
  ];
  expect(second.text).toBe(first.text);
  expect(second.headers['idempotent-replayed']).toBe('true');
});

test('runs that are not ended are bounded, and the answer says when to come again', async () => {
  const other = await workspace.organization();
  const theirs = await projectOf(other);
  await inOrganization(workspace.deps.db, other.organizationId, async (db) => {
    for (let index = 0; index < 200; index += 1)
      await insertRun(db, {
        organization_id: other.organizationId,
        id: `run_${index}`,
        project_id: theirs,
        kind: 'playbook',
        trigger_type: 'api',
        title: 'Waits',
        resource_type: 'playbook',
        resource_id: 'none',
        workflow_id: `agent-run/run_${index}`,
      });
  });
  const body = { prompt: 'how many orders', model: 'offline' };
  const answer = await other.call('POST', `/v1/projects/${theirs}/reports`, { body });
  expect([answer.status, answer.body.code, answer.headers['retry-after']]).toEqual([
    429,
    'rate_limited',
    '30',
  ]);
  expect((await client.call('POST', `/v1/projects/${project}/reports`, { body })).status).toBe(202);
});

test('a run that ended meanwhile delivers nothing', async () => {
  const gate = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  script = [
    async () => {
      asked.resolve();
      await gate.promise;
      return { text: 'Late.' };
    },
  ];
  const output = { type: 'file', path: 'late.md' };
  const { id } = await started(await playbook({ instructions: 'Wait.', model: 'local/scripted', output }));
  await asked.promise;
  await inOrganization(workspace.deps.db, client.organizationId, (db) =>
    moveRun(db, { organization_id: client.organizationId, id }, 'running', 'cancelled'),
  );
  gate.resolve();
  await workspace.temporal.workflow
    .getHandle(`agent-run/${id}`)
    .result()
    .catch(() => undefined);
  const files = await client.call('GET', `/v1/projects/${project}/files`);
  expect(files.body.items.map(({ path }: { path: string }) => path)).not.toContain('late.md');
  expect(await endedRun(client, project, id)).toMatchObject({ status: 'cancelled', output: null });
});

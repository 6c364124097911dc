import { beforeAll, beforeEach, expect, test } from 'vitest';
import { projectOf, useModelServer } from '../../../support/conversations.ts';
import type { ModelReply, ModelRequestBody } from '../../../support/model-server.ts';
import { attachedTable, endedRun } from '../../../support/runs.ts';
import { useWorker } from '../../../support/worker.ts';
import { type TestClient, useOwnWorkspace } from '../../../support/workspace.ts';

/** Reports requested with a prompt. */
let script: ((request: ModelRequestBody) => ModelReply)[] = [];
const models = useModelServer((request) => script.shift()?.(request) ?? { text: 'Done.' });
const workspace = useOwnWorkspace({}, models.environment);
useWorker(workspace);

let client: TestClient;
let project: string;
let url: string;

beforeAll(async () => {
  client = await workspace.organization();
  project = await projectOf(client);
  url = `/v1/projects/${project}/reports`;
  await attachedTable(client, project, 'orders', [
    { s_id: 1, region: 'north', amount: 10 },
    { s_id: 2, region: 'south', amount: 40 },
  ]);
});

beforeEach(() => {
  script = [];
});

test('the offline analyst writes a report of a prompt, and its chart outlives what it worked with', async () => {
  const prompt = 'Total amount by region as a bar chart';
  const started = await client.call('POST', url, { body: { prompt, model: 'offline' } });
  expect(started.status, started.text).toBe(202);
  expect(started.body.data).toMatchObject({ kind: 'report', status: 'queued', title: prompt });
  expect(started.headers['location']).toBe(`/v1/projects/${project}/runs/${started.body.data.id}`);
  const run = await endedRun(client, project, started.body.data.id);
  expect(run).toMatchObject({ status: 'succeeded', resource: { type: 'report', id: run.output.reportId } });
  // The analyst's working data is removed with the run.
  await workspace.temporal.workflow.getHandle(run.workflowId).result();
  const report = `${url}/${run.output.reportId}`;
  expect((await client.call('GET', report)).body.data).toMatchObject({ source: 'api', sourceId: run.id });
  const markdown = await client.call('GET', `${report}/content?format=markdown`);
  expect(markdown.text).toContain('data:image/svg+xml;base64,');
  expect(markdown.text).toMatch(/\| south \| +40 \|/);
  const pdf = await client.call('GET', `${report}/content?format=pdf`);
  expect([pdf.status, pdf.headers['content-type']]).toEqual([200, 'application/pdf']);
});

test('a title that is given is the report’s', async () => {
  script = [() => ({ text: '# Another\n\nText.' })];
  const body = { prompt: 'Write.', title: 'Ours', model: 'local/scripted' };
  const { id } = (await client.call('POST', url, { body })).body.data;
  const { output } = await endedRun(client, project, id);
  expect((await client.call('GET', `${url}/${output.reportId}`)).body.data.title).toBe('Ours');
});

test.each([
  ['neither content nor prompt', {}, ['body', 'title'], 'missing'],
  ['both', { prompt: 'x', content: 'x' }, ['body', 'content'], 'extra_forbidden'],
  [
    'a model without a prompt',
    { title: 'x', content: 'x', model: 'offline' },
    ['body', 'model'],
    'extra_forbidden',
  ],
  ['an unknown model', { prompt: 'x', model: 'none' }, ['body', 'model'], 'enum'],
])('%s is refused at its place', async (_, body, loc, type) => {
  const answer = await client.call('POST', url, { body });
  expect(answer.status, answer.text).toBe(422);
  expect(answer.body.detail[0]).toMatchObject({ loc, type });
});

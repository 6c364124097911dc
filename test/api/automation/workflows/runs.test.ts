import { beforeAll, expect, test } from 'vitest';
import { endWorkflowRun } from '../../../../domain/automation/workflows/runs/end.ts';
import { workflowRunSteps } from '../../../../domain/automation/workflows/runs/reconcile.ts';
import { projectOf } from '../../../support/conversations.ts';
import { eventually } from '../../../support/eventually.ts';
import { reconcile } from '../../../support/reconcile.ts';
import { attachedTable } from '../../../support/runs.ts';
import { writtenPlaybook } from '../../../support/schedules.ts';
import { useWorker } from '../../../support/worker.ts';
import { graphOf, node, steps, workflowsOf } from '../../../support/workflows.ts';
import { type TestClient, useOwnWorkspace } from '../../../support/workspace.ts';

const workspace = useOwnWorkspace();
useWorker(workspace);

let client: TestClient;
let project: string;
let workflows: ReturnType<typeof workflowsOf>;
const url = '/v1/workflows';

beforeAll(async () => {
  client = await workspace.organization();
  project = await projectOf(client);
  workflows = workflowsOf(client, () => project);
  await attachedTable(client, project, 'orders', [
    { s_id: 1, amount: 2, country: 'AT' },
    { s_id: 2, amount: 40, country: "D'E" },
  ]);
});

const since = { least: { type: 'number', required: false, default: 10 } };
const branches = graphOf(
  [
    node('sales', 'query', {
      sql: 'SELECT sum(amount) AS total FROM orders WHERE amount >= ${params.least}',
    }),
    node('enough', 'condition', { sql: 'SELECT total >= 40 FROM input' }),
    node('good', 'report', { title: 'Good', content: 'Sold ${sales.rows}.' }),
    node('bad', 'report', { title: 'Bad', content: 'Sold ${sales.rows} only.' }),
    node('after', 'wait', { until: '2020-01-01T00:00:00Z' }),
  ],
  [
    ['sales.rows', 'enough.input'],
    ['enough.yes', 'good.start'],
    ['enough.no', 'bad.start'],
    ['good.done', 'after.start'],
    ['bad.done', 'after.start'],
  ],
  since,
);

test('a run takes the branch that its data says, and skips the other', async () => {
  const { id } = await workflows.active(branches);
  const run = await workflows.ran(id);
  expect(run).toMatchObject({ kind: 'workflow', status: 'succeeded', progress: 1, error: null });
  expect(run.resource).toEqual({ type: 'workflow', id });
  expect(steps(run)).toEqual({
    sales: 'succeeded',
    enough: 'succeeded',
    good: 'succeeded',
    bad: 'skipped',
    after: 'succeeded',
  });
  const [reportId] = run.output.reportIds;
  const report = await client.call('GET', `/v1/projects/${project}/reports/${reportId}/content`);
  expect(report.text).toBe('Sold 40.');
  const listed = await client.call('GET', `/v1/projects/${project}/reports/${reportId}`);
  expect(listed.body.data.source).toBe('workflow');
  const little = await workflows.ran(id, { least: 100 });
  expect(steps(little)).toMatchObject({ enough: 'failed' });
  expect(little.error).toMatchObject({ code: 'condition_invalid', nodeId: 'enough' });
  expect(little.error.message).toContain('NULL');
});

test('it is a run of the project, which its owner alone sees', async () => {
  const { id } = await workflows.active(graphOf([node('one', 'query', { sql: 'SELECT 1 AS a' })]));
  const run = await workflows.ran(id);
  const listed = await client.call('GET', `/v1/projects/${project}/runs?kind=workflow&limit=1`);
  expect(listed.body.items).toEqual([run]);
  expect((await client.call('GET', `${url}/${id}/runs?status=succeeded`)).body.items).toEqual([run]);
  expect((await client.call('GET', `${url}/${id}/runs?status=failed`)).body.items).toEqual([]);
  const other = await workspace.organization();
  for (const path of ['', `/${run.id}`, `/${run.id}/approvals`])
    expect((await other.call('GET', `${url}/${id}/runs${path}`)).status).toBe(404);
  const another = await workflows.active(graphOf([node('one', 'query', { sql: 'SELECT 1 AS a' })]));
  expect((await client.call('GET', `${url}/${another.id}/runs/${run.id}`)).status).toBe(404);
});

test('what a caller gives is a value in SQL, whatever it holds', async () => {
  const { id } = await workflows.active(
    graphOf(
      [
        node('found', 'query', { sql: 'SELECT count(*) AS n FROM orders WHERE country = ${params.country}' }),
        node('told', 'report', { title: 'Found', content: '${found.rows}' }),
      ],
      [],
      { country: { type: 'string', required: true } },
    ),
  );
  const counted = async (country: string) => {
    const run = await workflows.ran(id, { country });
    expect(run.status, JSON.stringify(run)).toBe('succeeded');
    return (await client.call('GET', `/v1/projects/${project}/reports/${run.output.reportIds[0]}/content`))
      .text;
  };
  expect(await counted("D'E")).toBe('1');
  expect(await counted("x' OR 1 = 1 --")).toBe('0');
  expect(await counted('\\')).toBe('0');
  const missing = await client.call('POST', `${url}/${id}/runs`, { body: { params: {} } });
  expect(missing.status).toBe(422);
  expect(missing.body.detail[0].loc).toEqual(['body', 'params', 'country']);
});

test('a run that needs no params needs no body', async () => {
  const { id } = await workflows.active(graphOf([node('one', 'query', { sql: 'SELECT 1 AS a' })]));
  const started = await client.call('POST', `${url}/${id}/runs`);
  expect(started.status, started.text).toBe(202);
});

test('a run by the API takes the params of the enabled trigger, and what is sent wins', async () => {
  const api = (enabled: boolean, country: string) => ({ type: 'api', enabled, params: { country } });
  const graph = graphOf(
    [node('told', 'report', { title: 'T', content: '${params.country} ${params.since}' })],
    [],
    { country: { type: 'string', required: true }, since: { type: 'date', default: '2026-01-01' } },
  );
  const said = async (id: string, params: object) => {
    const run = await workflows.ran(id, params);
    const [report] = run.output.reportIds;
    return (await client.call('GET', `/v1/projects/${project}/reports/${report}/content`)).text;
  };
  const triggers = [api(false, 'no'), api(true, 'AT'), api(true, 'DE')];
  const { id } = await workflows.active(graph, { triggers });
  expect(await said(id, {})).toBe('AT 2026-01-01');
  expect(await said(id, { country: 'CH', since: '2026-02-02' })).toBe('CH 2026-02-02');
  const disabled = await workflows.active(graph, { triggers: [api(false, 'no')] });
  const start = (params: object) => client.call('POST', `${url}/${disabled.id}/runs`, { body: { params } });
  expect((await start({})).body.detail).toMatchObject([{ loc: ['body', 'params', 'country'] }]);
  expect((await start({ country: 'CH' })).status).toBe(202);
});

test('a failed run is mended by its data and resumed with what was done kept', async () => {
  const { id } = await workflows.active(
    graphOf(
      [
        node('first', 'report', { title: 'Kept', content: 'Once.' }),
        node('book', 'playbook', { playbook_id: await writtenPlaybook(client, project) }),
        node('broken', 'query', { sql: 'SELECT error(${params.why}) AS a' }),
        node('last', 'report', { title: 'Last', content: 'Done.' }),
      ],
      [
        ['first.done', 'broken.start'],
        ['broken.done', 'last.start'],
      ],
      { why: { type: 'string', required: true } },
    ),
  );
  const run = await workflows.ran(id, { why: 'out of luck' });
  expect(run.status).toBe('failed');
  expect(steps(run)).toEqual({ first: 'succeeded', book: 'succeeded', broken: 'failed' });
  expect(run.error).toMatchObject({ code: 'query_failed', nodeId: 'broken' });
  const resumed = await client.call('POST', `${url}/${id}/runs/${run.id}/resume`);
  expect(resumed.status, resumed.text).toBe(202);
  expect(resumed.body.data).toMatchObject({ id: run.id, status: 'running', error: null, finishedAt: null });
  // A repeated call by the previous process changes nothing.
  const stale = { organizationId: client.organizationId, runId: run.id };
  expect(await endWorkflowRun(workspace.activityDeps, stale, { resumes: 0 })).toEqual({
    status: 'failed',
    errorCode: expect.any(String),
  });
  const again = await workflows.ended(id, run.id);
  expect(again).toMatchObject({ status: 'failed', error: { nodeId: 'broken' } });
  expect(again.steps.find(({ id: step }: { id: string }) => step === 'first')).toEqual(
    run.steps.find(({ id: step }: { id: string }) => step === 'first'),
  );
  const reports = (await client.call('GET', `/v1/projects/${project}/reports`)).body.items;
  expect(reports.filter(({ title }: { title: string }) => title === 'Kept')).toHaveLength(1);
});

test('values of a config are held in memory, and so bounded', async () => {
  const sql = "SELECT repeat('x', 60000) AS a";
  const content = '${large.rows} '.repeat(100);
  const { id } = await workflows.active(
    graphOf([node('large', 'query', { sql }), node('told', 'report', { title: 'Large', content })]),
  );
  const run = await workflows.ran(id);
  expect(run.error).toMatchObject({ code: 'invalid_request', nodeId: 'told' });
  expect(run.error.message).toContain('characters in total');
});

test('a node that fails is tried again as often as it says', async () => {
  const sql = "SELECT error('always') AS a";
  const { id } = await workflows.active(
    graphOf([node('broken', 'query', { sql }, { retry: { max_attempts: 2 } })]),
  );
  const begun = Date.now();
  const run = await workflows.ran(id);
  expect(run.status).toBe('failed');
  // The second attempt follows after five seconds.
  expect(Date.now() - begun).toBeGreaterThan(4_500);
});

test('a person allows or denies, once', async () => {
  const { id } = await workflows.active(
    graphOf(
      [
        node('release', 'approval', { message: 'Send it?' }),
        node('sent', 'report', { title: 'Sent', content: 'x' }),
      ],
      [['release.approved', 'sent.start']],
    ),
  );
  const asked = async () => {
    const { id: runId } = await workflows.start(id);
    await workflows.until(id, runId, ({ status }) => status === 'waiting');
    const approvals = `${url}/${id}/runs/${runId}/approvals`;
    const [approval] = (await client.call('GET', approvals)).body.items;
    expect(approval).toMatchObject({ nodeId: 'release', message: 'Send it?', status: 'pending' });
    const decide = (decision: string, note?: string) =>
      client.call('POST', `${approvals}/${approval.id}`, { body: { decision, note } });
    return { runId, decide };
  };
  const first = await asked();
  const answers = await Promise.all([first.decide('allow', 'Yes'), first.decide('deny')]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  const isAllowed = answers[0]!.status === 200;
  const ended = await workflows.ended(id, first.runId);
  expect(ended.status).toBe(isAllowed ? 'succeeded' : 'failed');
  const second = await asked();
  expect((await second.decide('deny', 'Not yet')).body.data).toMatchObject({
    status: 'denied',
    note: 'Not yet',
    decidedBy: client.clientId,
  });
  const denied = await workflows.ended(id, second.runId);
  expect(denied.error).toMatchObject({
    code: 'approval_denied',
    message: expect.stringContaining('Not yet'),
  });
});

test('a cancel reaches what its nodes wait for', async () => {
  const { id } = await workflows.active(
    graphOf([node('long', 'wait', { seconds: 3_600 }), node('release', 'approval', { message: 'Well?' })]),
  );
  const { id: runId } = await workflows.start(id);
  await workflows.until(id, runId, ({ status }) => status === 'waiting');
  const answer = await client.call('POST', `${url}/${id}/runs/${runId}/cancel?confirm=true`);
  expect(answer.status, answer.text).toBe(202);
  const run = await workflows.ended(id, runId);
  expect(run.status).toBe('cancelled');
  expect(steps(run)).toEqual({ long: 'cancelled', release: 'cancelled' });
  const [approval] = (await client.call('GET', `${url}/${id}/runs/${runId}/approvals`)).body.items;
  expect(approval.status).toBe('expired');
  expect((await client.call('POST', `${url}/${id}/runs/${runId}/resume`)).status).toBe(409);
});

test('a draft and a paused workflow are not run, and say so', async () => {
  const draft = await workflows.draft(graphOf([node('one', 'query', { sql: 'SELECT 1 AS a' })]));
  const start = (id: string) => client.call('POST', `${url}/${id}/runs`, { body: {} });
  expect((await start(draft.id)).body).toMatchObject({ code: 'conflict' });
  const active = await workflows.activate(draft);
  expect((await client.call('POST', `${url}/${draft.id}/pause`)).body.data.status).toBe('paused');
  expect((await start(draft.id)).body.detail).toContain('paused');
  const resumed = (await client.call('POST', `${url}/${draft.id}/resume`)).body.data;
  expect(resumed).toMatchObject({ status: 'active', activeVersionId: active.activeVersionId });
  expect((await start(draft.id)).status).toBe(202);
});

test('a run stays on the version that it began with', async () => {
  const slow = (text: string) =>
    graphOf(
      [node('wait', 'wait', { seconds: 2 }), node('said', 'report', { title: 'Said', content: text })],
      [['wait.done', 'said.start']],
    );
  const first = await workflows.active(slow('old'));
  const { id: runId } = await workflows.start(first.id);
  const put = await client.call('PUT', `${url}/${first.id}`, {
    body: { title: 'Sales', graph: slow('new') },
  });
  const second = await workflows.activate(put.body.data);
  expect(second.activeVersionId).not.toBe(first.activeVersionId);
  const contentOf = async (run: { output: { reportIds: string[] } }) =>
    (await client.call('GET', `/v1/projects/${project}/reports/${run.output.reportIds[0]}/content`)).text;
  expect(await contentOf(await workflows.ended(first.id, runId))).toBe('old');
  expect(await contentOf(await workflows.ran(first.id))).toBe('new');
  const back = await workflows.activate(second, { version_id: first.activeVersionId });
  expect(back.activeVersionId).toBe(first.activeVersionId);
  expect(await contentOf(await workflows.ran(first.id))).toBe('old');
  const versions = (await client.call('GET', `${url}/${first.id}/versions`)).body.items;
  expect(versions.map(({ number }: { number: number }) => number)).toEqual([2, 1]);
  expect(versions[0].changes).toMatchObject({ nodesChanged: ['said'], nodesAdded: [], edgesAdded: [] });
  const one = await client.call('GET', `${url}/${first.id}/versions/${versions[1].id}`);
  expect(one.body.data).toEqual(versions[1]);
});

test('an activation is all or nothing', async () => {
  const broken = graphOf([node('one', 'query', {}), node('two', 'teapot')], [['one.rows', 'two.input']]);
  const draft = await workflows.draft(broken);
  const activate = (revision: number) =>
    client.call('POST', `${url}/${draft.id}/activation`, { body: { expected_revision: revision } });
  const refused = await activate(draft.revision);
  expect(refused.status).toBe(422);
  expect(refused.body.detail.map(({ loc }: { loc: unknown[] }) => loc.slice(0, 4))).toEqual(
    expect.arrayContaining([
      ['body', 'graph', 'nodes', 0],
      ['body', 'graph', 'nodes', 1],
    ]),
  );
  expect((await activate(draft.revision + 1)).body).toMatchObject({
    code: 'revision_conflict',
    current_revision: 1,
  });
  const shown = (await client.call('GET', `${url}/${draft.id}`)).body.data;
  expect(shown).toMatchObject({ status: 'draft', activeVersionId: '', revision: 1 });
  expect((await client.call('GET', `${url}/${draft.id}/versions`)).body.items).toEqual([]);
});

test('a run whose process was ended by force is told as failed, and can be resumed', async () => {
  const { id } = await workflows.active(graphOf([node('long', 'wait', { seconds: 3_600 })]));
  const { id: runId } = await workflows.start(id);
  await workflows.until(id, runId, (run) => steps(run)['long'] === 'running');
  await workspace.temporal.workflow.getHandle(`workflow-run/${runId}`).terminate();
  await reconcile(workspace, workflowRunSteps(workspace.activityDeps, 0));
  const run = await workflows.ended(id, runId);
  expect(run).toMatchObject({ status: 'failed', error: { code: 'terminated' } });
  expect((await client.call('POST', `${url}/${id}/runs/${runId}/resume`)).status).toBe(202);
  await eventually(
    async () => steps(await workflows.shown(id, runId)),
    (seen) => seen['long'] === 'running',
  );
});

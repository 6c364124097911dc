import { beforeAll, expect, test } from 'vitest';
import { shaping } from '../../../support/calculated.ts';
import { dashboardsOf } from '../../../support/dashboards.ts';
import { expectEventually } from '../../../support/eventually.ts';
import { replaceGrants } from '../../../support/grants.ts';
import { personOf } from '../../../support/people.ts';
import { useWorker } from '../../../support/worker.ts';
import { graphOf, node, steps, workflowsOf } from '../../../support/workflows.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);
let client: TestClient;
let project: string;
let on: ReturnType<typeof shaping>;
let flows: ReturnType<typeof workflowsOf>;

beforeAll(async () => {
  client = await workspace.organization();
  project = (await client.call('POST', '/v1/projects', { body: { name: 'Flows' } })).body.data.id;
  on = shaping(client);
  flows = workflowsOf(client, () => project);
});

const built = (tableId: string, more: object = {}) =>
  node('build', 'materialize', { table_id: tableId, ...more });
const asked = (sql: string) => [
  node('asked', 'query', { sql }),
  node('right', 'condition', { sql: 'SELECT n = 2 FROM input' }),
  node('told', 'report', { title: 'Two', content: 'From ${build.table}.' }),
];
const edges: [string, string][] = [
  ['build.done', 'asked.start'],
  ['asked.rows', 'right.input'],
  ['right.yes', 'told.start'],
];
const allRight = { build: 'succeeded', asked: 'succeeded', right: 'succeeded', told: 'succeeded' };

test('nodes after it read what was built, whatever the run was pinned to before', async () => {
  const rows = await on.data('visits', { city: 'STRING' });
  await on.append(rows, [{ s_id: 1, city: 'Bonn' }]);
  const table = await on.calc('cities', 'SELECT DISTINCT city FROM visits');
  const workflow = await flows.active(
    graphOf([built(table), ...asked('SELECT count(*) AS n FROM cities')], edges),
  );
  // When the first run begins the table was never built; when the second does, it is older than its data.
  expect(steps(await flows.ran(workflow.id))).toEqual({ ...allRight, told: 'skipped' });
  await on.append(rows, [{ s_id: 2, city: 'Kiel' }]);
  expect(steps(await flows.ran(workflow.id))).toEqual(allRight);
  expect((await on.status(table)).status).toBe('fresh');
});

test('a dashboard after it shows what was built', async () => {
  const rows = await on.data('stays', { city: 'STRING' });
  await on.append(rows, [{ s_id: 1, city: 'Bonn' }]);
  const table = await on.calc('towns', 'SELECT DISTINCT city FROM stays');
  const made = dashboardsOf(client, () => project);
  const query = await made.query('SELECT city, 40 + count(*) OVER () AS n FROM towns ORDER BY city');
  const board = await made.dashboard({ tiles: [{ kind: 'query', query_id: query }] });
  const workflow = await flows.active(
    graphOf(
      [
        node('pinned', 'query', { sql: 'SELECT count(*) AS n FROM stays' }),
        built(table),
        node('board', 'dashboard', { dashboard_id: board, format: 'html' }),
      ],
      [
        ['pinned.done', 'build.start'],
        ['build.done', 'board.start'],
      ],
    ),
  );
  for (const city of ['Kiel', 'Ulm']) {
    const run = await flows.ran(workflow.id);
    expect(run.status, JSON.stringify(run.error)).toBe('succeeded');
    const [fileId] = run.output.fileIds;
    const page = await client.call('GET', `/v1/projects/${project}/files/${fileId}/content`);
    expect(page.text).toContain(city === 'Kiel' ? '>41<' : '>42<');
    await on.append(rows, [{ s_id: city === 'Kiel' ? 2 : 3, city }]);
  }
});

test('with sync everything that it reads is built before, and what is fresh stays as it is', async () => {
  const rows = await on.data('sales', { amount: 'INTEGER' });
  await on.append(rows, [{ s_id: 1, amount: 1 }]);
  const below = await on.calc('doubled', 'SELECT amount * 2 AS amount FROM sales');
  const table = await on.calc('totals', 'SELECT sum(amount) AS total FROM doubled');
  const sql = 'SELECT CAST((SELECT total FROM totals) AS INTEGER) + count(*) - 1 AS n FROM doubled';
  const workflow = await flows.active(graphOf([built(table, { sync: true }), ...asked(sql)], edges));
  expect(steps(await flows.ran(workflow.id))).toEqual(allRight);
  const { tableVersion } = await on.status(table);
  expect(steps(await flows.ran(workflow.id))).toEqual(allRight);
  expect([(await on.status(below)).status, (await on.status(table)).tableVersion]).toEqual([
    'fresh',
    tableVersion,
  ]);
});

test('a build that fails is the failure of the node, and a cancel of the run reaches it', async () => {
  const rows = await on.data('words', { word: 'STRING' });
  await on.append(rows, [{ s_id: 1, word: 'seven' }]);
  const table = await on.calc('numbers', 'SELECT CAST(word AS INTEGER) AS n FROM words');
  const failing = await flows.active(graphOf([built(table)]));
  const failed = await flows.ran(failing.id);
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'query_failed' } });
  expect(failed.error.message).toContain('seven');

  const slow = await on.calc(
    'slow',
    'SELECT sum(a.range * b.range) AS n FROM range(600000) a, range(300000) b',
  );
  const workflow = await flows.active(graphOf([built(slow)]));
  const run = await flows.start(workflow.id);
  await expectEventually(async () => (await on.status(slow)).status).toBe('running');
  await client.call('POST', `/v1/workflows/${workflow.id}/runs/${run.id}/cancel?confirm=true`);
  const ended = await flows.ended(workflow.id, run.id);
  expect([ended.status, steps(ended)]).toEqual(['cancelled', { build: 'cancelled' }]);
  const newest = async () => (await client.call('GET', `/v1/grid/tables/${slow}/runs`)).body.items[0];
  await expectEventually(async () => (await newest()).status).toBe('cancelled');

  const waiting = await flows.start(workflow.id);
  await expectEventually(async () => (await on.status(slow)).status).toBe('running');
  expect((await newest()).steps).toMatchObject([{ id: slow, status: 'running', finishedAt: null }]);
  await client.call('POST', `/v1/grid/tables/${slow}/runs/${(await newest()).id}/cancel?confirm=true`);
  expect(await flows.ended(workflow.id, waiting.id)).toMatchObject({
    status: 'failed',
    error: { code: 'run_cancelled' },
  });
});

test('it builds what the owner may write: told at the activation, and by a run where that changed', async () => {
  const table = await on.calc('granted', 'SELECT 1 AS a');
  const plain = await on.data('plain', { a: 'STRING' });
  const person = await personOf(workspace, client, 'member');
  const own = workflowsOf({ ...client, call: person.call }, () => project);
  const refused = async (id: string) => {
    const draft = await own.draft(graphOf([built(id)]));
    const { status, body } = await person.call('POST', `/v1/workflows/${draft.id}/activation`, {
      body: { expected_revision: draft.revision },
    });
    expect(status).toBe(422);
    expect(body.detail).toMatchObject([
      { loc: ['body', 'graph', 'nodes', 0, 'config', 'table_id'], type: 'value_error' },
    ]);
    return body.detail[0].msg;
  };
  expect(await refused(plain)).toBe('There is no such calculated table.');
  expect(await refused('tbl_01kahz3v6dfyvb1s8m3h9q2w4x')).toBe('There is no such calculated table.');
  const workflow = await own.active(graphOf([built(table)]));
  expect((await own.ran(workflow.id)).status).toBe('succeeded');

  await replaceGrants(client, table, [{ principal: 'user', id: person.id, access: 'read' }]);
  expect(await refused(table)).toContain('may not write');
  expect((await own.ran(workflow.id)).error).toMatchObject({ code: 'admin_required' });
  await replaceGrants(client, table, []);
  expect(await refused(table)).toBe('There is no such calculated table.');
  expect((await own.ran(workflow.id)).error).toMatchObject({ code: 'not_found' });
});

import { beforeAll, expect, test } from 'vitest';
import { shaping } from '../../../support/calculated.ts';
import { personOf } from '../../../support/people.ts';
import { useWorker } from '../../../support/worker.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);

let client: TestClient;
let insider: TestClient & { id: string };
let outsider: TestClient & { id: string };

const asMember = async () => {
  const { id, call } = await personOf(workspace, client, 'member');
  return { ...client, id, call };
};
const grant = (tableId: string, ...grants: object[]) =>
  client.call('PUT', `/v1/tables/${tableId}/grants`, { body: { grants } });
const to = (id: string, access: 'read' | 'write') => ({ principal: 'user', id, access });

beforeAll(async () => {
  client = await workspace.organization();
  insider = await asMember();
  outsider = await asMember();
});

test('a run shows nothing of the tables that its reader may not see, the words of their failures included', async () => {
  const on = shaping(insider);
  const secret = await on.data('salaries', { amount: 'STRING' });
  await on.append(secret, [{ s_id: 1, amount: '7' }]);
  const hidden = await on.calc('salary_numbers', 'SELECT CAST(amount AS INTEGER) AS amount FROM salaries');
  const open = await on.calc('head_count', 'SELECT count(amount) AS n FROM salary_numbers');
  expect((await on.synced(open)).status).toBe('succeeded');
  for (const id of [secret, hidden]) await grant(id, to(insider.id, 'write'));
  await on.append(secret, [{ s_id: 2, amount: 'private words' }]);

  const theirs = shaping(outsider);
  const run = await theirs.synced(open);
  expect(run).toMatchObject({
    status: 'failed',
    error: { code: 'query_failed' },
    output: { materialized: [] },
  });
  expect(run.output.skipped).toEqual([open]);
  expect(run.steps.map(({ id }: { id: string }) => id)).toEqual([open]);
  const told = JSON.stringify([run, await theirs.status(open)]);
  expect(told).not.toContain('private');
  expect(told).not.toContain('salar');
  expect(await theirs.status(open)).toMatchObject({ status: 'stale', inputs: [] });
  const lineage = await theirs.must('GET', `/v1/grid/tables/${open}/lineage`, 200);
  expect(lineage.nodes.map(({ id }: { id: string }) => id)).toEqual([open]);
  expect((await outsider.call('GET', `/v1/grid/tables/${hidden}/status`)).status).toBe(404);
  expect((await outsider.call('GET', `/v1/grid/tables/${hidden}/runs/${run.id}`)).status).toBe(404);

  const { steps } = await on.must('GET', `/v1/grid/tables/${open}/runs/${run.id}`, 200);
  const failed = steps.find(({ id }: { id: string }) => id === hidden);
  expect(failed).toMatchObject({
    status: 'failed',
    error: { message: expect.stringContaining('Its status') },
  });
  expect((await on.status(hidden)).error.message).toContain('private');
});

test('who may only read a table neither builds it nor cancels its build', async () => {
  const on = shaping(insider);
  const { id: projectId } = await on.must('POST', '/v1/projects', 201, { name: 'Builds' });
  const slow = 'SELECT sum(a.range * b.range) AS n FROM range(60000) a, range(30000) b';
  const id = await on.calc('slow_sum', slow, { project_id: projectId });
  await grant(id, to(insider.id, 'write'), to(outsider.id, 'read'));
  const path = `/v1/grid/tables/${id}`;
  for (const action of ['materialize', 'sync'])
    expect((await outsider.call('POST', `${path}/${action}`)).status, action).toBe(403);
  const run = await on.must('POST', `${path}/materialize`, 202);
  for (const at of [path, `/v1/projects/${projectId}`]) {
    expect((await outsider.call('GET', `${at}/runs/${run.id}`)).status, at).toBe(200);
    const cancelled = await outsider.call('POST', `${at}/runs/${run.id}/cancel?confirm=true`);
    expect(cancelled.status, `${at} ${cancelled.text}`).toBe(403);
  }
  await insider.call('POST', `/v1/projects/${projectId}/runs/${run.id}/cancel?confirm=true`);
  expect(['cancelled', 'succeeded']).toContain((await on.ended(id, run)).status);
});

test('a table is built with the rights that its definer has at the time', async () => {
  const theirs = shaping(outsider);
  const source = await shaping(insider).data('sources', { a: 'INTEGER' });
  const id = await theirs.calc('of_sources', 'SELECT count(*) AS n FROM sources');
  expect((await theirs.materialized(id)).status).toBe('succeeded');
  await grant(source, to(insider.id, 'write'));
  const refused = await shaping(client).materialized(id);
  expect(refused).toMatchObject({ status: 'failed', error: { code: 'query_failed' } });
  expect(await theirs.rows('SELECT n FROM of_sources')).toEqual([{ n: 0 }]);
});

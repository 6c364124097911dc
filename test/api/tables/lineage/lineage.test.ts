import { beforeAll, expect, test } from 'vitest';
import { shaping } from '../../../support/calculated.ts';
import * as grants from '../../../support/grants.ts';
import { imported, lineageFor, pathOf } from '../../../support/lineage.ts';
import { personOf } from '../../../support/people.ts';
import { useWorker } from '../../../support/worker.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);
let client: TestClient;
let on: ReturnType<typeof shaping>;

beforeAll(async () => {
  client = await workspace.organization();
  on = shaping(client);
});

const lineageOf = (id: string, query = '', by: Pick<TestClient, 'call'> = client) =>
  lineageFor(by, id, query);

test('a column of a calculated table leads through calculated tables and a view to a column of a file', async () => {
  const { file, table } = await imported(client, {
    path: 'orders.csv',
    content: ' Order No ,city,city\nA-1,Bonn,x\nA-2,Kiel,y\n',
    tableName: 'orders',
  });
  const view = await on.view('shouted', 'SELECT "Order No" AS no, upper(city) AS town FROM orders');
  const first = await on.calc('towns', 'SELECT town, count(no) AS orders FROM shouted GROUP BY town');
  const last = await on.calc('large_towns', 'SELECT town AS name FROM towns WHERE orders > 1');
  const found = await lineageOf(last);
  expect(found.nodes.map(({ id }) => id)).toEqual([last, first, view, table, file]);
  expect(found.nodes).toMatchObject([
    { kind: 'table', name: 'large_towns', tableKind: 'calc', status: 'unmaterialized', version: null },
    { kind: 'table', name: 'towns', tableKind: 'calc', status: 'unmaterialized', version: null },
    { kind: 'view', name: 'shouted', tableKind: null, status: 'valid', version: null },
    { kind: 'table', name: 'orders', tableKind: 'import', status: null, version: expect.any(Number) },
    { kind: 'file', name: 'orders.csv', tableKind: null, status: null, version: null },
  ]);
  expect(found.truncated).toBe(false);
  expect(pathOf(found, [file, table, view, first, last])).toEqual([
    ['Order No > Order No identity', 'city > city identity', 'city_2 > city_2 identity'],
    ['Order No > no identity', 'city > town transformation'],
    ['no > orders aggregation', 'town > orders group_by', 'town > town group_by', 'town > town identity'],
    ['orders > name filter', 'town > name identity'],
  ]);
  const [type] = new Set(found.edges.find(({ from }) => from === file)!.columns.map(({ type }) => type));
  expect(type).toBe('direct');
  expect((await on.synced(last)).status).toBe('succeeded');
  const fresh = await lineageOf(last);
  expect(fresh.nodes[0]).toMatchObject({ status: 'fresh', version: expect.any(Number) });
  await client.call('PATCH', `/v1/grid/tables/${first}`, {
    body: { query: "SELECT 'a' AS town, 2 AS orders" },
  });
  expect((await lineageOf(last)).nodes[0]).toMatchObject({ status: 'stale' });
});

test.each([
  ['SELECT a AS r FROM kinds', ['a > r identity']],
  ['SELECT a + 1 AS r FROM kinds', ['a > r transformation']],
  ['SELECT sum(a) AS r FROM kinds', ['a > r aggregation']],
  ['SELECT k.a AS r FROM kinds k JOIN other_kinds o ON k.b = o.b', ['a > r identity', 'b > r join']],
  ['SELECT max(a) AS r FROM kinds GROUP BY b', ['a > r aggregation', 'b > r group_by']],
  ['SELECT a AS r FROM kinds WHERE b > 1', ['a > r identity', 'b > r filter']],
  ['SELECT a AS r FROM kinds ORDER BY b LIMIT 3', ['a > r identity', 'b > r sort']],
  ['SELECT row_number() OVER (ORDER BY b) AS r FROM kinds', ['b > r window']],
  ['SELECT CASE WHEN b > 1 THEN a END AS r FROM kinds', ['a > r transformation', 'b > r conditional']],
])('%s affects its column as OpenLineage has it', async (query, expected) => {
  const known = (await client.call('GET', '/v1/tables')).body.tables as { id: string; name: string }[];
  const idOf = async (name: string) =>
    known.find((table) => table.name === name)?.id ?? on.data(name, { a: 'INTEGER', b: 'INTEGER' });
  const kinds = await idOf('kinds');
  await idOf('other_kinds');
  const view = await on.view(`view of ${expected.join()}`, query);
  const found = await lineageOf(view, '?direction=upstream');
  expect(pathOf(found, [kinds, view])).toEqual([expected]);
});

test('direction and depth bound what is shown; the table itself is always there', async () => {
  const ids = [await on.data('chain_0', { a: 'INTEGER' })];
  for (let at = 1; at <= 4; at += 1) ids.push(await on.view(`chain_${at}`, `SELECT a FROM chain_${at - 1}`));
  const alone = await on.data('alone', { a: 'INTEGER' });
  const shown = async (query: string) =>
    (await lineageOf(ids[2]!, query)).nodes.map(({ id }) => ids.indexOf(id)).toSorted();
  expect(await shown('')).toEqual([0, 1, 2, 3, 4]);
  expect(await shown('?direction=upstream')).toEqual([0, 1, 2]);
  expect(await shown('?direction=downstream')).toEqual([2, 3, 4]);
  expect(await shown('?depth=1')).toEqual([1, 2, 3]);
  expect(await shown('?direction=upstream&depth=1')).toEqual([1, 2]);
  expect(await lineageOf(alone)).toMatchObject({ nodes: [{ id: alone }], edges: [] });
  const both = await client.call('GET', `/v1/tables/${ids[0]}/lineage`);
  expect(both.body).toEqual((await client.call('GET', `/v1/grid/tables/${ids[0]}/lineage`)).body);
});

test('a view that broke stays in the graph, with edges of unknown columns', async () => {
  const table = await on.data('frail', { a: 'INTEGER', b: 'INTEGER' });
  const view = await on.view('over_frail', 'SELECT b FROM frail');
  await client.call('DELETE', `/v1/grid/tables/${table}/columns/b?confirm=true`);
  const found = await lineageOf(view);
  expect(found.nodes[0]).toMatchObject({ id: view, status: 'broken' });
  expect(found.edges).toEqual([{ from: table, to: view, columns: [] }]);
});

test('what the caller may not read is not there, nor what is reached only through it', async () => {
  const member = await personOf(workspace, client, 'member');
  const base = await on.data('open_base', { a: 'INTEGER' });
  const hidden = await on.calc('hidden_middle', 'SELECT a, a + 1 AS b FROM open_base');
  const above = await on.view('over_hidden', 'SELECT b FROM hidden_middle');
  const beside = await on.view('beside_hidden', 'SELECT a FROM open_base');
  await grants.replaceGrants(client, hidden, []);
  const seen = await lineageOf(base, '', member);
  expect(seen.nodes.map(({ id }) => id).toSorted()).toEqual([base, beside].toSorted());
  expect(seen.edges.map(({ to }) => to)).toEqual([beside]);
  const top = await lineageOf(above, '', member);
  expect(top).toMatchObject({ nodes: [{ id: above, status: 'valid' }], edges: [] });
  expect((await member.call('GET', `/v1/tables/${hidden}/lineage`)).status).toBe(404);
  expect((await lineageOf(base)).nodes).toHaveLength(4);
});

test.each(['depth=0', 'depth=21', 'depth=x', 'direction=sideways', 'format=dot'])(
  'returns 422 at its place for %s',
  async (query) => {
    const id = await on.data(`bounds of ${query}`, { a: 'INTEGER' });
    const answer = await client.call('GET', `/v1/tables/${id}/lineage?${query}`);
    expect(answer.status).toBe(422);
    expect(answer.body.detail[0].loc).toEqual(['query', query.split('=')[0]]);
  },
);

test("returns 404 for another organization's table and view", async () => {
  const stranger = await workspace.organization('Stranger');
  const table = await on.data('private', { a: 'INTEGER' });
  const view = await on.view('private_view', 'SELECT a FROM private');
  for (const path of [`tables/${table}`, `grid/tables/${table}`, `views/${view}`])
    expect((await stranger.call('GET', `/v1/${path}/lineage`)).body.code).toBe('not_found');
});

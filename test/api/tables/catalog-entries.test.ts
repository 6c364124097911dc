import { expect, test } from 'vitest';
import { type TestClient, useOrganization, useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();
const client = useOrganization(workspace);

async function projectOf(client: TestClient): Promise<string> {
  const { body } = await client.call('POST', '/v1/projects', { body: { name: 'Catalog' } });
  return `/v1/projects/${body.data.id}`;
}

async function tableOf(client: TestClient, name: string): Promise<string> {
  const body = { name, kind: 'data', columns: [{ name: 'a' }] };
  return (await client.call('POST', '/v1/grid/tables', { body })).body.data.tableId;
}

test('a table is attached, listed, shown and detached', async () => {
  const project = await projectOf(client);
  const [orders, cities] = [await tableOf(client, 'orders'), await tableOf(client, 'cities')];
  const url = `${project}/catalog-entries`;
  const first = await client.call('POST', url, { body: { table_id: orders, note: 'Order lines.' } });
  expect([first.status, first.headers['location']]).toEqual([201, `${url}/${first.body.data.id}`]);
  expect(first.body.data).toMatchObject({
    projectId: project.split('/').at(-1),
    kind: 'table',
    tableId: orders,
    viewId: null,
    name: 'orders',
    note: 'Order lines.',
    createdByUserId: client.clientId,
  });
  const second = await client.call('POST', url, { body: { table_id: cities } });
  const page = await client.call('GET', `${url}?limit=1`);
  const rest = await client.call('GET', `${url}?limit=1&cursor=${page.body.nextCursor}`);
  expect([...page.body.items, ...rest.body.items]).toEqual([second.body.data, first.body.data]);
  expect(rest.body.nextCursor).toBeNull();
  const entry = `${url}/${first.body.data.id}`;
  expect((await client.call('GET', entry)).body.data).toEqual(first.body.data);
  const detached = await client.call('DELETE', entry);
  expect([detached.status, detached.body.data]).toEqual([200, first.body.data]);
  expect((await client.call('DELETE', entry)).status).toBe(404);
  expect((await client.call('GET', `/v1/tables/${orders}`)).status).toBe(200);
});

test('attaching twice is the same entry, also at once and under one key', async () => {
  const url = `${await projectOf(client)}/catalog-entries`;
  const body = { table_id: await tableOf(client, 'twice') };
  const answers = await Promise.all([1, 2, 3, 4].map(() => client.call('POST', url, { body })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 201]);
  expect(new Set(answers.map((answer) => answer.body.data.id)).size).toBe(1);
  const other = { table_id: await tableOf(client, 'keyed') };
  const headers = { 'idempotency-key': 'once' };
  const [one, two] = [
    await client.call('POST', url, { body: other, headers }),
    await client.call('POST', url, { body: other, headers }),
  ];
  expect([one.status, two.status, two.text]).toEqual([201, 201, one.text]);
});

test('what cannot be attached is refused with its reason', async () => {
  const project = await projectOf(client);
  const url = `${project}/catalog-entries`;
  const { tables } = (await client.call('GET', '/v1/tables')).body;
  const system = tables.find(({ kind }: { kind: string }) => kind === 'system');
  const refused = await client.call('POST', url, { body: { table_id: system.id } });
  expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
  const unknown = await client.call('POST', url, { body: { table_id: 'tbl_01kahz3v6dfyvb1s8m3h9q2w4x' } });
  expect([unknown.status, unknown.body.code]).toEqual([404, 'not_found']);
  const view = await client.call('POST', url, { body: { view_id: 'viw_01kahz3v6dfyvb1s8m3h9q2w4x' } });
  expect([view.status, view.body.code]).toEqual([404, 'not_found']);
  for (const body of [{}, { table_id: 'a', view_id: 'b' }, { table_id: 'a', more: 1 }])
    expect((await client.call('POST', url, { body })).status).toBe(422);
  const stranger = await workspace.organization();
  const theirs = await tableOf(stranger, 'theirs');
  expect((await client.call('POST', url, { body: { table_id: theirs } })).status).toBe(404);
  await client.call('DELETE', project);
  const archived = await client.call('POST', url, { body: { table_id: await tableOf(client, 'late') } });
  expect([archived.status, archived.body.code]).toEqual([409, 'conflict']);
});

test('an entry ends with its table, and is of its project alone', async () => {
  const [project, other] = [await projectOf(client), await projectOf(client)];
  const table = await tableOf(client, 'gone');
  const { id } = (await client.call('POST', `${project}/catalog-entries`, { body: { table_id: table } })).body
    .data;
  expect((await client.call('GET', `${other}/catalog-entries/${id}`)).status).toBe(404);
  expect((await client.call('DELETE', `${other}/catalog-entries/${id}`)).status).toBe(404);
  expect((await client.call('DELETE', `/v1/tables/${table}?confirm=true`)).status).toBe(200);
  expect((await client.call('GET', `${project}/catalog-entries`)).body.items).toEqual([]);
  expect((await client.call('GET', `${project}/catalog-entries/${id}`)).status).toBe(404);
});

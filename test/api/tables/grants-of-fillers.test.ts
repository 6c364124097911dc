import { beforeAll, expect, test } from 'vitest';
import * as grants from '../../support/grants.ts';
import { type Person, personOf } from '../../support/people.ts';
import { type TestClient, useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();

let client: TestClient;
let insider: Person;
let outsider: Person;

beforeAll(async () => {
  client = await workspace.organization();
  insider = await personOf(workspace, client, 'member');
  outsider = await personOf(workspace, client, 'member');
});

const madeTable = (name: string) => grants.madeTable(client, name);
const grant = (tableId: string, given: object[]) => grants.replaceGrants(client, tableId, given);
const { only } = grants;

test('an import is cancelled only by whom may write its table, by either route', async () => {
  const tableId = await madeTable('filled');
  const project = (await client.call('POST', '/v1/projects', { body: { name: 'I' } })).body.data.id;
  const file = await client.call('PUT', `/v1/projects/${project}/files/content?path=a.csv`, {
    body: { content: 's_id,a\n3,4\n' },
  });
  const body = { project_id: project, file_id: file.body.data.id, mode: 'append', table_id: tableId };
  const started = await client.call('POST', '/v1/table-imports', { body });
  expect(started.status, started.text).toBe(202);
  await grant(tableId, only(insider, 'read'));
  const { id } = started.body.data;
  const cancels = [
    `/v1/table-imports/${id}/cancel?confirm=true`,
    `/v1/projects/${project}/runs/${id}/cancel?confirm=true`,
  ];
  for (const url of cancels) {
    expect((await outsider.call('POST', url)).status, url).toBe(404);
    const seen = await insider.call('POST', url);
    expect([seen.status, seen.body.code], url).toEqual([403, 'admin_required']);
  }
  const asked = 'SELECT cancel_requested_at FROM runs WHERE id = $1';
  const { rows } = await workspace.deps.lake.catalogPool.query(asked, [id]);
  expect(rows).toEqual([{ cancel_requested_at: null }]);
  await grant(tableId, only(insider, 'write'));
  for (const url of cancels) expect((await insider.call('POST', url)).status, url).toBe(202);
});

async function madeConnection(name: string): Promise<string> {
  const config = { host: '127.0.0.1', port: 5432, database: 'shop', user: 'ada' };
  const body = { name, type: 'postgres', config, secrets: { password: 'p' } };
  const made = await client.call('POST', '/v1/connections/data', { body });
  expect(made.status, made.text).toBe(201);
  return `/v1/connections/data/${made.body.data.id}`;
}

async function madeDataset(connection: string, name: string, by: Pick<TestClient, 'call'> = client) {
  const body = { resource: 'public.orders', name, snapshot_enabled: true };
  const made = await by.call('POST', `${connection}/datasets`, { body });
  expect(made.status, made.text).toBe(201);
  return made.body.data;
}

const setTable = (datasetId: string, tableId: string) =>
  workspace.deps.lake.catalogPool.query('UPDATE datasets SET table_id = $1 WHERE id = $2', [
    tableId,
    datasetId,
  ]);

test('a connection is changed and deleted only by whom may write what its datasets fill', async () => {
  const connection = await madeConnection('Shop');
  const tableId = await madeTable('copied');
  await setTable((await madeDataset(connection, 'Orders')).id, tableId);
  await grant(tableId, only(insider, 'read'));
  const config = { host: '127.0.0.2' };
  const changed = { config, secrets: { password: 'q' } };
  for (const by of [insider, outsider]) {
    for (const call of [
      by.call('PATCH', connection, { body: changed }),
      by.call('DELETE', `${connection}?detach=true`),
      by.call('DELETE', connection),
    ]) {
      const { status, body } = await call;
      expect([status, body.code]).toEqual([403, 'admin_required']);
    }
  }
  expect((await client.call('GET', `${connection}/datasets`)).body.items).toHaveLength(1);
  expect((await client.call('DELETE', connection)).body.code).toBe('conflict');
  await grant(tableId, only(insider, 'write'));
  expect((await insider.call('PATCH', connection, { body: changed })).status).toBe(200);
  expect((await insider.call('DELETE', `${connection}?detach=true`)).status).toBe(200);
});

test('the table of a new dataset gets a name that no hidden dataset or table has', async () => {
  const connection = await madeConnection('Bakery');
  await grant(await madeTable('shop_orders'), []);
  const hidden = await madeDataset(connection, 'Shop orders');
  expect(hidden.snapshotTableName).toBe('shop_orders_2');
  const tableId = await madeTable('loaves');
  await setTable(hidden.id, tableId);
  await grant(tableId, []);
  const own = await madeDataset(connection, 'Shop-orders', outsider);
  expect(own.snapshotTableName).toBe('shop_orders_3');
  const listed = (await outsider.call('GET', `${connection}/datasets`)).body.items;
  expect(listed.map(({ id }: { id: string }) => id)).toEqual([own.id]);
});

test('a grant that is missing is told before what is wrong with the body', async () => {
  const tableId = await madeTable('guarded');
  await grant(tableId, only(insider, 'read'));
  const calls: ['PATCH' | 'POST' | 'PUT' | 'DELETE', string, object | undefined][] = [
    ['PATCH', '/catalog', { descripton: 'typo' }],
    ['POST', '/rows', { rows: [] }],
    ['PUT', '/rows', { rows: 1 }],
    ['DELETE', '/rows', {}],
    ['POST', '/ingestion-batches', { mode: 'sideways' }],
    ['DELETE', '', undefined],
  ];
  for (const [method, path, body] of calls) {
    const url = `/v1/tables/${tableId}${path}`;
    const seen = await insider.call(method, url, body === undefined ? {} : { body });
    expect([seen.status, seen.body.code], `${method} ${path}`).toEqual([403, 'admin_required']);
    const hidden = await outsider.call(method, url, body === undefined ? {} : { body });
    expect(hidden.status, `${method} ${path}`).toBe(404);
  }
  await grant(tableId, only(insider, 'write'));
  expect((await insider.call('PATCH', `/v1/tables/${tableId}/catalog`, { body: { no: 1 } })).status).toBe(
    422,
  );
});

test('a quarantine table has the grants of its table, to read and to write', async () => {
  const tableId = await madeTable('fed');
  await grant(tableId, only(insider, 'read'));
  const quarantineId = await madeTable('fed_quarantine');
  await workspace.deps.lake.catalogPool.query('UPDATE tables SET quarantine_of = $1 WHERE id = $2', [
    tableId,
    quarantineId,
  ]);
  const path = `/v1/tables/${quarantineId}`;
  const shown = async () => (await client.call('GET', `${path}/grants`)).body.data.grants;
  expect(await shown()).toEqual(only(insider, 'read'));
  const calls = (by: Person) => [
    by.call('PATCH', `${path}/catalog`, { body: { description: 'x' } }),
    by.call('POST', `${path}/rows`, { body: { rows: [{ s_id: 5 }] } }),
    by.call('DELETE', `${path}?confirm=true`),
  ];
  for (const call of calls(insider)) expect((await call).body.code).toBe('admin_required');
  for (const call of calls(outsider)) expect((await call).body.code).toBe('not_found');
  const refused = await client.call('PUT', `${path}/grants`, { body: { grants: [] } });
  expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
  expect(refused.body.detail).toContain(tableId);
  await grant(tableId, only(insider, 'write'));
  expect(await shown()).toEqual(only(insider, 'write'));
  const described = await insider.call('PATCH', `${path}/catalog`, { body: { description: 'x' } });
  expect(described.status, described.text).toBe(200);
});

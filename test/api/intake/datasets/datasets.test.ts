import { expect, test } from 'vitest';
import { useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
const url = '/v1/connections/data';

async function connectionOf(client: Awaited<ReturnType<typeof workspace.organization>>, more: object = {}) {
  const config = { host: 'db.example.com', database: 'shop', user: 'reader' };
  const body = { name: 'Shop', type: 'postgres', config, ...more };
  const made = await client.call('POST', url, { body });
  expect(made.status, made.text).toBe(201);
  return `${url}/${made.body.data.id}`;
}

const orders = { resource: 'public.orders', name: 'Shop orders' };

test('a dataset is attached, listed, shown, changed and deleted', async () => {
  const client = await workspace.organization();
  const connection = await connectionOf(client);
  const made = await client.call('POST', `${connection}/datasets`, { body: orders });
  const { id } = made.body.data;
  const at = `${connection}/datasets/${id}`;
  expect([made.status, made.headers['location']]).toEqual([201, at]);
  expect(made.body.data).toEqual({
    id: expect.stringMatching(/^dst_/),
    connectionId: connection.slice(url.length + 1),
    ...orders,
    snapshotEnabled: false,
    mode: 'full',
    cursor: null,
    keyColumns: [],
    guard: null,
    csv: null,
    unreadableValues: 'fail',
    schedule: null,
    scheduleStatus: null,
    projectId: null,
    tableId: null,
    snapshotTableName: 'shop_orders',
    lastSnapshotAt: null,
    lastSnapshotRunId: null,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  const changed = await client.call('PATCH', at, {
    body: { name: 'Orders', key_columns: ['id'], guard: { max_shrink_ratio: 0.5 } },
  });
  expect(changed.body.data, changed.text).toMatchObject({
    name: 'Orders',
    keyColumns: ['id'],
    guard: { maxShrinkRatio: 0.5 },
    snapshotTableName: 'shop_orders',
    resource: orders.resource,
  });
  expect((await client.call('PATCH', at, { body: { snapshot_enabled: true } })).body.data).toMatchObject({
    keyColumns: ['id'],
    guard: { maxShrinkRatio: 0.5 },
    snapshotEnabled: true,
  });
  const listed = await client.call('GET', `${connection}/datasets`);
  expect(listed.body.items.map((one: { id: string }) => one.id)).toEqual([id]);
  expect((await client.call('DELETE', at)).status).toBe(200);
  expect((await client.call('GET', at)).status).toBe(404);
});

test('names are unique in the connection, names of tables in the organization', async () => {
  const client = await workspace.organization();
  const connection = await connectionOf(client);
  const attach = (body: object) => client.call('POST', `${connection}/datasets`, { body });
  await attach(orders);
  expect((await attach(orders)).body.code).toBe('name_taken');
  expect((await attach({ ...orders, name: 'SHOP: orders!' })).body.data.snapshotTableName).toBe(
    'shop_orders_2',
  );
  await client.call('POST', '/v1/grid/tables', {
    body: { name: 'Taken', kind: 'data', columns: [{ name: 'a' }] },
  });
  expect((await attach({ ...orders, name: 'taken' })).body.data.snapshotTableName).toBe('taken_2');
});

test('what cannot be a dataset is refused', async () => {
  const client = await workspace.organization();
  const connection = await connectionOf(client);
  const cases: [object, number, unknown][] = [
    [{ name: 'a' }, 422, ['body', 'resource']],
    [{ ...orders, guard: { max_shrink_ratio: 2 } }, 422, ['body', 'guard', 'max_shrink_ratio']],
    [{ ...orders, unknown: 1 }, 422, ['body', 'unknown']],
    [{ ...orders, mode: 'incremental', cursor: 'at' }, 422, ['body', 'key_columns']],
    [{ ...orders, key_columns: ['id', 'id'] }, 422, ['body', 'key_columns']],
    [{ ...orders, schedule: { type: 'daily' } }, 422, ['body', 'schedule', 'zone_id']],
    [{ ...orders, project_id: 'prj_01kahz3v6dfyvb1s8m3h9q2w4x' }, 404, 'not_found'],
  ];
  for (const [body, status, what] of cases) {
    const refused = await client.call('POST', `${connection}/datasets`, { body });
    const told = refused.body.code ?? refused.body.detail[0].loc;
    expect([refused.status, told], JSON.stringify(body)).toEqual([status, what]);
  }
  const http = await connectionOf(client, {
    name: 'CRM',
    type: 'http',
    config: { base_url: 'https://api.example.com' },
    snapshot_config: { http_replication: { resources: [{ request_path: '/contacts' }] } },
  });
  const unknown = await client.call('POST', `${http}/datasets`, {
    body: { resource: '/deals', name: 'Deals' },
  });
  expect([unknown.status, unknown.body.detail[0].loc]).toEqual([422, ['body', 'resource']]);
  const known = await client.call('POST', `${http}/datasets`, { body: { resource: '/contacts', name: 'C' } });
  expect(known.status).toBe(201);
});

test('a connection that a dataset uses is deleted only where that is meant', async () => {
  const client = await workspace.organization();
  const connection = await connectionOf(client);
  await client.call('POST', `${connection}/datasets`, { body: orders });
  const refused = await client.call('DELETE', connection);
  expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
  expect((await client.call('DELETE', `${connection}?detach=true`)).status).toBe(200);
  expect((await client.call('GET', connection)).status).toBe(404);
});

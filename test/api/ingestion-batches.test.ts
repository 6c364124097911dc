import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { useWorker } from '../support/worker.ts';
import { type Answer, type TestClient, useWorkspace } from '../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);

const ordersColumns = [
  { name: 'order_no', data_type: 'STRING' },
  { name: 'amount', data_type: 'DECIMAL(12,2)' },
  { name: 'note', data_type: 'STRING' },
];

async function newTable(
  client: TestClient,
  columns: object[] = ordersColumns,
  more: object = {},
): Promise<string> {
  const name = `t_${Math.random().toString(36).slice(2)}`;
  const made = await client.call('POST', '/v1/grid/tables', {
    body: { name, kind: 'data', columns, ...more },
  });
  expect(made.status, made.text).toBe(201);
  return made.body.data.tableId;
}

async function open(client: TestClient, table: string, body: object): Promise<string> {
  const opened = await client.call('POST', `/v1/tables/${table}/ingestion-batches`, { body });
  expect(opened.status, opened.text).toBe(201);
  return `/v1/tables/${table}/ingestion-batches/${opened.body.data.id}`;
}

async function stage(client: TestClient, batch: string, page: number, records: object[]): Promise<Answer> {
  const staged = await client.call('PUT', `${batch}/pages/${page}`, { body: { records } });
  expect(staged.status, staged.text).toBe(200);
  return staged;
}

async function complete(client: TestClient, batch: string, body: object): Promise<Answer['body']['data']> {
  const answer = await client.call('POST', `${batch}/complete`, { body });
  expect(answer.status, answer.text).toBe(202);
  expect(answer.headers['location']).toBe(batch);
  return untilSettled(client, batch);
}

async function untilSettled(client: TestClient, batch: string): Promise<Answer['body']['data']> {
  for (;;) {
    const { body } = await client.call('GET', batch);
    if (!['completing', 'applying'].includes(body.data.status)) return body.data;
    await setTimeout(50);
  }
}

async function rowsOf(client: TestClient, table: string): Promise<Answer['body'][]> {
  const { body } = await client.call('GET', `/v1/tables/${table}/rows?limit=200`);
  return body.items.map(({ _sm_created_at: _, ...row }: { _sm_created_at: string }) => row);
}

const order = (id: number, more: object = {}) => ({
  s_id: id,
  order_no: `A-${id}`,
  amount: id + 0.5,
  ...more,
});

test('pages in any order become one commit, and the batch tells that they landed', async () => {
  const client = await workspace.organization();
  const table = await newTable(client);
  const batch = await open(client, table, { mode: 'append', client_batch_id: 'first' });
  const records = [order(3), order(4, { note: 'x' })];
  const staged = await stage(client, batch, 2, records);
  const canonical =
    '[{"amount":3.5,"order_no":"A-3","s_id":3},{"amount":4.5,"note":"x","order_no":"A-4","s_id":4}]';
  expect(staged.body.data).toEqual({
    pageId: `${batch.split('/').at(-1)}.2`,
    pageNumber: 2,
    sizeBytes: canonical.length,
    sha256: createHash('sha256').update(canonical).digest('hex'),
    replayed: false,
  });
  await stage(client, batch, 1, [order(1), order(2)]);
  const again = await client.call('PUT', `${batch}/pages/2`, {
    raw: {
      text: '{ "records": [ {"order_no":"A-3","s_id":3.0,"amount":3.50}, {"note":"\\u0078","s_id":4,"amount":45e-1,"order_no":"A-4"} ] }',
      contentType: 'application/json',
    },
  });
  expect(again.body.data).toEqual({ ...staged.body.data, replayed: true });
  expect((await client.call('GET', batch)).body.data).toMatchObject({
    status: 'open',
    pagesStaged: 2,
    recordsStaged: 4,
    recordsQuarantined: 0,
    tableVersion: null,
    appliedAt: null,
  });
  const applied = await complete(client, batch, { page_count: 2 });
  expect(applied).toMatchObject({
    status: 'applied',
    rowsInserted: 4,
    rowsUpdated: 0,
    pagesStaged: 2,
    error: null,
  });
  expect(await rowsOf(client, table)).toEqual([
    { s_id: 1, order_no: 'A-1', amount: '1.50', note: null },
    { s_id: 2, order_no: 'A-2', amount: '2.50', note: null },
    { s_id: 3, order_no: 'A-3', amount: '3.50', note: null },
    { s_id: 4, order_no: 'A-4', amount: '4.50', note: 'x' },
  ]);
  const versions = await client.call('GET', `/v1/tables/${table}/versions`);
  expect(versions.body.items[0]).toMatchObject({
    version: applied.tableVersion,
    operation: 'append',
    rowsAdded: 4,
    runId: applied.id,
  });
  // The same complete, page and opening again are what they were; another complete is refused.
  expect((await complete(client, batch, { page_count: 2 })).status).toBe('applied');
  expect((await stage(client, batch, 2, records)).body.data.replayed).toBe(true);
  const reopened = await client.call('POST', `/v1/tables/${table}/ingestion-batches`, {
    body: { mode: 'append', client_batch_id: 'first' },
  });
  expect([reopened.status, reopened.body.data.id]).toEqual([200, applied.id]);
  const other = await client.call('POST', `${batch}/complete`, { body: { page_count: 3 } });
  expect([other.status, other.body.code]).toEqual([409, 'batch_not_open']);
  expect(await rowsOf(client, table)).toHaveLength(4);
});

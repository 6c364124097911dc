import { expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { useWorker } from '../../support/worker.ts';
import { type TestClient, useOrganization, useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);
const client = useOrganization(workspace);

/** Imports files into one project, one after the other. */
async function importer(client: TestClient) {
  const project = (await client.call('POST', '/v1/projects', { body: { name: 'Files' } })).body.data.id;
  let count = 0;
  const start = async (content: string, body: object) => {
    count += 1;
    const path = `part-${count}.csv`;
    const written = await client.call('PUT', `/v1/projects/${project}/files/content?path=${path}`, {
      body: { content },
    });
    return client.call('POST', `/v1/projects/${project}/files/${written.body.data.id}/imports`, { body });
  };
  const run = async (content: string, body: object) => {
    const started = await start(content, body);
    expect(started.status, started.text).toBe(202);
    return eventually(
      async () => (await client.call('GET', String(started.headers['location']))).body.data,
      ({ status }) => !['queued', 'running'].includes(status),
    );
  };
  return { start, run };
}

async function select(client: TestClient, sql: string) {
  const answer = await client.call('POST', '/v1/query-executions', { body: { sql, row_format: 'rows' } });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data.rows;
}

const orders = 'order_no,city,amount\nA-1,Porto,12.50\nA-2,Lagos,7.25\n';
const append = { table_name: 'orders', mode: 'append' };

test('a file is added to an imported table as one version, its values in the types of the table', async () => {
  const { run } = await importer(client);
  const first = await run(orders, { table_name: 'orders' });
  // Imported alone these would be integers, and the city is omitted.
  const second = await run('AMOUNT,order_no\n3,A-3\n,A-4\n', append);
  expect(second).toMatchObject({ status: 'succeeded', tableId: first.tableId, rowsImported: 2 });
  expect(await select(client, 'SELECT * FROM orders ORDER BY order_no')).toEqual([
    { orderNo: 'A-1', city: 'Porto', amount: 12.5 },
    { orderNo: 'A-2', city: 'Lagos', amount: 7.25 },
    { orderNo: 'A-3', city: null, amount: 3 },
    { orderNo: 'A-4', city: null, amount: null },
  ]);
  const versions = (await client.call('GET', `/v1/tables/${first.tableId}/versions`)).body.items;
  expect(versions[0]).toMatchObject({ operation: 'append', rowsAdded: 2, rowsRemoved: 0, runId: second.id });
  const past = await client.call('GET', `/v1/tables/${first.tableId}/rows?version=${versions[1].version}`);
  expect(past.body.items).toHaveLength(2);
  expect(
    (await run('order_no,city,amount\n', { ...append, table_name: undefined, table_id: first.tableId }))
      .status,
  ).toBe('succeeded');
  expect((await client.call('GET', `/v1/tables/${first.tableId}`)).body.data.rowCount).toBe(4);
});

test('what differs between a file and its table is refused, and named', async () => {
  const client = await workspace.organization();
  const { start, run } = await importer(client);
  expect((await start(orders, append)).body.detail[0].loc).toEqual(['body', 'table_name']);
  await run(orders, { table_name: 'orders' });
  const foreign = await start('order_no,town\nA-9,Rome\n', append);
  expect(foreign.status).toBe(422);
  expect(foreign.body.detail[0]).toMatchObject({
    loc: ['body', 'column_mappings'],
    msg: expect.stringContaining('"town"'),
  });
  const mapped = (target: string, dataType: string) => ({
    ...append,
    column_mappings: [{ source_column_name: 'a', target_column_name: target, data_type: dataType }],
  });
  expect((await start('a\n1\n', mapped('nowhere', 'STRING'))).body.detail[0].loc).toEqual([
    'body',
    'column_mappings',
    0,
    'target_column_name',
  ]);
  expect((await start('a\n1\n', mapped('amount', 'DATE'))).body.detail[0]).toMatchObject({
    loc: ['body', 'column_mappings', 0, 'data_type'],
    msg: expect.stringContaining('DOUBLE'),
  });
  expect((await start(orders, { ...append, include_load_date: true })).body.detail[0].loc).toEqual([
    'body',
    'include_load_date',
  ]);
  const bad = await run('order_no,amount\nA-5,none\n', append);
  expect(bad).toMatchObject({ status: 'failed', error: { line: 2, column: 'amount', raw: 'A-5,none' } });
  const aside = await run('order_no,amount\nA-5,none\nA-6,1.50\n', { ...append, on_bad_row: 'quarantine' });
  expect(aside).toMatchObject({ status: 'succeeded', rowsImported: 1, rowsQuarantined: 1 });
  expect(await select(client, 'SELECT count(*) AS n FROM orders')).toEqual([{ n: 3 }]);
});

test('a file is added to a data table where it gives each row an s_id, and no key twice', async () => {
  const { start, run } = await importer(client);
  const made = await client.call('POST', '/v1/grid/tables', {
    body: {
      name: 'devices',
      kind: 'data',
      columns: [
        { name: 'device', data_type: 'STRING' },
        { name: 'port', data_type: 'INTEGER' },
      ],
      key_columns: ['device'],
    },
  });
  const table = made.body.data.tableId;
  const into = { table_id: table, mode: 'append' };
  const done = await run('s_id,device,port\n1,a,80\n2,b,81\n', into);
  expect(done).toMatchObject({ status: 'succeeded', rowsImported: 2 });
  const { items } = (await client.call('GET', `/v1/tables/${table}/rows`)).body;
  expect(items).toMatchObject([
    { s_id: 1, device: 'a', port: 80, _sm_created_at: expect.any(String) },
    { s_id: 2, device: 'b', port: 81, _sm_created_at: expect.any(String) },
  ]);
  expect((await start('device\nc\n', into)).body.detail[0].msg).toContain('s_id');
  expect(
    (await start('s_id,device\n3,c\n', { ...into, on_bad_row: 'quarantine' })).body.detail[0].loc,
  ).toEqual(['body', 'on_bad_row']);
  expect((await run('s_id,device\n2,c\n', into)).error).toMatchObject({ code: 'duplicate_row_id' });
  expect((await run('s_id,device\n3,c\n3,d\n', into)).error).toMatchObject({ code: 'duplicate_row_id' });
  expect((await run('s_id,device\n3,b\n', into)).error).toMatchObject({ code: 'duplicate_row_key' });
  expect((await run('s_id,device\n3,\n', into)).error).toMatchObject({ line: 2 });
  expect((await client.call('GET', `/v1/tables/${table}`)).body.data.rowCount).toBe(2);
  expect((await start('s_id,device\n9,z\n', { table_id: table, mode: 'replace' })).body.code).toBe(
    'conflict',
  );
});

test('what an appended file left in quarantine can be replayed, and that of the files before', async () => {
  const { run } = await importer(client);
  const kept = { on_bad_row: 'quarantine' };
  const mapping = (name: string, dataType: string) => ({
    source_column_name: name,
    target_column_name: name,
    data_type: dataType,
  });
  const mappings = { column_mappings: [mapping('id', 'INTEGER'), mapping('n', 'INTEGER')] };
  const first = await run('id,n\n1,1\n2,2.5\n', { table_name: 'counts', ...kept, ...mappings });
  const second = await run('id,n\n3,3\n4,4.5\n', { table_name: 'counts', mode: 'append', ...kept });
  expect([first.rowsQuarantined, second.rowsQuarantined]).toEqual([1, 1]);
  await client.call('PATCH', `/v1/grid/tables/${first.tableId}/columns/n`, { body: { data_type: 'DOUBLE' } });
  for (const { id } of [first, second]) {
    const replayed = await client.call('POST', `/v1/tables/${first.tableId}/quarantine/replays`, {
      body: { import_id: id },
    });
    expect(replayed.status, replayed.text).toBe(202);
    const location = String(replayed.headers['location']);
    const ended = await eventually(
      async () => (await client.call('GET', location)).body.data,
      ({ status }) => ['applied', 'failed'].includes(status),
    );
    expect(ended).toMatchObject({ status: 'applied', rowsInserted: 1 });
  }
  expect(await select(client, 'SELECT id, n FROM counts ORDER BY id')).toEqual([
    { id: 1, n: 1 },
    { id: 2, n: 2.5 },
    { id: 3, n: 3 },
    { id: 4, n: 4.5 },
  ]);
});

test('lists and objects that are kept as such are read by unnest, and grow by further files', async () => {
  const { run, start } = await importer(client);
  const ndjson = { format: 'ndjson', nested: 'native' };
  const line = (id: number, rest: object) => `${JSON.stringify({ id, ...rest })}\n`;
  const first = await run(line(1, { to: { city: 'Porto' }, items: [{ sku: 'a', qty: 2 }] }), {
    ...{ ...ndjson, table_name: 'baskets' },
  });
  expect(first).toMatchObject({ status: 'succeeded', rowsImported: 1 });
  const { columns } = (await client.call('GET', `/v1/tables/${first.tableId}/catalog`)).body.data;
  expect(columns.map((column: { dataType: string }) => column.dataType)).toEqual([
    'INTEGER',
    'STRUCT("city" STRING)',
    'STRUCT("sku" STRING, "qty" INTEGER)[]',
  ]);
  const more = line(2, {
    to: { city: 'Lagos' },
    items: [
      { sku: 'b', qty: 1 },
      { sku: 'c', qty: 3 },
    ],
  });
  const second = await run(more, { format: 'ndjson', table_name: 'baskets', mode: 'append' });
  expect(second).toMatchObject({ status: 'succeeded', rowsImported: 1 });
  const sql = `SELECT id, "to".city AS city, i.sku, i.qty FROM (SELECT id, "to", unnest(items) AS i FROM baskets) ORDER BY i.sku`;
  expect(await select(client, sql)).toEqual([
    { id: 1, city: 'Porto', sku: 'a', qty: 2 },
    { id: 2, city: 'Lagos', sku: 'b', qty: 1 },
    { id: 2, city: 'Lagos', sku: 'c', qty: 3 },
  ]);
  const rows = (await client.call('GET', `/v1/tables/${first.tableId}/rows`)).body.items;
  expect(rows[0]).toMatchObject({ to: { city: 'Porto' }, items: [{ sku: 'a', qty: 2 }] });
  const built = await client.call('POST', '/v1/exports', {
    body: { table_id: first.tableId, format: 'ndjson' },
  });
  expect(built.status, built.text).toBe(202);
  const exported = await eventually(
    async () => (await client.call('GET', `/v1/exports/${built.body.data.id}`)).body.data,
    ({ status }) => !['queued', 'running'].includes(status),
  );
  expect(exported).toMatchObject({ status: 'succeeded', rowsWritten: 2 });
  const unfit = await run(line(3, { items: [{ sku: 'd', price: 1 }] }), {
    ...{ format: 'ndjson', table_name: 'baskets', mode: 'append' },
  });
  expect(unfit).toMatchObject({ status: 'failed', error: { line: 1, column: 'items' } });
  const refused = await start('a,b\n1,2\n', { table_name: 'flat', nested: 'native' });
  expect(refused.status).toBe(422);
});

import { expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { useWorker } from '../../support/worker.ts';
import { type TestClient, useOrganization, useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);
const client = useOrganization(workspace);

let tables = 0;

async function keyedTable(client: TestClient, more: object = {}): Promise<string> {
  tables += 1;
  const answer = await client.call('POST', '/v1/grid/tables', {
    body: {
      name: `devices ${tables}`,
      kind: 'data',
      columns: [{ name: 'device' }, { name: 'port', data_type: 'INTEGER' }, { name: 'state' }],
      key_columns: ['device', 'port'],
      ...more,
    },
  });
  expect(answer.status, answer.text).toBe(201);
  return answer.body.data.tableId;
}

const row = (id: number | undefined, device: string, port: number, state = 'up') => ({
  ...(id === undefined ? {} : { s_id: id }),
  device,
  port,
  state,
});

const rowsAt = (table: string) => `/v1/tables/${table}/rows`;

async function append(client: TestClient, table: string, ...rows: object[]) {
  return client.call('POST', rowsAt(table), { body: { rows } });
}

async function rowsOf(client: TestClient, table: string) {
  const { body } = await client.call('GET', rowsAt(table));
  return body.items.map((item: Record<string, unknown>) => [
    item['s_id'],
    item['device'],
    item['port'],
    item['state'],
  ]);
}

/** A batch of one page, once it has ended. */
async function batch(client: TestClient, table: string, mode: string, records: object[]) {
  const at = `/v1/tables/${table}/ingestion-batches`;
  const { id } = (await client.call('POST', at, { body: { mode } })).body.data;
  const staged = await client.call('PUT', `${at}/${id}/pages/1`, { body: { records } });
  if (staged.status !== 200) return staged;
  await client.call('POST', `${at}/${id}/complete`, { body: { page_count: 1 } });
  return eventually(
    () => client.call('GET', `${at}/${id}`),
    ({ body }) => ['applied', 'failed'].includes(body.data.status),
  );
}

test('an append that repeats a key is refused whole, and names the key and the row that has it', async () => {
  const table = await keyedTable(client);
  expect((await append(client, table, row(1, 'a', 1), row(2, 'a', 2))).status).toBe(200);
  const again = await append(client, table, row(3, 'b', 1), row(4, 'a', 2));
  expect(again.status).toBe(409);
  expect(again.body).toMatchObject({
    code: 'duplicate_row_key',
    keys: [{ key: { device: 'a', port: 2 }, s_id: 2 }],
  });
  const twice = await append(client, table, row(5, 'c', 1), row(6, 'c', 1));
  expect(twice.body).toMatchObject({
    code: 'duplicate_row_key',
    keys: [{ key: { device: 'c', port: 1 }, s_id: 5 }],
  });
  const without = await append(client, table, { s_id: 7, port: 1 });
  expect(without.status).toBe(422);
  expect(without.body.detail).toMatchObject([{ loc: ['body', 'rows', 0, 'device'], type: 'missing' }]);
  expect(await rowsOf(client, table)).toEqual([
    [1, 'a', 1, 'up'],
    [2, 'a', 2, 'up'],
  ]);
});

test('of appends that come at once, one has the key', async () => {
  const table = await keyedTable(client);
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) => append(client, table, row(index, `d${index % 4}`, 1))),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(4).fill(200), ...Array(8).fill(409)]);
  expect(new Set((await rowsOf(client, table)).map(([, device]: [unknown, string]) => device)).size).toBe(4);
});

test('batches add no key twice, beside the rows or among their own', async () => {
  const table = await keyedTable(client);
  await append(client, table, row(1, 'a', 1));
  const added = await batch(client, table, 'append', [row(2, 'b', 1), row(3, 'a', 1)]);
  expect(added.body.data.error).toMatchObject({
    code: 'duplicate_row_key',
    keys: [{ key: { device: 'a', port: 1 }, s_id: 1 }],
  });
  const replaced = await batch(client, table, 'replace', [row(1, 'x', 1), row(2, 'x', 1)]);
  expect(replaced.body.data.error).toMatchObject({ code: 'duplicate_row_key' });
  expect((await batch(client, table, 'append', [{ s_id: 9, device: 'n' }])).status).toBe(422);
  expect((await batch(client, table, 'replace', [row(4, 'x', 1), row(5, 'x', 2)])).body.data.status).toBe(
    'applied',
  );
  expect(await rowsOf(client, table)).toEqual([
    [4, 'x', 1, 'up'],
    [5, 'x', 2, 'up'],
  ]);
});

test('an upsert finds its row by the key alone, and a new row needs an s_id', async () => {
  const table = await keyedTable(client);
  await append(client, table, row(1, 'a', 1));
  const upsert = (...rows: object[]) => client.call('PUT', rowsAt(table), { body: { rows } });
  expect((await upsert(row(undefined, 'a', 1, 'down'))).body.data).toMatchObject({ inserted: 0, updated: 1 });
  const missing = await upsert(row(undefined, 'a', 1, 'lost'), row(undefined, 'b', 1));
  expect(missing.status).toBe(422);
  expect(missing.body.detail).toMatchObject([{ loc: ['body', 'rows', 1, 's_id'], type: 'missing' }]);
  expect((await upsert(row(undefined, 'a', 1), row(2, 'b', 1))).body.data).toMatchObject({
    inserted: 1,
    updated: 1,
  });
  expect(await rowsOf(client, table)).toEqual([
    [1, 'a', 1, 'up'],
    [2, 'b', 1, 'up'],
  ]);
});

test('where keys are not enforced, one that several rows have is named, and can be mended', async () => {
  const table = await keyedTable(client, { key_enforced: false });
  await append(client, table, row(1, 'a', 1), row(2, 'a', 1), row(3, 'b', 1));
  const upserted = await client.call('PUT', rowsAt(table), { body: { rows: [row(undefined, 'a', 1)] } });
  expect(upserted.body).toMatchObject({
    status: 409,
    code: 'conflict',
    keys: [{ key: { device: 'a', port: 1 }, s_ids: [1, 2] }],
  });
  const enforce = () => client.call('PATCH', `/v1/grid/tables/${table}`, { body: { key_enforced: true } });
  expect((await enforce()).body).toMatchObject({ code: 'conflict', keys: [{ s_ids: [1, 2] }] });
  await client.call('DELETE', rowsAt(table), { body: { s_ids: [2] } });
  expect((await enforce()).body.data).toMatchObject({ keyEnforced: true, keyColumns: ['device', 'port'] });
  expect((await append(client, table, row(9, 'a', 1))).body.code).toBe('duplicate_row_key');
  const shown = await client.call('GET', `/v1/grid/tables/${table}`);
  expect(shown.body.data).toMatchObject({ tableId: table, keyEnforced: true });
});

test('rows are deleted by s_id and by key, once, and older versions keep them', async () => {
  const table = await keyedTable(client);
  const before = await append(client, table, row(1, 'a', 1), row(2, 'b', 1), row(3, 'c', 1));
  const remove = (body: object, headers = {}) => client.call('DELETE', rowsAt(table), { body, headers });
  const byKey = await remove({
    keys: [
      { device: 'a', port: 1 },
      { device: 'z', port: 9 },
    ],
  });
  expect(byKey.status, byKey.text).toBe(200);
  expect(byKey.body.data.rowsDeleted).toBe(1);
  expect(byKey.body.data.tableVersion).toBeGreaterThan(before.body.data.tableVersion);
  const headers = { 'idempotency-key': 'remove two' };
  const byId = await remove({ s_ids: [2, 77] }, headers);
  expect(byId.body.data.rowsDeleted).toBe(1);
  expect((await remove({ s_ids: [2, 77] }, headers)).text).toBe(byId.text);
  const none = await remove({ s_ids: [77] });
  expect(none.body.data).toEqual({ rowsDeleted: 0, tableVersion: byId.body.data.tableVersion });
  expect(await rowsOf(client, table)).toEqual([[3, 'c', 1, 'up']]);
  const { version } = (await client.call('GET', `/v1/tables/${table}/versions`)).body.items.at(-2);
  const past = await client.call('GET', `${rowsAt(table)}?version=${version}`);
  expect(past.body.items).toHaveLength(3);
  const versions = (await client.call('GET', `/v1/tables/${table}/versions`)).body.items;
  expect(versions[0]).toMatchObject({ operation: 'delete', rowsAdded: 0, rowsRemoved: 1 });
  expect((await client.call('GET', `/v1/tables/${table}`)).body.data.rowCount).toBe(1);
  // A deleted key is free again.
  expect((await append(client, table, row(4, 'a', 1))).status).toBe(200);
});

test('what is asked to be deleted has to say one kind of name, each whole', async () => {
  const table = await keyedTable(client);
  await append(client, table, row(1, 'a', 1));
  const remove = async (body: object) => (await client.call('DELETE', rowsAt(table), { body })).body;
  expect((await remove({})).detail[0].loc).toEqual(['body']);
  expect((await remove({ s_ids: [1], keys: [{ device: 'a', port: 1 }] })).detail[0].loc).toEqual(['body']);
  expect((await remove({ s_ids: [1.5] })).detail[0].loc).toEqual(['body', 's_ids', 0]);
  expect((await remove({ keys: [{ device: 'a' }] })).detail).toMatchObject([
    { loc: ['body', 'keys', 0, 'port'], type: 'missing' },
  ]);
  expect((await remove({ keys: [{ device: 'a', port: 'x', state: 'up' }] })).detail).toMatchObject([
    { loc: ['body', 'keys', 0, 'state'], type: 'extra_forbidden' },
    { loc: ['body', 'keys', 0, 'port'], type: 'value_error' },
  ]);
  expect(await rowsOf(client, table)).toHaveLength(1);
});

test('a column can be dropped, but not one of a key', async () => {
  const table = await keyedTable(client);
  const before = await append(client, table, row(1, 'a', 1));
  const drop = (name: string, query = '?confirm=true') =>
    client.call('DELETE', `/v1/grid/tables/${table}/columns/${name}${query}`);
  expect((await drop('state', '')).status).toBe(422);
  expect((await drop('port')).body).toMatchObject({
    code: 'conflict',
    dependents: ['key_columns of the table'],
  });
  expect((await drop('s_id')).body.code).toBe('conflict');
  expect((await drop('nowhere')).status).toBe(404);
  const dropped = await drop('STATE');
  expect(dropped.status, dropped.text).toBe(200);
  expect(dropped.body.data.columns.map(({ name }: { name: string }) => name)).toEqual([
    's_id',
    'device',
    'port',
    '_sm_created_at',
  ]);
  const past = await client.call('GET', `${rowsAt(table)}?version=${before.body.data.tableVersion}`);
  expect(past.body.items).toMatchObject([{ device: 'a', state: 'up' }]);
  expect((await append(client, table, { s_id: 2, device: 'b', port: 1 })).status).toBe(200);
});

test('a batch of upserts deletes the rows that its records say are to go', async () => {
  const table = await keyedTable(client, {
    columns: [{ name: 'device' }, { name: 'port', data_type: 'INTEGER' }, { name: 'state', nullable: false }],
  });
  await append(client, table, row(1, 'a', 1), row(2, 'b', 1), row(3, 'c', 1));
  const gone = (id: number, device: string, is: unknown = true) => ({
    s_id: id,
    device,
    port: 1,
    _sm_deleted: is,
  });
  const applied = await batch(client, table, 'upsert', [
    gone(1, 'a'),
    gone(99, 'nowhere'),
    row(2, 'b', 1, 'down'),
    { ...gone(3, 'c', false), state: 'kept' },
    row(5, 'e', 1),
    // Of equal keys the last wins.
    gone(5, 'e'),
    gone(6, 'f'),
    row(6, 'f', 1),
  ]);
  expect(applied.body.data).toMatchObject({ status: 'applied', rowsInserted: 1, rowsUpdated: 2 });
  expect(await rowsOf(client, table)).toEqual([
    [2, 'b', 1, 'down'],
    [3, 'c', 1, 'kept'],
    [6, 'f', 1, 'up'],
  ]);
  const [version] = (await client.call('GET', `/v1/tables/${table}/versions`)).body.items;
  expect(version).toMatchObject({ operation: 'upsert', rowsAdded: 3, rowsRemoved: 3 });
  expect((await client.call('GET', `/v1/tables/${table}`)).body.data.rowCount).toBe(3);
  const nothing = await batch(client, table, 'upsert', [gone(7, 'nobody')]);
  expect(nothing.body.data).toMatchObject({
    status: 'applied',
    rowsInserted: 0,
    rowsUpdated: 0,
    tableVersion: version.version,
  });
  const unclear = await batch(client, table, 'upsert', [gone(7, 'g', 'yes')]);
  expect(unclear.body.detail[0].loc).toEqual(['body', 'records', 0, '_sm_deleted']);
  expect((await batch(client, table, 'append', [gone(8, 'h')])).body.detail[0].loc.at(-1)).toBe(
    '_sm_deleted',
  );
});

test('keys to delete are checked before the key columns have a type, too', async () => {
  const made = await client.call('POST', '/v1/grid/tables', {
    body: { name: 'Untyped', kind: 'data', columns: [{ name: 'device' }], key_columns: ['device'] },
  });
  const remove = (key: object) =>
    client.call('DELETE', rowsAt(made.body.data.tableId), { body: { keys: [key] } });
  expect((await remove({ device: 7 })).body.data).toMatchObject({ rowsDeleted: 0 });
  expect((await remove({ devise: 7 })).body.detail).toMatchObject([
    { loc: ['body', 'keys', 0, 'devise'], type: 'extra_forbidden' },
    { loc: ['body', 'keys', 0, 'device'], type: 'missing' },
  ]);
  expect((await remove({ device: null })).body.detail[0].loc).toEqual(['body', 'keys', 0, 'device']);
});

test('a deletion may have as many bytes as the rows of a table', async () => {
  const table = await keyedTable(client);
  const sent = await client.call('DELETE', rowsAt(table), {
    raw: { text: '{"s_ids":[1]}'.padEnd(33_554_432), contentType: 'application/json' },
  });
  expect(sent.status, sent.text).toBe(200);
});

import { expect, test, vi } from 'vitest';
import { tableSteps } from '../../../domain/tables/tables/reconcile.ts';
import { reconcile } from '../../support/reconcile.ts';
import { type TestClient, useOrganization, useOwnWorkspace } from '../../support/workspace.ts';

const workspace = useOwnWorkspace();
const client = useOrganization(workspace);

async function dataTable(
  client: TestClient,
  name: string,
  columns: object[],
  keyColumns?: string[],
): Promise<string> {
  const answer = await client.call('POST', '/v1/grid/tables', {
    body: { name, kind: 'data', columns, ...(keyColumns === undefined ? {} : { key_columns: keyColumns }) },
  });
  expect(answer.status, answer.text).toBe(201);
  return answer.body.data.tableId;
}

async function select(client: TestClient, sql: string) {
  const answer = await client.call('POST', '/v1/query-executions', { body: { sql, row_format: 'rows' } });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data.rows;
}

test('appends are durable, visible to queries and told with their version', async () => {
  const id = await dataTable(client, 'orders', [
    { name: 'order_no' },
    { name: 'amount', data_type: 'DECIMAL(12,2)' },
  ]);
  const rows = [
    { s_id: 1, order_no: 'A', amount: 12.5 },
    { s_id: 9007199254740993n, order_no: 'B' },
  ];
  const text = `{"rows":[{"s_id":1,"order_no":"A","amount":12.50},{"s_id":9007199254740993,"order_no":"B"}]}`;
  const appended = await client.call('POST', `/v1/tables/${id}/rows`, {
    raw: { text, contentType: 'application/json' },
  });
  expect(appended.status, appended.text).toBe(200);
  expect(appended.body.data.rowsWritten).toBe(rows.length);
  expect(await select(client, 'SELECT s_id, order_no, amount FROM orders ORDER BY s_id')).toEqual([
    { sId: 1, orderNo: 'A', amount: '12.50' },
    { sId: '9007199254740993', orderNo: 'B', amount: null },
  ]);
  const versions = await client.call('GET', `/v1/tables/${id}/versions`);
  expect(versions.body.items[0]).toMatchObject({
    version: appended.body.data.tableVersion,
    operation: 'append',
    rowsAdded: 2,
  });
  const status = await client.call('GET', `/v1/grid/tables/${id}/status`);
  expect(status.body.data).toMatchObject({
    status: 'fresh',
    rowCount: 2,
    tableVersion: appended.body.data.tableVersion,
    materializedAt: versions.body.items[0].committedAt,
  });
});

test('a present or repeated s_id is refused, and nothing of the request is written', async () => {
  const id = await dataTable(client, 'items', [{ name: 'v' }]);
  await client.call('POST', `/v1/tables/${id}/rows`, { body: { rows: [{ s_id: 1, v: 'x' }] } });
  const again = await client.call('POST', `/v1/tables/${id}/rows`, {
    body: {
      rows: [
        { s_id: 2, v: 'y' },
        { s_id: 1, v: 'z' },
      ],
    },
  });
  expect(again.status).toBe(409);
  expect(again.body).toMatchObject({ code: 'duplicate_row_id', row_ids: [1] });
  const twice = await client.call('POST', `/v1/tables/${id}/rows`, {
    body: { rows: [{ s_id: 5 }, { s_id: 5 }] },
  });
  expect(twice.body.code).toBe('duplicate_row_id');
  expect(await select(client, 'SELECT count(*) AS n FROM items')).toEqual([{ n: 1 }]);
});

test('upserts by key columns: matched rows keep their s_id, of equal keys the last wins', async () => {
  const id = await dataTable(client, 'stock', [{ name: 'sku' }, { name: 'n' }], ['sku']);
  await client.call('POST', `/v1/tables/${id}/rows`, { body: { rows: [{ s_id: 1, sku: 'a', n: 1 }] } });
  const answer = await client.call('PUT', `/v1/tables/${id}/rows`, {
    body: {
      rows: [
        { s_id: 7, sku: 'a', n: 2 },
        { s_id: 8, sku: 'b', n: 3 },
        { s_id: 9, sku: 'a', n: 4 },
      ],
    },
  });
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body.data).toMatchObject({ inserted: 1, updated: 1 });
  expect(await select(client, 'SELECT s_id, sku, n FROM stock ORDER BY sku')).toEqual([
    { sId: 1, sku: 'a', n: 4 },
    { sId: 8, sku: 'b', n: 3 },
  ]);
});

test('a column without data_type takes the type of its first value and widens where nothing is lost', async () => {
  const id = await dataTable(client, 'loose', [{ name: 'a' }, { name: 'b' }]);
  const put = async (rows: object[]) =>
    (await client.call('POST', `/v1/tables/${id}/rows`, { body: { rows } })).status;
  const types = async () => {
    const answer = await client.call('GET', `/v1/tables/${id}/catalog`);
    return Object.fromEntries(
      answer.body.data.columns.map((column: { name: string; dataType: string }) => [
        column.name,
        column.dataType,
      ]),
    );
  };
  expect(await types()).toMatchObject({ a: null, b: null });
  expect(await put([{ s_id: 1, a: 7 }])).toBe(200);
  expect(await types()).toMatchObject({ a: 'INTEGER', b: null });
  expect(await put([{ s_id: 2, a: 0.5, b: true }])).toBe(200);
  expect(await types()).toMatchObject({ a: 'DOUBLE', b: 'BOOLEAN' });
  const refused = await client.call('POST', `/v1/tables/${id}/rows`, {
    body: { rows: [{ s_id: 3, a: 'x' }] },
  });
  expect(refused.status).toBe(422);
  expect(refused.body.detail[0]).toMatchObject({ loc: ['body', 'rows', 0, 'a'], type: 'value_error' });
  expect(await select(client, 'SELECT * EXCLUDE (_sm_created_at) FROM loose ORDER BY s_id')).toEqual([
    { sId: 1, a: 7, b: null },
    { sId: 2, a: 0.5, b: true },
  ]);
});

test('all faults of a request are named at their place, to twenty', async () => {
  const id = await dataTable(client, 'strict', [{ name: 'n', data_type: 'INTEGER', nullable: false }]);
  const answer = await client.call('POST', `/v1/tables/${id}/rows`, {
    body: { rows: [{ s_id: 1, n: null }, { n: 1 }, { s_id: 3, n: 1, other: 2 }, { s_id: 4 }] },
  });
  expect(answer.status).toBe(422);
  expect(
    answer.body.detail.map((fault: { loc: unknown[]; type: string }) => [...fault.loc.slice(2), fault.type]),
  ).toEqual([
    [0, 'n', 'value_error'],
    [1, 's_id', 'missing'],
    [2, 'other', 'extra_forbidden'],
    [3, 'n', 'missing'],
  ]);
});

test('rows are read in pages that stay at one version, and at a past version', async () => {
  const id = await dataTable(client, 'paged', [{ name: 'v' }]);
  const rows = Array.from({ length: 5 }, (_, index) => ({ s_id: index, v: `r${index}` }));
  const first = await client.call('POST', `/v1/tables/${id}/rows`, { body: { rows } });
  const page = await client.call('GET', `/v1/tables/${id}/rows?limit=3`);
  expect(page.body.items.map((row: { s_id: number }) => row.s_id)).toEqual([0, 1, 2]);
  await client.call('POST', `/v1/tables/${id}/rows`, { body: { rows: [{ s_id: 10, v: 'late' }] } });
  const next = await client.call('GET', `/v1/tables/${id}/rows?limit=3&cursor=${page.body.nextCursor}`);
  expect(next.body.items.map((row: { v: string }) => row.v)).toEqual(['r3', 'r4']);
  expect(next.body.nextCursor).toBeNull();
  const past = await client.call('GET', `/v1/tables/${id}/rows?version=${first.body.data.tableVersion}`);
  expect(past.body.items).toHaveLength(5);
  const gone = await client.call('GET', `/v1/tables/${id}/rows?version=99999`);
  expect(gone.body.code).toBe('version_expired');
});

test('a page begins at a row number of one version, or at a cursor', async () => {
  const id = await dataTable(client, 'numbered', [{ name: 'v' }]);
  const rows = Array.from({ length: 5 }, (_, index) => ({ s_id: index * 3, v: `r${index}` }));
  const first = await client.call('POST', `/v1/tables/${id}/rows`, { body: { rows } });
  await client.call('POST', `/v1/tables/${id}/rows`, { body: { rows: [{ s_id: 4, v: 'late' }] } });
  const read = async (query: string) => (await client.call('GET', `/v1/tables/${id}/rows?${query}`)).body;
  const ids = (page: { items: { s_id: number }[] }) => page.items.map((row) => row.s_id);
  const now = await read('offset=2&limit=2');
  expect([ids(now), now.total]).toEqual([[4, 6], 6]);
  expect(ids(await read(`limit=2&cursor=${now.nextCursor}`))).toEqual([9, 12]);
  const before = await read(`offset=2&limit=2&version=${first.body.data.tableVersion}`);
  expect([ids(before), before.total, before.version]).toEqual([[6, 9], 5, first.body.data.tableVersion]);
  const beyond = await read('offset=6');
  expect(beyond).toEqual({ items: [], nextCursor: null, total: 6, version: now.version });
  expect(now.version).toBeGreaterThan(before.version);
  const both = await read(`offset=2&cursor=${now.nextCursor}`);
  expect(both.detail).toEqual([expect.objectContaining({ loc: ['query', 'offset'] })]);
  expect((await read('offset=-1')).detail[0].loc).toEqual(['query', 'offset']);
  expect('total' in (await read('limit=2'))).toBe(false);
});

test('a page has up to 5,000 rows', async () => {
  const id = await dataTable(client, 'long', [{ name: 'v', data_type: 'STRING' }]);
  for (const from of [0, 5_000]) {
    const rows = Array.from({ length: 5_000 }, (_, at) => ({ s_id: from + at, v: 'v' }));
    await client.call('POST', `/v1/tables/${id}/rows`, { body: { rows } });
  }
  const page = await client.call('GET', `/v1/tables/${id}/rows?limit=5000`);
  expect([page.body.items.length, page.body.items.at(-1).s_id]).toEqual([5_000, 4_999]);
  const next = await client.call('GET', `/v1/tables/${id}/rows?limit=5000&cursor=${page.body.nextCursor}`);
  expect([next.body.items[0].s_id, next.body.nextCursor]).toEqual([5_000, null]);
  expect((await client.call('GET', `/v1/tables/${id}/rows?limit=5001`)).status).toBe(422);
});

test('columns are added, renamed, retyped and made nullable', async () => {
  const id = await dataTable(
    client,
    'shape',
    [
      { name: 'k', nullable: false },
      { name: 't', data_type: 'STRING' },
    ],
    ['k'],
  );
  await client.call('POST', `/v1/tables/${id}/rows`, {
    body: {
      rows: [
        { s_id: 1, k: 'a', t: '12' },
        { s_id: 2, k: 'b', t: 'x' },
      ],
    },
  });
  const lossy = await client.call('PATCH', `/v1/grid/tables/${id}/columns/t`, {
    body: { data_type: 'INTEGER' },
  });
  expect(lossy.status).toBe(409);
  expect(lossy.body.rows).toEqual([{ s_id: 2, value: 'x' }]);
  await client.call('PUT', `/v1/tables/${id}/rows`, { body: { rows: [{ s_id: 3, k: 'b', t: '13' }] } });
  const retyped = await client.call('PATCH', `/v1/grid/tables/${id}/columns/t`, {
    body: { data_type: 'INTEGER', name: 'number' },
  });
  expect(retyped.status, retyped.text).toBe(200);
  const renamed = await client.call('PATCH', `/v1/grid/tables/${id}/columns/k`, {
    body: { name: 'key', nullable: true },
  });
  expect(renamed.body.data).toMatchObject({ keyColumns: ['key'] });
  const added = await client.call('POST', `/v1/grid/tables/${id}/columns`, {
    body: { name: 'more', data_type: 'JSON' },
  });
  expect(added.body.data.columns.map((column: { name: string }) => column.name)).toEqual([
    's_id',
    'key',
    'number',
    '_sm_created_at',
    'more',
  ]);
  expect(await select(client, 'SELECT key, number FROM shape ORDER BY key')).toEqual([
    { key: 'a', number: 12 },
    { key: 'b', number: 13 },
  ]);
});

test('names are unique ignoring case, free again after a delete, and may hold any characters', async () => {
  const name = 'Größe "x"; drop -- ';
  const id = await dataTable(client, name, [{ name: 'a "b"' }]);
  const taken = await client.call('POST', '/v1/grid/tables', {
    body: { name: name.toUpperCase().replace('SS', 'ß'), kind: 'data', columns: [{ name: 'a' }] },
  });
  expect(taken.body.code, taken.text).toBe('name_taken');
  await client.call('POST', `/v1/tables/${id}/rows`, { body: { rows: [{ s_id: 1, 'a "b"': 1 }] } });
  expect(await select(client, `SELECT "a ""b""" AS v FROM "${name.replaceAll('"', '""')}"`)).toEqual([
    { v: 1 },
  ]);
  const deleted = await client.call('DELETE', `/v1/tables/${id}?confirm=true`);
  expect(deleted.status, deleted.text).toBe(200);
  expect((await client.call('GET', `/v1/tables/${id}`)).status).toBe(404);
  await dataTable(client, name, [{ name: 'b' }]);
});

test('system tables are listed, not queryable and not in the catalog', async () => {
  const client = await workspace.organization();
  const list = await client.call('GET', '/v1/tables');
  const system = list.body.tables.filter((table: { kind: string }) => table.kind === 'system');
  expect(list.body.total).toBe(list.body.tables.length);
  expect(system.map((table: { name: string }) => table.name)).toContain('sys_users');
  expect(system.every((table: { queryable: boolean }) => !table.queryable)).toBe(true);
  expect((await client.call('GET', '/v1/tables/catalog')).body).toEqual({ tables: [], total: 0 });
  expect((await client.call('GET', `/v1/tables/${system[0].id}/catalog`)).status).toBe(404);
  const query = await client.call('POST', '/v1/query-executions', {
    body: { sql: 'SELECT * FROM sys_users' },
  });
  expect(query.body.code).toBe('query_failed');
});

test('a repeated append under one idempotency key writes once and answers the same bytes', async () => {
  const id = await dataTable(client, 'once', [{ name: 'v' }]);
  const send = (rows: object[]) =>
    client.call('POST', `/v1/tables/${id}/rows`, { body: { rows }, headers: { 'idempotency-key': 'k-1' } });
  const first = await send([{ s_id: 1, v: 'x' }]);
  const second = await send([{ s_id: 1, v: 'x' }]);
  expect(second.text).toBe(first.text);
  expect(second.headers['idempotent-replayed']).toBe('true');
  const other = await send([{ s_id: 2, v: 'x' }]);
  expect(other.status).toBe(422);
  expect(other.body.detail[0].loc).toEqual(['header', 'idempotency-key']);
});

test('appends of many clients at once keep s_id unique', async () => {
  const id = await dataTable(client, 'busy', [{ name: 'v' }]);
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      client.call('POST', `/v1/tables/${id}/rows`, { body: { rows: [{ s_id: index % 20, v: index }] } }),
    ),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(20);
  expect(await select(client, 'SELECT count(*) AS n, count(DISTINCT s_id) AS ids FROM busy')).toEqual([
    { n: 20, ids: 20 },
  ]);
});

test("rows sent to another organization's table never share a commit with its own", async () => {
  const [owner, stranger] = [await workspace.organization('Owner'), await workspace.organization('Stranger')];
  const id = await dataTable(owner, 'mine', [{ name: 'v' }]);
  const send = (client: TestClient, sId: number) =>
    client.call('POST', `/v1/tables/${id}/rows`, { body: { rows: [{ s_id: sId, v: 'x' }] } });
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => send(index % 2 === 0 ? owner : stranger, index)),
  );
  expect(answers.map(({ status }) => status)).toEqual(
    Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? 200 : 404)),
  );
  expect(await select(owner, 'SELECT count(*) AS n FROM mine')).toEqual([{ n: 10 }]);
});

test('appends that share a moment never widen an integer beyond 2^53 silently, and fail alone', async () => {
  const id = await dataTable(client, 'wide', [{ name: 'x' }]);
  const send = (sId: number, x: string) =>
    client.call('POST', `/v1/tables/${id}/rows`, {
      raw: { text: `{"rows":[{"s_id":${sId},"x":${x}}]}`, contentType: 'application/json' },
    });
  const answers = await Promise.all([
    send(1, '1'),
    send(2, '9007199254740993'),
    send(3, '0.5'),
    send(4, '7'),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 422, 200]);
  expect(answers[2]!.body.detail[0].loc).toEqual(['body', 'rows', 0, 'x']);
  expect(await select(client, 'SELECT x FROM wide ORDER BY s_id')).toEqual([
    { x: 1 },
    { x: '9007199254740993' },
    { x: 7 },
  ]);
});

test('a double takes every number that it holds, and dates stay within the years 0001 to 9999', async () => {
  const id = await dataTable(client, 'edges', [
    { name: 'd', data_type: 'DOUBLE' },
    { name: 'at', data_type: 'TIMESTAMP' },
  ]);
  const send = (row: object) => client.call('POST', `/v1/tables/${id}/rows`, { body: { rows: [row] } });
  for (const [index, d] of [1e300, 6.02214076e23, 9007199254740994].entries())
    expect((await send({ s_id: index, d })).status).toBe(200);
  for (const at of ['9999-12-31T23:59:59-05:00', '0001-01-01T00:00:00+05:00', '0000-01-01T00:00:00']) {
    expect((await send({ s_id: 9, at })).body.detail?.[0].loc, at).toEqual(['body', 'rows', 0, 'at']);
  }
  expect((await send({ s_id: 9, at: '2026-11-21T08:00:00.123456+02:00' })).status).toBe(200);
  expect(await select(client, 'SELECT "at" FROM edges WHERE s_id = 9')).toEqual([
    { at: '2026-11-21T06:00:00.123456' },
  ]);
});

test('no name of a table or column gets in the way of an upsert', async () => {
  const id = await dataTable(
    client,
    'incoming',
    [{ name: 'k' }, { name: 'position' }, { name: 'rowid' }, { name: 'i' }, { name: 't' }],
    ['k'],
  );
  const rows = [
    { s_id: 1, k: 'a', position: 1, rowid: 7, i: 1, t: 1 },
    { s_id: 2, k: 'b', position: 2, rowid: 7, i: 1, t: 1 },
  ];
  const first = await client.call('PUT', `/v1/tables/${id}/rows`, { body: { rows } });
  expect(first.body.data, first.text).toMatchObject({ inserted: 2, updated: 0 });
  const again = await client.call('PUT', `/v1/tables/${id}/rows`, { body: { rows } });
  expect(again.body.data).toMatchObject({ inserted: 0, updated: 2 });
});

test('a change that changes nothing is the table as it is, and no change at all is refused', async () => {
  const id = await dataTable(client, 'same', [{ name: 'a', data_type: 'INTEGER' }]);
  const patch = (body: object) => client.call('PATCH', `/v1/grid/tables/${id}/columns/a`, { body });
  expect((await patch({ data_type: 'INTEGER', nullable: true })).status).toBe(200);
  expect((await patch({})).status).toBe(422);
});

test('names that the catalog of the lake keeps for itself are refused at their place', async () => {
  const id = await dataTable(client, 'plain', [{ name: 'a' }]);
  for (const name of ['_ducklake_internal_row_id', 'Row_Id', 'xmin', 'CURRENT_DATE']) {
    const added = await client.call('POST', `/v1/grid/tables/${id}/columns`, { body: { name } });
    expect(added.body.detail, name).toMatchObject([{ loc: ['body', 'name'], type: 'value_error' }]);
    const renamed = await client.call('PATCH', `/v1/grid/tables/${id}/columns/a`, { body: { name } });
    expect(renamed.body.detail, name).toMatchObject([{ loc: ['body', 'name'], type: 'value_error' }]);
    const body = { name: 'other', kind: 'data', columns: [{ name: 'a' }, { name }] };
    const made = await client.call('POST', '/v1/grid/tables', { body });
    expect(made.body.detail, name).toMatchObject([{ loc: ['body', 'columns', 1, 'name'] }]);
  }
  const query = 'SELECT current_date, 1 AS one';
  const view = await client.call('POST', '/v1/views', { body: { name: 'today', query } });
  expect(view.status, view.text).toBe(201);
  const calculated = await client.call('POST', '/v1/grid/tables', {
    body: { name: 'day', kind: 'calc', query },
  });
  expect([calculated.status, calculated.text]).toEqual([422, expect.stringContaining('AS')]);
});

test('every s_id that is taken or repeated is named', async () => {
  const id = await dataTable(client, 'named', [{ name: 'v' }]);
  const send = (ids: number[]) =>
    client.call('POST', `/v1/tables/${id}/rows`, { body: { rows: ids.map((s_id) => ({ s_id })) } });
  await send([2]);
  expect((await send([50, 50, 2])).body.row_ids).toEqual([50, 2]);
  // As rows show them: only integers beyond 2^53 are texts.
  await send([2 ** 53, 10]);
  expect((await send([2 ** 53])).body.row_ids).toEqual([2 ** 53]);
  await client.call('PUT', `/v1/tables/${id}/rows`, {
    body: {
      rows: [
        { s_id: 10, v: 'x' },
        { s_id: 2, v: 'y' },
      ],
    },
  });
  const retyped = await client.call('PATCH', `/v1/grid/tables/${id}/columns/v`, {
    body: { data_type: 'DATE' },
  });
  expect(retyped.body.rows).toEqual([
    { s_id: 2, value: 'y' },
    { s_id: 10, value: 'x' },
  ]);
});

test('two descriptions at once are both kept', async () => {
  const id = await dataTable(client, 'noted', [{ name: 'a' }, { name: 'b' }]);
  const note = (name: string) =>
    client.call('PATCH', `/v1/tables/${id}/catalog`, {
      body: { columns: [{ name, note: `about ${name}` }] },
    });
  await Promise.all([note('a'), note('b')]);
  const { columns } = (await client.call('GET', `/v1/tables/${id}/catalog`)).body.data;
  expect(columns.map((column: { note: string | null }) => column.note)).toEqual([
    null,
    'about a',
    'about b',
    null,
  ]);
});

test('a rename that a crash left half done is finished by the next upsert, and by the reconciler', async () => {
  const columns = [
    { name: 'k', data_type: 'STRING' },
    { name: 'n', data_type: 'INTEGER' },
  ];
  const body = { name: 'halves', kind: 'data', columns, key_columns: ['k'] };
  const id = (await client.call('POST', '/v1/grid/tables', { body })).body.data.tableId;
  const rename = { body: { name: 'key' } };
  expect((await client.call('PATCH', `/v1/grid/tables/${id}/columns/k`, rename)).status).toBe(200);
  const { lake } = workspace.deps;
  const { schema } = await lake.catalog.get(client.organizationId);
  const { rows } = await lake.catalogPool.query(
    `SELECT id FROM "${schema}".workspace_operation WHERE table_id = $1 AND operation = 'alter'`,
    [id],
  );
  // The state left by a process that dies right after the lake has the new name.
  const crash = () =>
    lake.catalogPool.query(
      `UPDATE tables SET key_columns = '{k}', updated_at = now() - interval '2 minutes',
         pending_rename = jsonb_build_object('operationId', $2::text, 'from', 'k', 'to', 'key') WHERE id = $1`,
      [id, rows[0].id],
    );
  await crash();
  const upsert = await client.call('PUT', `/v1/tables/${id}/rows`, {
    body: { rows: [{ s_id: 1, key: 'a', n: 1 }] },
  });
  expect([upsert.status, upsert.body.data]).toMatchObject([200, { inserted: 1, updated: 0 }]);
  const keysOf = async () =>
    (await lake.catalogPool.query('SELECT key_columns FROM tables WHERE id = $1', [id])).rows[0].key_columns;
  expect(await keysOf()).toEqual(['key']);
  await crash();
  await reconcile(workspace, tableSteps(workspace.deps));
  expect(await keysOf()).toEqual(['key']);
});

test('an upsert never lands in another table of the same name', async () => {
  const body = { name: 'again', kind: 'data', columns: [{ name: 'n', data_type: 'INTEGER' }] };
  const create = async () => (await client.call('POST', '/v1/grid/tables', { body })).body.data.tableId;
  const first = await create();
  const { locks } = workspace.deps.lake;
  const hold = locks.hold.bind(locks);
  let second = '';
  // While the upsert waits for its lock, its table is dropped and created again.
  vi.spyOn(locks, 'hold').mockImplementationOnce(async (id, work) => {
    await client.call('DELETE', `/v1/tables/${first}?confirm=true`);
    second = await create();
    return hold(id, work);
  });
  const upsert = await client.call('PUT', `/v1/tables/${first}/rows`, {
    body: { rows: [{ s_id: 1, n: 1 }] },
  });
  expect(upsert.status).toBe(404);
  expect((await client.call('GET', `/v1/tables/${second}/rows`)).body.items).toEqual([]);
});

test('the time of a row is told with its zone, in reads, queries and the table', async () => {
  const id = await dataTable(client, 'times', [{ name: 'n', data_type: 'INTEGER' }]);
  const rows = { body: { rows: [{ s_id: 1, n: 1 }] } };
  expect((await client.call('POST', `/v1/tables/${id}/rows`, rows)).status).toBe(200);
  expect(
    (await client.call('PUT', `/v1/tables/${id}/rows`, { body: { rows: [{ s_id: 2, n: 1 }] } })).status,
  ).toBe(200);
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3,6}Z$/;
  const { items } = (await client.call('GET', `/v1/tables/${id}/rows`)).body;
  for (const row of items) expect(row._sm_created_at).toMatch(time);
  const told = await select(client, 'SELECT _sm_created_at AS t, typeof(_sm_created_at) AS k FROM times');
  expect(told).toEqual([0, 1].map(() => ({ t: expect.stringMatching(time), k: 'TIMESTAMP WITH TIME ZONE' })));
});

import { createHash } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { inOrganization } from '../../../data/postgres/client.ts';
import { listPages } from '../../../domain/intake/ingestion/staged-pages.ts';
import { eventually, expectEventually } from '../../support/eventually.ts';
import { useWorker } from '../../support/worker.ts';
import { type Answer, type TestClient, useOrganization, useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);
const client = useOrganization(workspace);

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

function untilSettled(
  client: TestClient,
  batch: string,
  unsettled: readonly string[] = ['completing', 'applying'],
): Promise<Answer['body']['data']> {
  return eventually(
    async () => (await client.call('GET', batch)).body.data,
    ({ status }) => !unsettled.includes(status),
  );
}

/** A replay is open until its process has filled it. */
const untilReplayed = (client: TestClient, replay: string) =>
  untilSettled(client, replay, ['open', 'completing', 'applying']);

async function rowsOf(client: TestClient, table: string): Promise<Answer['body'][]> {
  const { body } = await client.call('GET', `/v1/tables/${table}/rows?limit=200`);
  return body.items.map(({ _sm_created_at: _, ...row }: { _sm_created_at: string }) => row);
}

/** A verbatim body. */
const json = (text: string) => ({ text, contentType: 'application/json' });

const order = (id: number, more: object = {}) => ({
  s_id: id,
  order_no: `A-${id}`,
  amount: id + 0.5,
  ...more,
});

test('pages in any order become one commit, and the batch tells that they landed', async () => {
  const table = await newTable(client);
  const batch = await open(client, table, { mode: 'append', client_batch_id: 'first' });
  const records = [order(3), order(4, { note: 'x' })];
  const staged = await stage(client, batch, 2, records);
  const canonical =
    '[{"amount":3.5,"order_no":"A-3","s_id":3},{"amount":4.5,"note":"x","order_no":"A-4","s_id":4}]';
  expect(staged.body.data).toEqual({
    pageId: `${batch.split('/').at(-1)}.2`,
    pageNumber: 2,
    sizeBytes: String(canonical.length),
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
  // The same complete, page and open requests give the same answers; a different complete is refused.
  expect((await complete(client, batch, { page_count: 2 })).status).toBe('applied');
  expect((await stage(client, batch, 2, records)).body.data.replayed).toBe(true);
  const reopened = await client.call('POST', `/v1/tables/${table}/ingestion-batches`, {
    body: { mode: 'append', client_batch_id: 'first' },
  });
  expect([reopened.status, reopened.body.data.id]).toEqual([200, applied.id]);
  expect(reopened.headers['location']).toBe(batch);
  const other = await client.call('POST', `${batch}/complete`, { body: { page_count: 3 } });
  expect([other.status, other.body.code]).toEqual([409, 'batch_not_open']);
  expect(await rowsOf(client, table)).toHaveLength(4);
});

test('a page that does not fit is refused with each fault at its place, and other content of a page is refused', async () => {
  const batch = await open(client, await newTable(client), { mode: 'append' });
  const faulty = await client.call('PUT', `${batch}/pages/1`, {
    body: { records: [order(1), { s_id: 2, amount: 1.234, colour: 'red' }, { order_no: 7 }] },
  });
  expect(faulty.status).toBe(422);
  expect(faulty.body.detail.map(({ loc, type }: { loc: unknown; type: string }) => [loc, type])).toEqual([
    [['body', 'records', 1, 'amount'], 'value_error'],
    [['body', 'records', 1, 'colour'], 'extra_forbidden'],
    [['body', 'records', 2, 's_id'], 'missing'],
    [['body', 'records', 2, 'order_no'], 'value_error'],
  ]);
  const extra = await client.call('PUT', `${batch}/pages/1`, { body: { records: [], checksum: 'x' } });
  expect(extra.body.detail).toMatchObject([{ loc: ['body', 'checksum'], type: 'extra_forbidden' }]);
  const many = await client.call('PUT', `${batch}/pages/1`, {
    body: { records: Array.from({ length: 5_001 }, (_, id) => ({ s_id: id })) },
  });
  expect(many.body.detail).toMatchObject([{ loc: ['body', 'records'], type: 'too_long' }]);
  for (const page of ['0', '100001', 'x'])
    expect((await client.call('PUT', `${batch}/pages/${page}`, { body: { records: [] } })).status).toBe(422);
  const broken = await client.call('PUT', `${batch}/pages/1`, {
    raw: { text: '{"records":[}', contentType: 'application/json' },
  });
  expect(broken.body.detail).toMatchObject([{ loc: ['body'], type: 'json_invalid' }]);
  const repeated = await client.call('PUT', `${batch}/pages/1`, { body: { records: [order(1), order(1)] } });
  expect([repeated.status, repeated.body.code, repeated.body.row_ids]).toEqual([
    409,
    'duplicate_row_id',
    [1],
  ]);
  await stage(client, batch, 1, [order(1)]);
  const other = await client.call('PUT', `${batch}/pages/1`, { body: { records: [order(2)] } });
  expect([other.status, other.body.code]).toEqual([409, 'page_content_mismatch']);
  const racing = await Promise.all(
    Array.from({ length: 6 }, (_, n) =>
      client.call('PUT', `${batch}/pages/2`, { body: { records: [order(10 + (n % 2))] } }),
    ),
  );
  const kept = racing.filter(({ status }) => status === 200);
  expect(kept).toHaveLength(3);
  expect(kept.filter(({ body }) => !body.data.replayed)).toHaveLength(1);
  expect(racing.filter(({ body }) => body.code === 'page_content_mismatch')).toHaveLength(3);
  expect((await complete(client, batch, { page_count: 2 })).rowsInserted).toBe(2);
});

test('numbers keep their digits from the page to the table', async () => {
  const table = await newTable(client, [
    { name: 'big', data_type: 'INTEGER' },
    { name: 'exact', data_type: 'DECIMAL(38,18)' },
    { name: 'open' },
    { name: 'doc', data_type: 'JSON' },
  ]);
  const batch = await open(client, table, { mode: 'append' });
  const text =
    '{"records":[{"s_id":9223372036854775807,"big":9007199254740993,"exact":12345678901234567890.123456789012345678,"open":12345678901234567890123456789012345678,"doc":{"n":9007199254740993.10}}]}';
  const page = { raw: { text, contentType: 'application/json' } };
  expect((await client.call('PUT', `${batch}/pages/1`, page)).status).toBe(200);
  await complete(client, batch, { page_count: 1 });
  const rows = await client.call('GET', `/v1/tables/${table}/rows`);
  expect(rows.text).toContain('"s_id":"9223372036854775807","big":"9007199254740993"');
  expect(rows.text).toContain('"exact":"12345678901234567890.123456789012345678"');
  expect(rows.text).toContain('"open":"12345678901234567890123456789012345678"');
  expect(rows.text).toContain('9007199254740993.1');
});

test('a manifest may name 30,000 pages, and what is wrong with pages is told at them', async () => {
  const batch = await open(client, await newTable(client), { mode: 'append' });
  const sha256 = 'a'.repeat(64);
  const pages = Array.from({ length: 30_000 }, (_, i) => ({ page_number: i + 1, sha256 }));
  const missing = await client.call('POST', `${batch}/complete`, { body: { page_count: 30_000, pages } });
  expect([missing.status, missing.body.code]).toEqual([409, 'manifest_incomplete']);
  const wrong = await client.call('POST', `${batch}/complete`, {
    body: { page_count: 1, pages: [pages[0], pages[0], { page_number: 0, sha256, note: 1 }, 7] },
  });
  const faults = wrong.body.detail.map(({ loc, type }: { loc: unknown[]; type: string }) => [type, ...loc]);
  expect([wrong.status, ...faults]).toEqual([
    422,
    ['value_error', 'body', 'pages', 1],
    ['greater_than_equal', 'body', 'pages', 2, 'page_number'],
    ['extra_forbidden', 'body', 'pages', 2, 'note'],
    ['dict_type', 'body', 'pages', 3],
  ]);
});

test('a complete names what is missing, extra and different, and an s_id repeated or taken fails the batch', async () => {
  const table = await newTable(client);
  const batch = await open(client, table, { mode: 'append' });
  const first = await stage(client, batch, 1, [order(1)]);
  await stage(client, batch, 4, [order(1), order(5)]);
  const short = await client.call('POST', `${batch}/complete`, { body: { page_count: 3 } });
  expect([short.status, short.body.code, short.body.missing, short.body.extra]).toEqual([
    409,
    'manifest_incomplete',
    [2, 3],
    [4],
  ]);
  await stage(client, batch, 2, []);
  await stage(client, batch, 3, [order(7), order(3)]);
  const wrong = await client.call('POST', `${batch}/complete`, {
    body: {
      page_count: 4,
      pages: [
        { page_number: 1, sha256: first.body.data.sha256 },
        { page_number: 2, sha256: '0'.repeat(64) },
        { page_number: 4, sha256: first.body.data.sha256 },
      ],
    },
  });
  expect([wrong.body.missing, wrong.body.extra, wrong.body.different]).toEqual([[], [3], [2, 4]]);
  const failed = await complete(client, batch, { page_count: 4 });
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'duplicate_row_id', rowIds: [1] } });
  expect(await rowsOf(client, table)).toEqual([]);
  const late = await client.call('PUT', `${batch}/pages/1`, { body: { records: [order(1)] } });
  expect([late.status, late.body.code]).toEqual([409, 'batch_not_open']);

  await client.call('POST', `/v1/tables/${table}/rows`, { body: { rows: [order(40), order(41)] } });
  const second = await open(client, table, { mode: 'append' });
  await stage(client, second, 1, [order(39), order(41)]);
  expect(await complete(client, second, { page_count: 1 })).toMatchObject({
    status: 'failed',
    error: { code: 'duplicate_row_id', rowIds: [41] },
  });
  expect(await rowsOf(client, table)).toHaveLength(2);
});

test('an upsert of a table with a column called filename', async () => {
  const table = await newTable(client, [{ name: 'filename' }, { name: 'n', data_type: 'INTEGER' }], {
    key_columns: ['filename'],
  });
  await client.call('POST', `/v1/tables/${table}/rows`, {
    body: { rows: [{ s_id: 1, filename: 'a', n: 1 }] },
  });
  const batch = await open(client, table, { mode: 'upsert' });
  await stage(client, batch, 1, [
    { s_id: 2, filename: 'a', n: 2 },
    { s_id: 3, filename: 'b', n: 3 },
  ]);
  expect(await complete(client, batch, { page_count: 1 })).toMatchObject({
    status: 'applied',
    rowsUpdated: 1,
  });
  expect(await rowsOf(client, table)).toEqual([
    { s_id: 1, filename: 'a', n: 2 },
    { s_id: 3, filename: 'b', n: 3 },
  ]);
});

test('an upsert matches by key, the last page and record wins, and a matched row keeps its s_id', async () => {
  const table = await newTable(client, ordersColumns, { key_columns: ['order_no'] });
  await client.call('POST', `/v1/tables/${table}/rows`, { body: { rows: [order(1), order(2)] } });
  const batch = await open(client, table, { mode: 'upsert' });
  await stage(client, batch, 2, [
    order(12, { order_no: 'A-2', note: 'page 2' }),
    order(20, { order_no: 'B' }),
  ]);
  await stage(client, batch, 1, [
    order(11, { order_no: 'A-2', note: 'page 1' }),
    order(21, { order_no: 'C', note: 'first' }),
    order(22, { order_no: 'C', note: 'last' }),
  ]);
  const noKey = await client.call('PUT', `${batch}/pages/3`, { body: { records: [{ s_id: 5, amount: 1 }] } });
  expect(noKey.body.detail).toMatchObject([{ loc: ['body', 'records', 0, 'order_no'] }]);
  expect(await complete(client, batch, { page_count: 2 })).toMatchObject({
    status: 'applied',
    rowsInserted: 2,
    rowsUpdated: 1,
  });
  expect(await rowsOf(client, table)).toEqual([
    { s_id: 1, order_no: 'A-1', amount: '1.50', note: null },
    { s_id: 2, order_no: 'A-2', amount: '12.50', note: 'page 2' },
    { s_id: 20, order_no: 'B', amount: '20.50', note: null },
    { s_id: 22, order_no: 'C', amount: '22.50', note: 'last' },
  ]);
  const taken = await open(client, table, { mode: 'upsert' });
  await stage(client, taken, 1, [order(20, { order_no: 'new' }), order(31, { order_no: 'C' })]);
  expect(await complete(client, taken, { page_count: 1 })).toMatchObject({
    status: 'failed',
    error: { code: 'duplicate_row_id', rowIds: [20] },
  });
  const empty = await open(client, table, { mode: 'upsert' });
  await stage(client, empty, 1, []);
  expect(await complete(client, empty, { page_count: 1 })).toMatchObject({
    status: 'applied',
    rowsInserted: 0,
  });
});

test('an upsert whose key several rows have is refused, and changes nothing', async () => {
  const keysOnly = [{ name: 'order_no', data_type: 'STRING' }];
  for (const columns of [ordersColumns, keysOnly]) {
    const table = await newTable(client, columns, { key_columns: ['order_no'], key_enforced: false });
    const rows = [1, 2, 3].map((id) => ({ s_id: id, order_no: id === 3 ? 'B' : 'A' }));
    await client.call('POST', `/v1/tables/${table}/rows`, { body: { rows } });
    const before = await rowsOf(client, table);
    const batch = await open(client, table, { mode: 'upsert' });
    await stage(client, batch, 1, [{ s_id: 11, order_no: 'A' }]);
    expect(await complete(client, batch, { page_count: 1 })).toMatchObject({
      status: 'failed',
      error: { code: 'conflict', message: expect.stringContaining('order_no') },
    });
    expect(await rowsOf(client, table)).toEqual(before);
    const single = await open(client, table, { mode: 'upsert' });
    await stage(client, single, 1, [
      { s_id: 12, order_no: 'B' },
      { s_id: 13, order_no: 'C' },
    ]);
    expect(await complete(client, single, { page_count: 1 })).toMatchObject({
      rowsInserted: 1,
      rowsUpdated: 1,
    });
    expect((await rowsOf(client, table)).map(({ s_id }) => s_id)).toEqual([1, 2, 3, 13]);
  }
});

test('a replace swaps the whole content, and its guard waits for a word before a table shrinks', async () => {
  const table = await newTable(client);
  await client.call('POST', `/v1/tables/${table}/rows`, {
    body: { rows: [1, 2, 3, 4].map((id) => order(id)) },
  });
  const guarded = await open(client, table, { mode: 'replace', guard: { max_shrink_ratio: 0.5 } });
  await stage(client, guarded, 1, [order(9)]);
  expect((await complete(client, guarded, { page_count: 1 })).status).toBe('awaiting_confirmation');
  expect((await complete(client, guarded, { page_count: 1 })).status).toBe('awaiting_confirmation');
  const other = await client.call('POST', `${guarded}/complete`, {
    body: { page_count: 2, confirm_shrink: true },
  });
  expect(other.body.code).toBe('batch_not_open');
  expect(await rowsOf(client, table)).toHaveLength(4);
  expect(await complete(client, guarded, { page_count: 1, confirm_shrink: true })).toMatchObject({
    status: 'applied',
    rowsInserted: 1,
  });
  expect(await rowsOf(client, table)).toEqual([{ s_id: 9, order_no: 'A-9', amount: '9.50', note: null }]);
  const emptied = await open(client, table, { mode: 'replace' });
  await stage(client, emptied, 1, []);
  expect((await complete(client, emptied, { page_count: 1 })).status).toBe('applied');
  expect(await rowsOf(client, table)).toEqual([]);
  const versions = (await client.call('GET', `/v1/tables/${table}/versions`)).body.items;
  expect(versions[0]).toMatchObject({ operation: 'replace', rowsAdded: 0, rowsRemoved: 1 });
  const past = await client.call('GET', `/v1/tables/${table}/rows?version=${versions[2].version}`);
  expect(past.body.items).toHaveLength(4);
  const option = await client.call('POST', `/v1/tables/${table}/ingestion-batches`, {
    body: { mode: 'append', guard: { max_shrink_ratio: 0.5 } },
  });
  expect([option.status, option.body.code]).toEqual([400, 'unsupported_option']);
});

test('a batch can be aborted until it is applied, and aborting twice is the same', async () => {
  const table = await newTable(client);
  const batch = await open(client, table, { mode: 'append' });
  await stage(client, batch, 1, [order(1)]);
  const unsure = await client.call('DELETE', batch);
  expect(unsure.body.detail).toMatchObject([{ loc: ['query', 'confirm'] }]);
  for (let time = 0; time < 2; time += 1) {
    const aborted = await client.call('DELETE', `${batch}?confirm=true`);
    expect([aborted.status, aborted.body.data.status, aborted.body.data.pagesStaged]).toEqual([
      200,
      'aborted',
      1,
    ]);
  }
  for (const [method, url, body] of [
    ['PUT', `${batch}/pages/2`, { records: [] }],
    ['POST', `${batch}/complete`, { page_count: 1 }],
  ] as const) {
    const refused = await client.call(method, url, { body });
    expect([refused.status, refused.body.code]).toEqual([409, 'batch_not_open']);
  }
  const applied = await open(client, table, { mode: 'append' });
  await stage(client, applied, 1, [order(1)]);
  await complete(client, applied, { page_count: 1 });
  const late = await client.call('DELETE', `${applied}?confirm=true`);
  expect([late.status, late.body.code]).toEqual([409, 'batch_not_open']);
  // The staged pages of an ended batch are removed.
  const [page] = await inOrganization(workspace.deps.db, client.organizationId, (db) =>
    listPages(db, client.organizationId, applied.split('/').at(-1)!, 0, 10),
  );
  await expectEventually(() => workspace.deps.objects.head(page!.object_key!)).toBeUndefined();
  const expiring = await open(client, table, { mode: 'append', expires_in_seconds: 1 });
  await expectEventually(async () => (await client.call('GET', expiring)).body.data.status).toBe('expired');
});

test('columns without a type take theirs from the pages together, and what no type holds is told by page', async () => {
  const table = await newTable(client, [{ name: 'a' }, { name: 'b' }]);
  const batch = await open(client, table, { mode: 'append' });
  await stage(client, batch, 1, [{ s_id: 1, a: 7 }]);
  await stage(client, batch, 2, [{ s_id: 2, a: 0.5, b: 'x' }]);
  expect((await complete(client, batch, { page_count: 2 })).status).toBe('applied');
  expect(await rowsOf(client, table)).toEqual([
    { s_id: 1, a: 7, b: null },
    { s_id: 2, a: 0.5, b: 'x' },
  ]);
  const torn = await open(client, table, { mode: 'replace' });
  await stage(client, torn, 1, [{ s_id: 1, a: 9007199254740992 }]);
  await stage(client, torn, 2, [{ s_id: 2, a: 3 }]);
  expect((await complete(client, torn, { page_count: 2 })).status).toBe('applied');
  const fresh = await newTable(client, [{ name: 'a' }]);
  const mixed = await open(client, fresh, { mode: 'append' });
  await stage(client, mixed, 1, [{ s_id: 1, a: 7 }]);
  await stage(client, mixed, 2, [{ s_id: 2, a: 'seven' }]);
  const failed = await complete(client, mixed, { page_count: 2 });
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'conflict' } });
  expect(failed.error.message).toContain('page 2');
});

test('new fields are refused, added or ignored, as the batch asks', async () => {
  const table = await newTable(client, [{ name: 'a', data_type: 'INTEGER' }]);
  const adding = await open(client, table, { mode: 'append', on_new_field: 'add' });
  await stage(client, adding, 1, [{ s_id: 1, a: 1, city: 'Porto' }]);
  await stage(client, adding, 2, [{ s_id: 2, a: 2, size: 1.5, nothing: null }]);
  const clash = await client.call('PUT', `${adding}/pages/3`, { body: { records: [{ s_id: 3, A: 2 }] } });
  expect(clash.body.detail).toMatchObject([{ loc: ['body', 'records', 0, 'A'] }]);
  expect((await complete(client, adding, { page_count: 2 })).status).toBe('applied');
  const ignoring = await open(client, table, { mode: 'upsert', on_new_field: 'ignore' });
  await stage(client, ignoring, 1, [{ s_id: 2, a: 20, colour: 'red' }]);
  expect(await complete(client, ignoring, { page_count: 1 })).toMatchObject({
    rowsInserted: 0,
    rowsUpdated: 1,
  });
  const swapping = await open(client, table, { mode: 'replace', on_new_field: 'add' });
  await stage(client, swapping, 1, [{ s_id: 5, flag: true }]);
  expect((await complete(client, swapping, { page_count: 1 })).status).toBe('applied');
  expect(await rowsOf(client, table)).toEqual([{ s_id: 5, a: null, city: null, size: null, flag: true }]);
});

test('bad records are kept aside with their reason and origin, and staged again once they fit', async () => {
  const table = await newTable(client, [
    { name: 'a', data_type: 'INTEGER' },
    { name: 'b', data_type: 'STRING' },
  ]);
  const batch = await open(client, table, { mode: 'append', on_bad_record: 'quarantine' });
  await stage(client, batch, 1, [
    { s_id: 1, a: 1 },
    { s_id: 2, a: 2.5 },
    { s_id: 1, a: 3 },
  ]);
  await stage(client, batch, 2, [{ s_id: 4, a: 'x', b: 7 }]);
  const applied = await complete(client, batch, { page_count: 2 });
  expect(applied).toMatchObject({
    status: 'applied',
    rowsInserted: 1,
    recordsStaged: 1,
    recordsQuarantined: 3,
  });
  const { body } = await client.call('GET', `/v1/tables/${applied.quarantineTableId}`);
  const sql = `SELECT page_number, record_index, reason, record FROM "${body.data.name}" WHERE batch_id = '${applied.id}' ORDER BY 1, 2`;
  const query = async () =>
    (await client.call('POST', '/v1/query-executions', { body: { sql, row_format: 'rows' } })).body.data.rows;
  expect(await query()).toMatchObject([
    { pageNumber: 1, recordIndex: 1, record: { a: 2.5, s_id: 2 } },
    { pageNumber: 1, recordIndex: 2, reason: 's_id: An earlier record of the page already has this s_id.' },
    { pageNumber: 2, recordIndex: 0, record: { a: 'x', b: 7, s_id: 4 } },
  ]);
  await client.call('PATCH', `/v1/grid/tables/${table}/columns/a`, { body: { data_type: 'DOUBLE' } });
  const replay = await client.call('POST', `/v1/tables/${table}/quarantine/replays`, {
    body: { batch_id: applied.id },
  });
  expect(replay.status, replay.text).toBe(202);
  const location = String(replay.headers['location']);
  const replayed = await untilReplayed(client, location);
  // What still does not fit, or has a taken s_id, stays in quarantine.
  expect(replayed).toMatchObject({ status: 'applied', rowsInserted: 1, recordsQuarantined: 2 });
  expect(await query()).toMatchObject([
    { pageNumber: 1, recordIndex: 2, reason: 's_id: The table already has a row with this s_id.' },
    { pageNumber: 2, recordIndex: 0 },
  ]);
  expect(await rowsOf(client, table)).toEqual([
    { s_id: 1, a: 1, b: null },
    { s_id: 2, a: 2.5, b: null },
  ]);
  const again = await client.call('POST', `/v1/tables/${table}/quarantine/replays`, {
    body: { batch_id: replayed.id },
  });
  expect(again.body.data).toMatchObject({ mode: 'append', status: 'open' });
});

test('a repeated complete may leave its checkpoint out, but not name another', async () => {
  const table = await newTable(client);
  const batch = await open(client, table, { mode: 'append' });
  await stage(client, batch, 1, [order(1)]);
  await complete(client, batch, { page_count: 1, checkpoint: { cursor: 1 } });
  const repeat = async (more: object) =>
    (await client.call('POST', `${batch}/complete`, { body: { page_count: 1, ...more } })).status;
  expect(await repeat({ checkpoint: { cursor: 1 } })).toBe(202);
  expect(await repeat({})).toBe(202);
  expect(await repeat({ checkpoint: null })).toBe(409);
  expect(await repeat({ checkpoint: { cursor: 2 } })).toBe(409);
});

test('of two replays of the same records only one begins', async () => {
  const table = await newTable(client, [{ name: 'a', data_type: 'INTEGER' }]);
  const batch = await open(client, table, { mode: 'append', on_bad_record: 'quarantine' });
  await stage(client, batch, 1, [{ s_id: 1, a: 'x' }]);
  const { id } = await complete(client, batch, { page_count: 1 });
  const replay = () =>
    client.call('POST', `/v1/tables/${table}/quarantine/replays`, { body: { batch_id: id } });
  const both = await Promise.all([replay(), replay()]);
  expect(both.map(({ status }) => status).toSorted()).toEqual([202, 409]);
  expect(both.find(({ status }) => status === 409)!.body.code).toBe('conflict');
});

test('an ended batch tells what it had staged, also when its pages are forgotten', async () => {
  const table = await newTable(client);
  const batch = await open(client, table, { mode: 'append' });
  await stage(client, batch, 1, [order(1), order(2)]);
  await stage(client, batch, 7, [order(3)]);
  const aborted = (await client.call('DELETE', `${batch}?confirm=true`)).body.data;
  expect(aborted).toMatchObject({ status: 'aborted', pagesStaged: 2, recordsStaged: 3 });
  await workspace.deps.lake.catalogPool.query(`DELETE FROM staged_pages WHERE batch_id = '${aborted.id}'`);
  expect((await client.call('DELETE', `${batch}?confirm=true`)).body.data).toEqual(aborted);
  expect((await client.call('GET', batch)).body.data).toEqual(aborted);
});

test('every fault of a record is told, beside the values that no type holds, in the order of the records', async () => {
  const table = await newTable(client, [{ name: 'open' }, { name: 'flag', data_type: 'BOOLEAN' }]);
  const batch = await open(client, table, { mode: 'append' });
  const raw = (list: string) =>
    json(
      `{"${list}":[{"s_id":1,"flag":3},{"s_id":2,"open":0.123456789012345678901234567890,"flag":"x","more":1}]}`,
    );
  const [page, rows] = [
    await client.call('PUT', `${batch}/pages/1`, { raw: raw('records') }),
    await client.call('POST', `/v1/tables/${table}/rows`, { raw: raw('rows') }),
  ];
  const faults = (list: string) => [
    ['body', list, 0, 'flag'],
    ['body', list, 1, 'open'],
    ['body', list, 1, 'flag'],
    ['body', list, 1, 'more'],
  ];
  const told = ({ status, body }: Answer) => [
    status,
    body.detail.map((fault: { loc: unknown }) => fault.loc),
  ];
  expect(told(page)).toEqual([422, faults('records')]);
  expect(told(rows)).toEqual([422, faults('rows')]);
});

test('numbers and names in a request are counted as clients count them', async () => {
  const table = await newTable(client, []);
  const batch = await open(client, table, { mode: 'append', client_batch_id: '🙂'.repeat(255) });
  await stage(client, batch, 1, [{ s_id: 1 }]);
  expect(await complete(client, batch, { page_count: 1 })).toMatchObject({ status: 'applied' });
  const long = await client.call('POST', `/v1/tables/${table}/ingestion-batches`, {
    body: { mode: 'append', client_batch_id: '🙂'.repeat(256) },
  });
  expect(long.body.detail).toMatchObject([
    {
      loc: ['body', 'client_batch_id'],
      type: 'string_too_long',
      msg: 'String should have at most 255 characters',
    },
  ]);
  for (const [page, type] of [
    ['0', 'greater_than_equal'],
    ['-1', 'greater_than_equal'],
    ['100001', 'less_than_equal'],
    ['abc', 'int_parsing'],
    ['1.0', 'int_parsing'],
  ]) {
    const refused = await client.call('PUT', `${batch}/pages/${page}`, { body: { records: [] } });
    expect([refused.status, refused.body.detail[0]], page).toEqual([
      422,
      expect.objectContaining({ loc: ['path', 'page_number'], type }),
    ]);
  }
  const foreign = await client.call('GET', `/v1/tables/${table}/ingestion-batches/${'b'.repeat(2_000)}`);
  expect([foreign.status, foreign.body.code]).toEqual([404, 'not_found']);
});

test('integers keep their digits wherever they come in, also where a double lies beside them', async () => {
  const table = await newTable(client, [{ name: 'v', data_type: 'INTEGER' }, { name: 't' }]);
  const appended = await client.call('POST', `/v1/tables/${table}/rows`, {
    raw: json('{"rows":[{"s_id":90564224028551970,"v":90564224028551970}]}'),
  });
  expect(appended.status, appended.text).toBe(200);
  const batch = await open(client, table, { mode: 'append' });
  const raw = json('{"records":[{"s_id":1234567890123456768,"v":1},{"s_id":1234567890123456800,"v":2}]}');
  expect((await client.call('PUT', `${batch}/pages/1`, { raw })).status).toBe(200);
  expect(await complete(client, batch, { page_count: 1 })).toMatchObject({ status: 'applied' });
  const sql = 'SELECT s_id::VARCHAR AS id, v::VARCHAR AS v FROM data ORDER BY s_id';
  const name = (await client.call('GET', `/v1/tables/${table}`)).body.data.name;
  const answer = await client.call('POST', '/v1/query-executions', {
    body: { sql: sql.replace('data', name) },
  });
  expect(answer.body.data.rows).toEqual([
    { id: '90564224028551970', v: '90564224028551970' },
    { id: '1234567890123456768', v: '1' },
    { id: '1234567890123456800', v: '2' },
  ]);
});

test('a key or column renamed after a page was staged refuses the batch, and changes nothing', async () => {
  const table = await newTable(client, ordersColumns, { key_columns: ['order_no'] });
  const columns = `/v1/grid/tables/${table}/columns`;
  const upsert = await open(client, table, { mode: 'upsert', on_new_field: 'add' });
  await stage(client, upsert, 1, [order(1), order(2), order(3)]);
  const append = await open(client, table, { mode: 'append', on_new_field: 'add' });
  await stage(client, append, 1, [order(4, { note: 'x' })]);
  await client.call('PATCH', `${columns}/order_no`, { body: { name: 'code' } });
  for (const batch of [upsert, append]) {
    const failed = await complete(client, batch, { page_count: 1 });
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'conflict' } });
    expect(failed.error.message).toMatch(/order_no|code/);
  }
  expect(await rowsOf(client, table)).toEqual([]);
  // A type that the values no longer fit also ends the batch.
  const typed = await open(client, table, { mode: 'append' });
  await stage(client, typed, 1, [{ s_id: 9, code: 'A', amount: 123456 }]);
  await client.call('PATCH', `${columns}/amount`, { body: { data_type: 'DECIMAL(4,2)' } });
  expect(await complete(client, typed, { page_count: 1 })).toMatchObject({
    status: 'failed',
    error: { code: 'conflict' },
  });
});

test('only its process stages and completes a replay: nothing leaves the quarantine unstaged', async () => {
  const table = await newTable(client, [{ name: 'a', data_type: 'INTEGER' }]);
  const source = await open(client, table, { mode: 'append', on_bad_record: 'quarantine' });
  await stage(client, source, 1, [{ s_id: 1, a: 'x' }]);
  const { id } = await complete(client, source, { page_count: 1 });
  const started = await client.call('POST', `/v1/tables/${table}/quarantine/replays`, {
    body: { batch_id: id },
  });
  const replay = String(started.headers['location']);
  const page = await client.call('PUT', `${replay}/pages/1`, { body: { records: [] } });
  expect([page.status, page.body.code]).toEqual([400, 'unsupported_option']);
  const completed = await client.call('POST', `${replay}/complete`, { body: { page_count: 1 } });
  expect([completed.status, completed.body.code]).toEqual([400, 'unsupported_option']);
  const ended = await untilReplayed(client, replay);
  expect(ended).toMatchObject({ status: 'applied', rowsInserted: 0, recordsQuarantined: 1 });
});

test('half a surrogate pair is a fault of its record, and a checkpoint that cannot be kept is 422', async () => {
  const table = await newTable(client, [{ name: 'j', data_type: 'JSON' }]);
  const half = json('{"records":[{"s_id":1,"j":"\\ud800"},{"s_id":2,"j":"\\\\ud800"}]}');
  const strict = await open(client, table, { mode: 'append' });
  const refused = await client.call('PUT', `${strict}/pages/1`, { raw: half });
  expect(refused.body.detail).toMatchObject([{ loc: ['body', 'records', 0, 'j'] }]);
  for (const value of ['"\\u0000"', '{"a":["\\u0000"]}', '{"\\u0000":1}']) {
    const nul = json(`{"records":[{"s_id":1,"j":${value}}]}`);
    const answer = await client.call('PUT', `${strict}/pages/1`, { raw: nul });
    expect(answer.body.detail, value).toMatchObject([{ loc: ['body', 'records', 0, 'j'] }]);
  }
  const lenient = await open(client, table, { mode: 'append', on_bad_record: 'quarantine' });
  expect((await client.call('PUT', `${lenient}/pages/1`, { raw: half })).status).toBe(200);
  for (const [checkpoint, place] of [
    ['{"a":"\\ud800"}', ['a']],
    ['1e400000', []],
    ['[1e-99999]', [0]],
  ] as const) {
    const raw = json(`{"page_count":1,"checkpoint":${checkpoint}}`);
    const answer = await client.call('POST', `${lenient}/complete`, { raw });
    expect(answer.body.detail, checkpoint).toMatchObject([{ loc: ['body', 'checkpoint', ...place] }]);
  }
  const twice = [1, 1].map((page_number) => ({ page_number, sha256: '0'.repeat(64) }));
  const named = await client.call('POST', `${lenient}/complete`, { body: { page_count: 1, pages: twice } });
  expect(named.body.detail).toMatchObject([{ loc: ['body', 'pages', 1] }]);
  expect(await complete(client, lenient, { page_count: 1 })).toMatchObject({
    status: 'applied',
    rowsInserted: 1,
    recordsQuarantined: 1,
  });
  for (const odd of ['1e1', '0x1', '+1', '0', '100001'])
    expect((await client.call('PUT', `${strict}/pages/${odd}`, { body: { records: [] } })).status).toBe(422);
});

test('a guard lets exactly its share go, and pages together bring at most 500 columns', async () => {
  const table = await newTable(client);
  const ids = (count: number) => Array.from({ length: count }, (_, index) => order(index + 1));
  await client.call('POST', `/v1/tables/${table}/rows`, { body: { rows: ids(10) } });
  const guarded = await open(client, table, { mode: 'replace', guard: { max_shrink_ratio: 0.3 } });
  await stage(client, guarded, 1, ids(7));
  expect((await complete(client, guarded, { page_count: 1 })).status).toBe('applied');
  const wide = await open(client, table, { mode: 'append', on_new_field: 'add' });
  for (const page of [1, 2]) {
    const fields = Array.from({ length: 300 }, (_, index) => [`f_${page}_${index}`, index] as const);
    await stage(client, wide, page, [{ s_id: 100 + page, ...Object.fromEntries(fields) }]);
  }
  expect(await complete(client, wide, { page_count: 2 })).toMatchObject({
    status: 'failed',
    error: { code: 'conflict', message: expect.stringContaining('500') },
  });
});

test('what became of a batch can be asked when its table is gone, and an open one be ended', async () => {
  const table = await newTable(client);
  const applied = await open(client, table, { mode: 'append' });
  await stage(client, applied, 1, [order(1)]);
  await complete(client, applied, { page_count: 1 });
  const pending = await open(client, table, { mode: 'append' });
  expect((await client.call('DELETE', `/v1/tables/${table}?confirm=true`)).status).toBe(200);
  expect((await client.call('GET', applied)).body.data).toMatchObject({ status: 'applied', rowsInserted: 1 });
  const page = await client.call('PUT', `${pending}/pages/1`, { body: { records: [] } });
  expect(page.status).toBe(404);
  const ended = await client.call('DELETE', `${pending}?confirm=true`);
  expect([ended.status, ended.body.data.status]).toEqual([200, 'aborted']);
});

test('the guard counts under the lock: a table that grows until the batch has its turn waits for a word too', async () => {
  const table = await newTable(client);
  const append = (ids: number[]) =>
    client.call('POST', `/v1/tables/${table}/rows`, { body: { rows: ids.map((id) => order(id)) } });
  await append([1, 2]);
  const guarded = await open(client, table, { mode: 'replace', guard: { max_shrink_ratio: 0.5 } });
  await stage(client, guarded, 1, [order(8), order(9)]);
  const { locks } = workspace.activityDeps.lake;
  const hold = locks.hold.bind(locks);
  const spy = vi.spyOn(locks, 'hold').mockImplementationOnce(async (id, work) => {
    await append([3, 4, 5, 6]);
    return hold(id, work);
  });
  expect((await complete(client, guarded, { page_count: 1 })).status).toBe('awaiting_confirmation');
  spy.mockRestore();
  expect(await rowsOf(client, table)).toHaveLength(6);
  const confirmed = await complete(client, guarded, { page_count: 1, confirm_shrink: true });
  expect(confirmed).toMatchObject({ status: 'applied', rowsInserted: 2 });
  expect(await rowsOf(client, table)).toHaveLength(2);
});

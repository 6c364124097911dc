import { expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { useWorker } from '../../support/worker.ts';
import { type TestClient, useOrganization, useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);
const client = useOrganization(workspace);

interface Sync {
  table: string;
  sync: string;
}

let syncs = 0;

async function newSync(client: TestClient, generation = 'v1'): Promise<Sync> {
  syncs += 1;
  const made = await client.call('POST', '/v1/grid/tables', {
    body: { name: `products ${syncs}`, kind: 'data', columns: [{ name: 'sku', data_type: 'STRING' }] },
  });
  const table = made.body.data.tableId;
  const created = await client.call('POST', '/v1/data-syncs', {
    body: { table_id: table, provider: 'shop', generation },
  });
  expect(created.status, created.text).toBe(201);
  expect(created.body.data).toMatchObject({ tableId: table, provider: 'shop', generation, keyColumns: [] });
  return { table, sync: created.body.data.id };
}

async function openSnapshot(client: TestClient, { table, sync }: Sync): Promise<string> {
  const body = { mode: 'provider_snapshot', sync_id: sync };
  const opened = await client.call('POST', `/v1/tables/${table}/ingestion-batches`, { body });
  expect(opened.status, opened.text).toBe(201);
  return opened.body.data.id;
}

function stage(client: TestClient, { sync }: Sync, snapshot: string, body: object) {
  return client.call('POST', `/v1/data-syncs/${sync}/snapshots/${snapshot}/pages`, { body });
}

async function settled(client: TestClient, { table }: Sync, batch: string) {
  return eventually(
    async () => (await client.call('GET', `/v1/tables/${table}/ingestion-batches/${batch}`)).body.data,
    ({ status }) => !['completing', 'applying'].includes(status),
  );
}

test('a provider snapshot becomes the whole content, and the sync remembers how far its client came', async () => {
  const source = await newSync(client);
  const checkpoint = async () =>
    (await client.call('GET', `/v1/data-syncs/${source.sync}/checkpoint`)).body.data;
  expect(await checkpoint()).toEqual({ checkpoint: null, generation: null, batchId: null, appliedAt: null });
  await client.call('POST', `/v1/tables/${source.table}/rows`, {
    body: { rows: [{ s_id: 99, sku: 'old' }] },
  });
  const snapshot = await openSnapshot(client, source);
  const page = { page_number: 2, records: [{ s_id: 2, sku: 'B' }], sync_generation: 'v1' };
  const staged = await stage(client, source, snapshot, page);
  expect([staged.status, staged.body]).toEqual([
    200,
    { data: { pageNumber: 2, sizeBytes: '22', replayed: false } },
  ]);
  expect((await stage(client, source, snapshot, page)).body.data).toEqual({
    pageNumber: 2,
    sizeBytes: '22',
    replayed: true,
  });
  const other = await stage(client, source, snapshot, { ...page, records: [] });
  expect([other.status, other.body.code]).toEqual([409, 'page_content_mismatch']);
  await stage(client, source, snapshot, {
    page_number: 1,
    records: [{ s_id: 1, sku: 'A' }],
    sync_generation: 'v1',
  });
  await stage(client, source, snapshot, { page_number: 3, records: [], sync_generation: 'v1' });
  const known = await client.call('GET', `/v1/data-syncs/${source.sync}/pages/${snapshot}.2`);
  expect(known.body.data).toMatchObject({
    pageId: `${snapshot}.2`,
    batchId: snapshot,
    pageNumber: 2,
    records: 1,
  });
  const direct = await client.call(
    'PUT',
    `/v1/tables/${source.table}/ingestion-batches/${snapshot}/pages/4`,
    {
      body: { records: [] },
    },
  );
  expect([direct.status, direct.body.code]).toEqual([400, 'unsupported_option']);
  const completed = await client.call(
    'POST',
    `/v1/tables/${source.table}/ingestion-batches/${snapshot}/complete`,
    {
      body: { page_count: 3, checkpoint: { cursor: 9007199254740993n.toString(), pages: 3 } },
    },
  );
  expect(completed.status).toBe(202);
  const applied = await settled(client, source, snapshot);
  expect(applied).toMatchObject({ status: 'applied', rowsInserted: 2 });
  const rows = await client.call('GET', `/v1/tables/${source.table}/rows`);
  expect(rows.body.items.map(({ sku }: { sku: string }) => sku)).toEqual(['A', 'B']);
  expect(await checkpoint()).toEqual({
    checkpoint: { cursor: '9007199254740993', pages: 3 },
    generation: 'v1',
    batchId: snapshot,
    appliedAt: applied.appliedAt,
  });
  const listed = await client.call('GET', '/v1/data-syncs?limit=1');
  expect(listed.body).toMatchObject({ items: [{ id: source.sync }], nextCursor: null });
});

test('a rotation fences what was opened before it, at the next page and at the complete, for ever', async () => {
  const source = await newSync(client);
  const rotate = (generation: string) =>
    client.call('PUT', `/v1/data-syncs/${source.sync}/generation`, { body: { generation } });
  const [first, second] = [await openSnapshot(client, source), await openSnapshot(client, source)];
  const page = { page_number: 1, records: [{ s_id: 1 }], sync_generation: 'v1' };
  expect((await stage(client, source, second, page)).status).toBe(200);
  expect((await rotate('v1')).body.data.generation).toBe('v1');
  expect((await stage(client, source, first, page)).status).toBe(200);
  expect((await rotate('v2')).body.data.generation).toBe('v2');
  // A generation whose name is used again is a different one.
  expect((await rotate('v1')).status).toBe(200);
  const fenced = await stage(client, source, first, { ...page, page_number: 2 });
  expect([fenced.status, fenced.body.code]).toEqual([409, 'generation_fenced']);
  expect(await settled(client, source, first)).toMatchObject({
    status: 'failed',
    error: { code: 'generation_fenced' },
  });
  const completed = await client.call(
    'POST',
    `/v1/tables/${source.table}/ingestion-batches/${second}/complete`,
    {
      body: { page_count: 1 },
    },
  );
  expect([completed.status, completed.body.code]).toEqual([409, 'generation_fenced']);
  expect((await settled(client, source, second)).status).toBe('failed');
  const third = await openSnapshot(client, source);
  const stale = await stage(client, source, third, { ...page, sync_generation: 'v0' });
  expect([stale.status, stale.body.code]).toEqual([409, 'generation_fenced']);
  expect((await stage(client, source, third, page)).status).toBe(200);
});

test('a snapshot page is validated as the interface says', async () => {
  const source = await newSync(client);
  const snapshot = await openSnapshot(client, source);
  const faults = async (body: object) => {
    const answer = await stage(client, source, snapshot, body);
    expect(answer.status).toBe(422);
    return answer.body.detail.map(({ loc, type }: { loc: string[]; type: string }) => [
      loc.slice(1).join('.'),
      type,
    ]);
  };
  expect(await faults({})).toEqual([
    ['page_number', 'missing'],
    ['records', 'missing'],
    ['sync_generation', 'missing'],
  ]);
  const page = { page_number: 1, records: [], sync_generation: 'v1' };
  expect(await faults({ ...page, page_number: 0 })).toEqual([['page_number', 'greater_than_equal']]);
  expect(await faults({ ...page, page_number: 100_001 })).toEqual([['page_number', 'less_than_equal']]);
  expect(await faults({ ...page, sync_generation: '' })).toEqual([['sync_generation', 'string_too_short']]);
  expect(await faults({ ...page, sync_generation: 'x'.repeat(256) })).toEqual([
    ['sync_generation', 'string_too_long'],
  ]);
  expect(await faults({ ...page, records: [1] })).toEqual([['records.0', 'dict_type']]);
  expect(await faults({ ...page, colour: 'red' })).toEqual([['colour', 'extra_forbidden']]);
  const wrongMode = await client.call('POST', `/v1/tables/${source.table}/ingestion-batches`, {
    body: { mode: 'provider_snapshot' },
  });
  expect(wrongMode.body.detail).toMatchObject([{ loc: ['body', 'sync_id'], type: 'missing' }]);
});

test('a rotation ends behind the commit under way, an applied page can still be repeated, and keys follow a new name', async () => {
  const source = await newSync(client);
  const own = { table_id: source.table, provider: 'shop', generation: 'k1' };
  const automatic = await client.call('POST', '/v1/data-syncs', {
    body: { ...own, key_columns: ['_sm_created_at'] },
  });
  expect(automatic.status).toBe(422);
  const keyed = await client.call('POST', '/v1/data-syncs', { body: { ...own, key_columns: ['sku'] } });
  const sync = keyed.body.data.id;
  const batches = `/v1/tables/${source.table}/ingestion-batches`;
  const opened = await client.call('POST', batches, { body: { mode: 'upsert', sync_id: sync } });
  const batch = opened.body.data.id;
  const records = Array.from({ length: 500 }, (_, index) => ({ s_id: index, sku: `S${index}` }));
  await client.call('PUT', `${batches}/${batch}/pages/1`, { body: { records } });
  await client.call('POST', `${batches}/${batch}/complete`, { body: { page_count: 1, checkpoint: 1 } });
  // Whichever comes first, the checkpoint read after the rotation reflects the outcome of the batch.
  await client.call('PUT', `/v1/data-syncs/${sync}/generation`, { body: { generation: 'k2' } });
  const { checkpoint } = (await client.call('GET', `/v1/data-syncs/${sync}/checkpoint`)).body.data;
  const ended = await settled(client, source, batch);
  expect(ended.status).toBe(checkpoint === 1 ? 'applied' : 'failed');
  const again = await client.call('PUT', `${batches}/${batch}/pages/1`, { body: { records } });
  if (ended.status === 'applied') expect(again.body.data).toMatchObject({ replayed: true });
  else expect(again.body.code).toBe('generation_fenced');

  await client.call('PATCH', `/v1/grid/tables/${source.table}/columns/sku`, { body: { name: 'code' } });
  const next = await client.call('POST', batches, { body: { mode: 'upsert', sync_id: sync } });
  const url = `${batches}/${next.body.data.id}`;
  await client.call('PUT', `${url}/pages/1`, { body: { records: [{ s_id: 9_000, code: 'new' }] } });
  await client.call('POST', `${url}/complete`, { body: { page_count: 1, checkpoint: 2 } });
  expect(await settled(client, source, next.body.data.id)).toMatchObject({
    status: 'applied',
    rowsInserted: 1,
  });
  // A batch without records counts as well.
  const empty = await client.call('POST', batches, { body: { mode: 'upsert', sync_id: sync } });
  await client.call('PUT', `${batches}/${empty.body.data.id}/pages/1`, { body: { records: [] } });
  await client.call('POST', `${batches}/${empty.body.data.id}/complete`, {
    body: { page_count: 1, checkpoint: 3 },
  });
  expect((await settled(client, source, empty.body.data.id)).status).toBe('applied');
  const last = await client.call('GET', `/v1/data-syncs/${sync}/checkpoint`);
  expect(last.body.data).toMatchObject({ checkpoint: 3, batchId: empty.body.data.id });
});

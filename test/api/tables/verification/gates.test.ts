import { randomUUID } from 'node:crypto';
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../support/eventually.ts';
import { attach, snapshotOf } from '../../../support/snapshots.ts';
import { connect } from '../../../support/sources.ts';
import { testStores } from '../../../support/stores.ts';
import { verifying } from '../../../support/verification.ts';
import { useWorker } from '../../../support/worker.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);
let client: TestClient;
let on: ReturnType<typeof verifying>;
let project: string;

beforeAll(async () => {
  client = await workspace.organization();
  on = verifying(client);
  project = (await on.must('POST', '/v1/projects', 201, { name: 'Files' })).id;
});

let files = 0;

async function imported(content: string, body: object) {
  files += 1;
  const written = await client.call('PUT', `/v1/projects/${project}/files/content?path=f${files}.csv`, {
    body: { content },
  });
  const started = await client.call('POST', `/v1/projects/${project}/files/${written.body.data.id}/imports`, {
    body,
  });
  expect(started.status, started.text).toBe(202);
  return eventually(
    async () => (await client.call('GET', String(started.headers['location']))).body.data,
    ({ status }) => !['queued', 'running'].includes(status),
  );
}

async function applied(table: string, batch: object, records: object[]) {
  const opened = await on.must('POST', `/v1/tables/${table}/ingestion-batches`, 201, batch);
  const path = `/v1/tables/${table}/ingestion-batches/${opened.id}`;
  await on.must('PUT', `${path}/pages/1`, 200, { records });
  await on.must('POST', `${path}/complete`, 202, { page_count: 1 });
  return eventually(
    async () => (await client.call('GET', path)).body.data,
    ({ status }) => ['applied', 'failed'].includes(status),
  );
}

const blocking = { blocking: true };

// biome-ignore lint/suspicious/noExplicitAny: the error of any process.
async function refusedWith(error: any, definition: string, rows: number) {
  expect(error).toMatchObject({ code: 'verification_failed', definitionIds: [definition] });
  const run = await on.must('GET', `/v1/verification-tests/runs/${error.runId}`, 200);
  expect(run).toMatchObject({ status: 'succeeded', outcome: 'failed', trigger: { type: 'gate' } });
  expect(run.results).toMatchObject([{ definitionId: definition, status: 'failed', failingRows: rows }]);
  const [kept] = error.failuresTableIds;
  expect(run.results[0].failuresTableId).toBe(kept);
  return (await on.must('GET', `/v1/tables/${kept}`, 200)).name as string;
}

test('a file whose rows fail a blocking test is refused, its failing rows can be queried, and an overlay lets it through', async () => {
  const first = await imported('no,amount\n1,5\n2,6\n', { table_name: 'sales' });
  const table = first.tableId;
  const id = await on.define(table, 'expression', { expression: 'amount > 0' }, blocking);
  const bad = 'no,amount\n3,7\n4,-1\n5,\n';
  const replaced = await imported(bad, { table_name: 'sales', mode: 'replace' });
  expect(replaced).toMatchObject({ status: 'failed', error: { message: expect.stringContaining('2 rows') } });
  const failures = await refusedWith(replaced.error, id, 2);
  expect(await on.rows(`SELECT no, amount FROM ${failures} ORDER BY no`)).toEqual([
    { no: 4, amount: -1 },
    { no: 5, amount: null },
  ]);
  expect(await on.rows('SELECT no FROM sales ORDER BY no')).toEqual([{ no: 1 }, { no: 2 }]);
  // What was refused is no version of the table.
  expect(await on.verification(table)).toMatchObject({ state: 'untested', history: [] });

  const good = await imported('no,amount\n3,7\n', { table_name: 'sales', mode: 'append' });
  expect(good.status).toBe('succeeded');
  const appended = await imported('no,amount\n4,0\n', { table_name: 'sales', mode: 'append' });
  await refusedWith(appended.error, id, 1);

  await on.overlay(id, { table_id: table, severity: 'warn', reason: 'known' });
  expect((await imported(bad, { table_name: 'sales', mode: 'replace' })).status).toBe('succeeded');
  expect((await on.verified({ table_ids: [table] })).results).toMatchObject([
    { status: 'warned', failingRows: 2 },
  ]);
});

test('of rows that are added a row test sees the new ones, and a key is looked for among all', async () => {
  const table = await on.data('keyed', { no: 'INTEGER', city: 'STRING' });
  await on.append(table, [
    { s_id: 1, no: 1, city: null },
    { s_id: 2, no: 2, city: 'Bonn' },
    { s_id: 3, no: 2, city: 'Bonn' },
  ]);
  const unique = await on.define(table, 'unique', { columns: ['no'] }, blocking);
  const there = await on.define(table, 'not_null', { columns: ['city', '_sm_created_at'] }, blocking);
  const batch = { mode: 'append' };
  // The rows that were there before fail both, and are not at fault now.
  const fourth = await applied(table, batch, [{ s_id: 4, no: 3, city: 'Kiel' }]);
  expect(fourth, JSON.stringify(fourth.error)).toMatchObject({
    status: 'applied',
  });
  const taken = await applied(table, batch, [{ s_id: 5, no: 1, city: 'Kiel' }]);
  expect(taken.status).toBe('failed');
  await refusedWith(taken.error, unique, 2);
  const empty = await applied(table, batch, [{ s_id: 6, no: 6 }]);
  await refusedWith(empty.error, there, 1);
  expect(await on.rows('SELECT count(*) AS n FROM keyed')).toEqual([{ n: 4 }]);
  // Appends are not held up; they are tested after.
  await on.append(table, [{ s_id: 7, no: 7, city: null }]);
});

test('an upsert is tried with the rows that it replaces and deletes gone', async () => {
  const table = await on.data('upserted', { no: 'INTEGER', amount: 'INTEGER' });
  await on.append(table, [
    { s_id: 1, no: 1, amount: 1 },
    { s_id: 2, no: 2, amount: 2 },
  ]);
  const count = await on.define(table, 'row_count', { min: 2 }, blocking);
  const sum = await on.define(
    table,
    'sql',
    { sql: 'SELECT sum(amount) AS s FROM this HAVING sum(amount) > 10' },
    blocking,
  );
  const upsert = { mode: 'upsert' };
  expect((await applied(table, upsert, [{ s_id: 1, no: 1, amount: 8 }])).status).toBe('applied');
  const much = await applied(table, upsert, [{ s_id: 1, no: 1, amount: 9 }]);
  expect(much.error).toMatchObject({ code: 'verification_failed', definitionIds: [sum] });
  const few = await applied(table, upsert, [{ s_id: 2, _sm_deleted: true }]);
  expect(few.error).toMatchObject({ code: 'verification_failed', definitionIds: [count] });
  expect(await on.rows('SELECT amount FROM upserted ORDER BY s_id')).toEqual([{ amount: 8 }, { amount: 2 }]);
});

test('a calculated table keeps what it held where its new content fails', async () => {
  const source = await on.data('source', { n: 'INTEGER' });
  await on.append(source, [{ s_id: 1, n: 1 }]);
  const table = await on.calc('doubled', 'SELECT n, n * 2 AS m FROM source');
  expect((await on.materialized(table)).status).toBe('succeeded');
  const id = await on.define(table, 'accepted_values', { column: 'm', values: [2, 4] }, blocking);
  await on.append(source, [{ s_id: 2, n: 3 }]);
  const run = await on.materialized(table);
  expect(run.status).toBe('failed');
  await refusedWith(run.error, id, 1);
  expect((await on.status(table)).error).toMatchObject({ code: 'verification_failed', definitionIds: [id] });
  expect(await on.rows('SELECT m FROM doubled')).toEqual([{ m: 2 }]);
});

test('the first snapshot of a dataset is refused too, by a test that a selector gives its table', async () => {
  const { endpoint, region, accessKeyId, secretAccessKey } = testStores().objectStore;
  const credentials = { accessKeyId, secretAccessKey };
  const s3 = new S3Client({ region, endpoint: endpoint!, forcePathStyle: true, credentials });
  const bucket = `gates-${randomUUID()}`;
  const put = (Body: string) =>
    s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'shop/items.csv', Body }));
  await s3.send(new CreateBucketCommand({ Bucket: bucket }));
  await put('no,name\n1,\n');
  const config = { endpoint, region, bucket, prefix: 'shop/', format: 'csv', path_style: true };
  const connection = await connect(client, 's3', config, {
    secrets: { access_key_id: accessKeyId, secret_access_key: secretAccessKey },
    snapshot_config: { enabled: true },
  });
  const { at, dataset } = await attach(client, connection, 'items.csv', { name: 'gated items' });
  const definition = await on.must('POST', '/v1/verification-tests/definitions', 201, {
    ...{ name: 'named', kind: 'not_null', params: { columns: ['name'] }, blocking: true },
    target: { selector: { name_pattern: `^${dataset.snapshotTableName}$` } },
  });
  const refused = await snapshotOf(client, at);
  expect(refused.status).toBe('failed');
  await refusedWith(refused.error, definition.id, 1);
  await put('no,name\n1,cup\n');
  expect((await snapshotOf(client, at)).status).toBe('succeeded');
  s3.destroy();
});

test('a blocking test that cannot run refuses as well', async () => {
  const first = await imported('a\n1\n', { table_name: 'shaped' });
  const id = await on.define(first.tableId, 'not_null', { columns: ['a'] }, blocking);
  const other = await imported('b\n1\n', { table_name: 'shaped', mode: 'replace' });
  expect(other.error).toMatchObject({ code: 'verification_failed', definitionIds: [id] });
  expect(other.error.message).toContain('has no column "a"');
  // Switched off, it lets the file through.
  await on.must('PATCH', `/v1/verification-tests/definitions/${id}`, 200, { enabled: false });
  expect((await imported('b\n1\n', { table_name: 'shaped', mode: 'replace' })).status).toBe('succeeded');
});

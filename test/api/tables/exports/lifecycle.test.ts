import { beforeAll, expect, test } from 'vitest';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { exportSteps } from '../../../../domain/tables/exports/reconcile.ts';
import { writeExport } from '../../../../domain/tables/exports/write-files.ts';
import { fileSteps } from '../../../../domain/workspace/files/reconcile.ts';
import { eventually } from '../../../support/eventually.ts';
import { exporting, plannedRemovals } from '../../../support/exports.ts';
import { only, replaceGrants } from '../../../support/grants.ts';
import { personOf } from '../../../support/people.ts';
import { reconcile } from '../../../support/reconcile.ts';
import { useWorker } from '../../../support/worker.ts';
import { type TestClient, useOwnWorkspace } from '../../../support/workspace.ts';

const workspace = useOwnWorkspace();
useWorker(workspace);
let client: TestClient;
let on: ReturnType<typeof exporting>;

beforeAll(async () => {
  client = await workspace.organization();
  on = exporting(client);
});

/** It would write for as long as an export may take. */
const endless = 'SELECT range AS n, hash(range) AS h FROM range(100_000_000_000)';

const left = async (folder: string) => (await workspace.deps.objects.list(folder, 10)).length;

async function folderOf(id: string): Promise<string> {
  const row = await inOrganization(workspace.deps.db, client.organizationId, (db) =>
    db.selectFrom('exports').select('folder').where('id', '=', id).executeTakeFirstOrThrow(),
  );
  return row.folder!;
}

test('large files are split, in order, and each says what it is', async () => {
  // Of several row groups, which several threads would read.
  const table = await on.calc('many', 'SELECT range AS n, hash(range) AS h FROM range(180_000)');
  expect((await on.materialized(table)).status).toBe('succeeded');
  const sql = 'SELECT n, h FROM many ORDER BY n';
  const done = await on.exported({ sql, format: 'csv', name: 'many', max_file_bytes: 1_048_576 });
  expect(done).toMatchObject({ status: 'succeeded', rowsWritten: 180_000 });
  expect(done.files.length).toBeGreaterThan(3);
  let next = 0;
  for (const [at, file] of done.files.entries()) {
    expect(file.name).toBe(`many_${at + 1}.csv`);
    const [header, ...lines] = (await on.download(file)).bytes.toString().trimEnd().split('\r\n');
    expect(header).toBe('n,h');
    for (const line of lines) {
      expect(line.startsWith(`${next},`)).toBe(true);
      next += 1;
    }
  }
  expect(next).toBe(180_000);
  // A list has no addresses.
  const { items } = (await client.call('GET', '/v1/exports')).body;
  expect(items[0]).toMatchObject({
    id: done.id,
    files: expect.arrayContaining([{ ...done.files[0], url: null }]),
  });
});

test('more rows than a sheet has are refused, and the run says where to read why', async () => {
  const project = await on.project();
  const sql = 'SELECT range AS n FROM range(1_048_576)';
  const done = await on.exported({ sql, format: 'xlsx', project_id: project });
  expect(done).toMatchObject({
    ...{ status: 'failed', files: [], rowsWritten: 0 },
    error: { code: 'query_too_large', message: expect.stringContaining('1,048,576') },
  });
  expect(await on.must('GET', `/v1/projects/${project}/runs/${done.id}`, 200)).toMatchObject({
    error: { code: 'query_too_large', message: expect.stringContaining(`/v1/exports/${done.id}`) },
  });
});

test('one that is cancelled leaves nothing, and cancelling it again changes nothing', async () => {
  const { id } = await on.must('POST', '/v1/exports', 202, { sql: endless, format: 'csv' });
  await eventually(
    () => client.call('GET', `/v1/exports/${id}`),
    ({ body }) => body.data.status === 'running',
  );
  await eventually(
    () => plannedRemovals(workspace, client, id),
    (planned) => planned.length === 1,
  );
  expect((await client.call('POST', `/v1/exports/${id}/cancel`)).status).toBe(422);
  await on.must('POST', `/v1/exports/${id}/cancel?confirm=true`, 202);
  const done = await on.ended(id);
  expect(done).toMatchObject({ status: 'cancelled', files: [], error: null });
  expect(await on.must('POST', `/v1/exports/${id}/cancel?confirm=true`, 200)).toEqual(done);
  const [removal] = await plannedRemovals(workspace, client, id);
  expect(removal!.getTime()).toBeLessThanOrEqual(Date.now() + 600_000);
});

test('an organization writes two at once, and others wait for their turn', async () => {
  const running = [];
  for (let n = 0; n < 2; n += 1)
    running.push((await on.must('POST', '/v1/exports', 202, { sql: endless, format: 'parquet' })).id);
  for (const id of running)
    await eventually(
      () => client.call('GET', `/v1/exports/${id}`),
      ({ body }) => body.data.status === 'running',
    );
  const waiting = (await on.must('POST', '/v1/exports', 202, { sql: 'SELECT 1 AS a', format: 'csv' })).id;
  const other = exporting(await workspace.organization());
  expect(await other.exported({ sql: 'SELECT 1 AS a', format: 'csv' })).toMatchObject({
    status: 'succeeded',
  });
  expect((await client.call('GET', `/v1/exports/${waiting}`)).body.data.status).toBe('queued');
  for (const id of running) await on.must('POST', `/v1/exports/${id}/cancel?confirm=true`, 202);
  expect(await on.ended(waiting)).toMatchObject({ status: 'succeeded', rowsWritten: 1 });
});

test('earlier versions are read, and rows that come while it waits are not', async () => {
  const table = await on.data('grows', { n: 'INTEGER' });
  const first = await on.append(table, [{ s_id: 1, n: 1 }]);
  const second = await on.append(table, [{ s_id: 2, n: 2 }]);
  const early = await on.exported({ table_id: table, format: 'csv', at_versions: { grows: first } });
  expect(early).toMatchObject({ rowsWritten: 1, versions: [{ tableId: table, version: first }] });
  const view = await on.view('doubled', 'SELECT n * 2 AS d FROM grows');
  const late = await on.exported({ table_id: view, format: 'csv' });
  expect(late).toMatchObject({ rowsWritten: 2, versions: [{ tableId: table, version: second }] });
  expect((await on.download(late.files[0])).bytes.toString()).toBe('d\r\n2\r\n4\r\n');
  expect(late.files[0].name).toBe('doubled.csv');
});

test('whoever may not read a table does not see what was exported of it', async () => {
  const table = await on.data('secret', { n: 'INTEGER' });
  await on.append(table, [{ s_id: 1, n: 1 }]);
  const person = await personOf(workspace, client, 'member');
  const theirs = exporting(person);
  const done = await on.exported({ sql: 'SELECT n FROM secret', format: 'csv' });
  expect((await person.call('GET', `/v1/exports/${done.id}`)).status).toBe(200);
  const other = await personOf(workspace, client, 'member');
  await replaceGrants(client, table, only(other, 'read'));
  expect((await person.call('GET', `/v1/exports/${done.id}`)).status).toBe(404);
  expect((await person.call('POST', `/v1/exports/${done.id}/cancel?confirm=true`)).status).toBe(404);
  expect(
    (await person.call('GET', '/v1/exports')).body.items.map(({ id }: { id: string }) => id),
  ).not.toContain(done.id);
  expect((await other.call('GET', `/v1/exports/${done.id}`)).status).toBe(200);
  const asked = await person.call('POST', '/v1/exports', {
    body: { sql: 'SELECT n FROM secret', format: 'csv' },
  });
  expect(asked.body.code).toBe('query_failed');
  expect(
    (await person.call('POST', '/v1/exports', { body: { table_id: table, format: 'csv' } })).status,
  ).toBe(404);
  expect(await theirs.exported({ sql: 'SELECT 1 AS a', format: 'csv' })).toMatchObject({
    status: 'succeeded',
  });
});

test('an attempt that comes after the files are recorded writes nothing more', async () => {
  const done = await on.exported({ sql: 'SELECT 1 AS a', format: 'csv' });
  const folder = await folderOf(done.id);
  const id = { organizationId: client.organizationId, exportId: done.id };
  await expect(writeExport(workspace.activityDeps, id, new AbortController().signal)).rejects.toThrow(
    'has ended',
  );
  expect(await left(folder)).toBe(1);
});

test('a project file is written again as its next version', async () => {
  const project = await on.project();
  const body = { sql: 'SELECT 1 AS a', format: 'csv', project_id: project, path: 'out/a.csv' };
  const [first, second] = [await on.exported(body), await on.exported(body)];
  expect(second.fileId).toBe(first.fileId);
  expect(await on.must('GET', `/v1/projects/${project}/files/${first.fileId}`, 200)).toMatchObject({
    ...{ path: 'out/a.csv', version: 2, contentType: 'text/csv' },
    sha256: second.files[0].sha256,
  });
});

test('after a day it is not there any more, nor are its files', async () => {
  const project = await on.project();
  const done = await on.exported({ sql: 'SELECT 1 AS a', format: 'csv', project_id: project });
  const folder = await folderOf(done.id);
  expect(await left(folder)).toBe(1);
  await inOrganization(workspace.deps.db, client.organizationId, async (db) => {
    const past = new Date(Date.now() - 1_000);
    await db.updateTable('exports').set({ expires_at: past }).where('id', '=', done.id).execute();
    await db
      .updateTable('object_deletions')
      .set({ not_before: past })
      .where('object_key', '=', folder)
      .execute();
  });
  expect((await client.call('GET', `/v1/exports/${done.id}`)).status).toBe(404);
  await reconcile(workspace, [...exportSteps(workspace.activityDeps), ...fileSteps(workspace.activityDeps)]);
  expect(await left(folder)).toBe(0);
  expect((await client.call('GET', `/v1/exports/${done.id}`)).status).toBe(404);
  expect((await on.must('GET', `/v1/projects/${project}/runs/${done.id}`, 200)).status).toBe('succeeded');
});

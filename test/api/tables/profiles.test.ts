import { beforeAll, expect, test, vi } from 'vitest';
import { newId } from '../../../data/ids.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import { profileSteps } from '../../../domain/tables/profiles/reconcile.ts';
import { reserveTable, tableStates } from '../../../domain/tables/tables/registry.ts';
import { runSteps } from '../../../domain/workspace/runs/reconcile.ts';
import { tableOf } from '../../domain/tables/profiles/lab.ts';
import { eventually, expectEventually } from '../../support/eventually.ts';
import { madeTable, only, replaceGrants } from '../../support/grants.ts';
import { personOf } from '../../support/people.ts';
import { reconcile } from '../../support/reconcile.ts';
import { useWorker } from '../../support/worker.ts';
import { type TestClient, useOwnWorkspace } from '../../support/workspace.ts';

const workspace = useOwnWorkspace();
useWorker(workspace);

let client: TestClient;
beforeAll(async () => {
  client = await workspace.organization();
});

const profileOf = (tableId: string) => `/v1/tables/${tableId}/profile`;

async function start(tableId: string) {
  const answer = await client.call('POST', profileOf(tableId));
  expect(answer.status, answer.text).toBe(202);
  return answer.body.data;
}

/** The status of a run that no route lists. */
const statusOf = async (runId: string): Promise<string> =>
  (await workspace.deps.lake.catalogPool.query('SELECT status FROM runs WHERE id = $1', [runId])).rows[0]
    ?.status;

async function profiled(tableId: string) {
  const { id } = await start(tableId);
  await expectEventually(() => statusOf(id)).toBe('succeeded');
  return (await client.call('GET', profileOf(tableId))).body.data;
}

/** A computation that hangs until the test releases it, or it is cancelled. */
function holdReading() {
  const { staging } = workspace.activityDeps;
  const real = staging.use;
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const spy = vi.spyOn(staging, 'use').mockImplementationOnce(async (location, work, options) => {
    begun.resolve();
    await Promise.race([held.promise, new Promise((end) => options?.signal?.addEventListener('abort', end))]);
    return real(location, work, options);
  });
  return { begun: begun.promise, release: held.resolve, restore: () => spy.mockRestore() };
}

test('a table is profiled by a run, and its profile is stale after the next change', async () => {
  const tableId = await madeTable(client, 'orders');
  const before = await client.call('GET', profileOf(tableId));
  expect([before.status, before.body.code]).toEqual([409, 'not_materialized']);
  const answer = await client.call('POST', profileOf(tableId));
  const location = answer.headers['location'] as string;
  expect((await client.call('GET', location)).body.data).toMatchObject({ kind: 'profile' });
  expect(answer.body.data).toMatchObject({
    kind: 'profile',
    projectId: null,
    title: 'Profile of orders',
    resource: { type: 'table', id: tableId },
    workflowId: `profile/${tableId}/${answer.body.data.id}`,
  });
  await expectEventually(() => statusOf(answer.body.data.id)).toBe('succeeded');
  const { body } = await client.call('GET', profileOf(tableId));
  const versions = (await client.call('GET', `/v1/tables/${tableId}/versions`)).body.items;
  expect(body.data).toMatchObject({
    tableVersion: versions[0].version,
    stale: false,
    sampled: false,
    rowCount: 1,
  });
  const catalog = (await client.call('GET', `/v1/tables/${tableId}/catalog`)).body.data;
  const shape = ({ name, dataType }: { name: string; dataType: string }) => [name, dataType];
  expect(body.data.columns.map(shape)).toEqual(catalog.columns.map(shape));
  expect(body.data.columns.find(({ name }: { name: string }) => name === 'a')).toEqual({
    ...{ name: 'a', dataType: 'INTEGER', nulls: 0, distinctApprox: 1, min: 7, max: 7, mean: 7 },
    ...{ top: [{ value: 7, count: 1 }], histogram: [{ from: 7, to: 7, count: 1 }] },
  });
  await client.call('POST', `/v1/tables/${tableId}/rows`, { body: { rows: [{ s_id: 2, a: 9 }] } });
  const stale = (await client.call('GET', profileOf(tableId))).body.data;
  expect(stale).toMatchObject({ stale: true, rowCount: 1, tableVersion: versions[0].version });
  expect(await profiled(tableId)).toMatchObject({ stale: false, rowCount: 2 });
});

test('a column without a decided type, texts that PostgreSQL cannot hold, and an empty table', async () => {
  const body = {
    name: 'odd',
    kind: 'data',
    columns: [{ name: 'open' }, { name: 'text', data_type: 'STRING' }],
  };
  const { tableId } = (await client.call('POST', '/v1/grid/tables', { body })).body.data;
  const empty = await profiled(tableId);
  expect(empty.columns[1]).toMatchObject({ name: 'open', dataType: null, nulls: 0, top: [], histogram: [] });
  const rows = [{ s_id: 1, text: 'a"\\u0000\n' }, { s_id: 2 }];
  await client.call('POST', `/v1/tables/${tableId}/rows`, { body: { rows } });
  const { columns } = await profiled(tableId);
  expect(columns[1]).toMatchObject({ dataType: null, nulls: 2, distinctApprox: 0, min: null, max: null });
  expect(columns[2]).toMatchObject({ nulls: 1, top: [{ value: 'a"\\u0000\n', count: 1 }] });
  const { id } = await tableOf(workspace, client, "SELECT 'a' || chr(0) AS nul");
  expect((await profiled(id)).columns[0]).toMatchObject({ min: 'a\ufffd' });
});

test('while one is under way, whoever asks gets the same run; it can be cancelled, and the last profile stays', async () => {
  const tableId = await madeTable(client, 'held');
  await profiled(tableId);
  const reading = holdReading();
  const [run, same] = await Promise.all([start(tableId), start(tableId)]);
  expect(same.id).toBe(run.id);
  await reading.begun;
  expect(await start(tableId)).toMatchObject({ id: run.id, status: 'running' });
  const unconfirmed = await client.call('POST', `${profileOf(tableId)}/cancel`);
  expect(unconfirmed.status).toBe(422);
  const cancelled = await client.call('POST', `${profileOf(tableId)}/cancel?confirm=true`);
  expect([cancelled.status, cancelled.body.data.id]).toEqual([202, run.id]);
  await expectEventually(() => statusOf(run.id)).toBe('cancelled');
  reading.restore();
  const again = await client.call('POST', `${profileOf(tableId)}/cancel?confirm=true`);
  expect([again.status, again.body.data.status]).toEqual([200, 'cancelled']);
  expect((await client.call('GET', profileOf(tableId))).body.data.rowCount).toBe(1);
  const { rows } = await workspace.deps.lake.catalogPool.query('SELECT FROM lake_pins WHERE holder = $1', [
    `profile/${run.id}`,
  ]);
  expect(rows).toEqual([]);
});

test('the run of a table of a project is listed and cancelled there', async () => {
  const projectId = (await client.call('POST', '/v1/projects', { body: { name: 'Files' } })).body.data.id;
  const path = `/v1/projects/${projectId}/files/content?path=a.csv`;
  const file = await client.call('PUT', path, { body: { content: 'n\n1\n2\n' } });
  const imports = `/v1/projects/${projectId}/files/${file.body.data.id}/imports`;
  const { id, tableId } = (await client.call('POST', imports, { body: { table_name: 'imported' } })).body
    .data;
  await expectEventually(() => statusOf(id)).toBe('succeeded');
  expect(await profiled(tableId)).toMatchObject({ rowCount: 2 });
  const list = await client.call('GET', `/v1/projects/${projectId}/runs?kind=profile`);
  expect(list.body.items).toMatchObject([
    { kind: 'profile', projectId, status: 'succeeded', output: { tableId, rowCount: 2 } },
  ]);
});

test('what is no table with rows in the lake has no profile', async () => {
  const { tables } = (await client.call('GET', '/v1/tables')).body;
  const system = tables.find(({ kind }: { kind: string }) => kind === 'system');
  const id = newId('tbl');
  const { organizationId } = client;
  await inOrganization(workspace.deps.db, organizationId, async (db) => {
    await reserveTable(db, { organization_id: organizationId, id, name: 'never built', kind: 'calc' });
    await tableStates.move(db, { organization_id: organizationId, id }, 'creating', 'ready');
  });
  const codes = async (tableId: string) => [
    (await client.call('GET', profileOf(tableId))).body.code,
    (await client.call('POST', profileOf(tableId))).body.code,
    (await client.call('POST', `${profileOf(tableId)}/cancel?confirm=true`)).body.code,
  ];
  expect(await codes(id)).toEqual(['not_materialized', 'not_materialized', 'not_found']);
  if (system !== undefined) expect(await codes(system.id)).toEqual(Array(3).fill('not_found'));
  expect(await codes(newId('tbl'))).toEqual(Array(3).fill('not_found'));
});

test('a profile and its run are hidden with their table, and end with it', async () => {
  const tableId = await madeTable(client, 'secret');
  const run = await start(tableId);
  await expectEventually(() => statusOf(run.id)).toBe('succeeded');
  const [insider, outsider] = [
    await personOf(workspace, client, 'member'),
    await personOf(workspace, client, 'member'),
  ];
  await replaceGrants(client, tableId, only(insider, 'read'));
  expect((await insider.call('GET', profileOf(tableId))).status).toBe(200);
  expect((await insider.call('POST', profileOf(tableId))).body.code).toBe('admin_required');
  expect((await outsider.call('GET', profileOf(tableId))).body.code).toBe('not_found');
  const { catalogPool } = workspace.deps.lake;
  const seenBy = async (id: string) => {
    const session = await catalogPool.connect();
    await session.query('BEGIN');
    await session.query('SET LOCAL ROLE workspace_service');
    await session.query(
      `SELECT set_config('app.organization_id', $1, true), set_config('app.principal_id', $2, true)`,
      [client.organizationId, id],
    );
    const { rows } = await session.query(
      'SELECT (SELECT count(*) FROM table_profiles) AS profiles, (SELECT count(*) FROM runs WHERE id = $1) AS runs',
      [run.id],
    );
    await session.query('ROLLBACK');
    session.release();
    return rows[0];
  };
  const all = await seenBy('');
  expect(await seenBy(insider.id)).toEqual(all);
  expect(await seenBy(outsider.id)).toEqual({ profiles: all.profiles - 1, runs: 0 });
  expect((await client.call('DELETE', `/v1/tables/${tableId}?confirm=true`)).status).toBe(200);
  expect(await seenBy('')).toEqual({ profiles: all.profiles - 1, runs: 1 });
  expect(await seenBy(outsider.id)).toMatchObject({ runs: 0 });
});

test('a table that is deleted while it is profiled fails its run, and a lost process is found again', async () => {
  const doomed = await madeTable(client, 'doomed');
  const reading = holdReading();
  const run = await start(doomed);
  await reading.begun;
  expect((await client.call('DELETE', `/v1/tables/${doomed}?confirm=true`)).status).toBe(200);
  reading.release();
  reading.restore();
  await eventually(
    () => statusOf(run.id),
    (status) => ['failed', 'succeeded'].includes(status),
  );
  expect(await statusOf(run.id)).toBe('failed');

  const tableId = await madeTable(client, 'ended');
  const second = holdReading();
  const forced = await start(tableId);
  await second.begun;
  await workspace.temporal.workflow.getHandle(forced.workflowId).terminate();
  await reconcile(workspace, [...profileSteps(workspace.deps, 0), ...runSteps(workspace.deps, 0)]);
  expect(await statusOf(forced.id)).toBe('cancelled');
  second.release();
  second.restore();
  expect(await profiled(tableId)).toMatchObject({ rowCount: 1 });
});

import { expect, test } from 'vitest';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { expectEventually } from '../../../support/eventually.ts';
import { recordPolicy, recordSource } from '../../../support/replication-source.ts';
import { attach } from '../../../support/snapshots.ts';
import { connect } from '../../../support/sources.ts';
import { useWorker } from '../../../support/worker.ts';
import { type TestClient, useOrganization, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);
const client = useOrganization(workspace);

const daily = { type: 'daily', zone_id: 'Europe/Berlin', time_of_day: '06:30' };
const nextYear = new Date().getUTCFullYear() + 1;

async function httpDataset(client: TestClient, more: object) {
  const source = await recordSource([{ id: 1, at: '2026-01-01T00:00:00Z' }]);
  const connection = await connect(
    client,
    'http',
    { base_url: source.base, auth_type: 'none' },
    { snapshot_config: { enabled: true, http_replication: recordPolicy() } },
  );
  return { ...(await attach(client, connection, '/records', { name: 'records', ...more })), connection };
}

const schedulesOf = (client: TestClient, at: string) =>
  inOrganization(workspace.deps.db, client.organizationId, (db) =>
    db.selectFrom('schedules').selectAll().where('dataset_id', '=', at.split('/').at(-1)!).execute(),
  );

/** As if the clock had reached the cadence's next time. */
async function makeDue(client: TestClient, at: string): Promise<void> {
  await inOrganization(workspace.deps.db, client.organizationId, (db) =>
    db
      .updateTable('schedules')
      .set((eb) => ({
        considered_until: new Date(Date.now() - 25 * 3_600_000),
        next_run_at: new Date(Date.now() - 60_000),
        revision: eb('revision', '+', 1),
      }))
      .where('dataset_id', '=', at.split('/').at(-1)!)
      .execute(),
  );
  // Every write makes its process look.
  const changed = await client.call('PATCH', at, { body: { name: `Records ${Date.now()}` } });
  expect(changed.status, changed.text).toBe(200);
}

const firesOf = (client: TestClient, at: string) =>
  inOrganization(workspace.deps.db, client.organizationId, async (db) => {
    const [schedule] = await schedulesOf(client, at);
    return db
      .selectFrom('schedule_runs')
      .selectAll()
      .where('schedule_id', '=', schedule!.id)
      .where('status', 'not in', ['running', 'missed'])
      .execute();
  });

const snapshotsOf = async (client: TestClient, at: string) =>
  (await client.call('GET', `${at}/snapshots`)).body.items;

test('a dataset is copied by its cadence, once a fire; a fire that cannot start moves nothing', async () => {
  const { at, dataset } = await httpDataset(client, { schedule: daily });
  expect(dataset.schedule).toMatchObject({ type: 'daily', zoneId: 'Europe/Berlin', timeOfDay: '06:30' });
  expect(await schedulesOf(client, at)).toMatchObject([
    { status: 'active', kind: 'dataset', project_id: null },
  ]);
  // It is not listed among the user's schedules.
  const [schedule] = await schedulesOf(client, at);
  expect((await client.call('GET', `/v1/schedules/${schedule!.id}`)).status).toBe(404);
  expect((await client.call('GET', '/v1/schedules')).body.items).toEqual([]);

  await makeDue(client, at);
  await expectEventually(() => snapshotsOf(client, at)).toMatchObject([{ status: 'succeeded' }]);
  expect((await client.call('GET', at)).body.data.lastSnapshotAt).not.toBeNull();
  // A fire happens only once, whatever its process is told.
  await makeDue(client, at);
  await expectEventually(() => firesOf(client, at), { timeoutMs: 90_000 }).toMatchObject([
    { status: 'succeeded' },
  ]);
  expect(await snapshotsOf(client, at)).toHaveLength(1);

  const other = await httpDataset(client, { schedule: daily });
  await client.call('PATCH', other.connection, { body: { snapshot_config: { enabled: false } } });
  await makeDue(client, other.at);
  await expectEventually(() => firesOf(client, other.at)).toMatchObject([
    { status: 'failed', reason: expect.stringMatching(/Snapshots aren't enabled/) },
  ]);
  // The list of snapshots shows why there is none.
  expect(await snapshotsOf(client, other.at)).toMatchObject([
    { status: 'failed', error: { code: 'snapshot_not_enabled' }, tableVersion: null },
  ]);
  expect((await client.call('GET', other.at)).body.data).toMatchObject({ lastSnapshotAt: null });
});

test('a cadence is kept by what does not name it, changed, taken away, given back, and gone with its dataset', async () => {
  const project = (await client.call('POST', '/v1/projects', { body: { name: 'Shop' } })).body.data.id;
  const { at } = await httpDataset(client, {});
  expect(await schedulesOf(client, at)).toEqual([]);
  const change = async (body: object) => {
    const { status, body: changed, text } = await client.call('PATCH', at, { body });
    expect(status, text).toBe(200);
    return changed.data.schedule;
  };
  expect(await change({ schedule: daily })).toMatchObject({ timeOfDay: '06:30' });
  expect(await change({ name: 'Others', project_id: project })).toMatchObject({ timeOfDay: '06:30' });
  expect(await schedulesOf(client, at)).toMatchObject([{ status: 'active', project_id: project }]);
  const weekly = { type: 'weekly', zone_id: 'UTC', time_of_day: '01:00', days_of_week: ['MONDAY'] };
  expect(await change({ schedule: weekly })).toMatchObject({ type: 'weekly' });
  expect(await change({ schedule: null })).toBeNull();
  expect(await schedulesOf(client, at)).toMatchObject([{ status: 'done', next_run_at: null }]);
  const once = { type: 'one_time', zone_id: 'UTC', time_of_day: '01:00', run_date: `${nextYear}-01-01` };
  expect(await change({ schedule: once })).toMatchObject({ type: 'one_time' });
  expect(await schedulesOf(client, at)).toMatchObject([
    { status: 'active', next_run_at: new Date(`${nextYear}-01-01T01:00:00Z`) },
  ]);
  expect((await client.call('DELETE', at)).status).toBe(200);
  expect(await schedulesOf(client, at)).toEqual([]);
});

test('a cadence that cannot be is refused', async () => {
  const { connection } = await httpDataset(client, {});
  const refusal = async (schedule: object) => {
    const body = { resource: '/records', name: 'other', schedule };
    const { status, body: told } = await client.call('POST', `${connection}/datasets`, { body });
    return [status, told.code ?? told.detail[0].loc];
  };
  expect(await refusal({ ...daily, zone_id: 'Nowhere' })).toEqual([422, ['body', 'schedule', 'zone_id']]);
  expect(await refusal({ ...daily, type: 'cron' })).toEqual([422, ['body', 'schedule', 'type']]);
  const past = { type: 'one_time', zone_id: 'UTC', time_of_day: '08:00', run_date: '2020-01-01' };
  expect(await refusal(past)).toEqual([422, ['body', 'schedule', 'run_date']]);
  expect(await refusal({ ...daily, interval: 2 })).toEqual([400, 'invalid_cadence']);
});

test('a dataset is copied every so many minutes, which needs no zone', async () => {
  const { at, dataset } = await httpDataset(client, { schedule: { type: 'interval', every_minutes: 15 } });
  expect(dataset.schedule).toMatchObject({ type: 'interval', everyMinutes: 15, zoneId: 'UTC' });
  const [schedule] = await schedulesOf(client, at);
  const waitMs = schedule!.next_run_at!.getTime() - schedule!.created_at.getTime();
  expect(waitMs).toBeGreaterThan(14 * 60_000);
  expect(waitMs).toBeLessThanOrEqual(15 * 60_000);
  // What is read can be written back.
  const again = await client.call('PATCH', at, { body: { schedule: dataset.schedule } });
  expect(again.body.data.schedule).toEqual(dataset.schedule);
  const refusals = [
    [4, 'greater_than_equal'],
    [1_441, 'less_than_equal'],
    [null, 'missing'],
    ['15', 'int_type'],
  ] as const;
  for (const [minutes, type] of refusals) {
    const body = { schedule: { type: 'interval', every_minutes: minutes } };
    const refused = await client.call('PATCH', at, { body });
    expect(refused.status, JSON.stringify(minutes)).toBe(422);
    expect(refused.body.detail[0]).toMatchObject({ loc: ['body', 'schedule', 'every_minutes'], type });
  }
  await inOrganization(workspace.deps.db, client.organizationId, (db) =>
    db
      .updateTable('schedules')
      .set({ created_at: new Date(schedule!.created_at.getTime() - 15 * 60_000 - 1_000) })
      .set({ considered_until: new Date(Date.now() - 60_000), next_run_at: new Date(Date.now() - 1_000) })
      .set((row) => ({ revision: row('revision', '+', 1) }))
      .where('id', '=', schedule!.id)
      .execute(),
  );
  await expectEventually(async () => {
    // Wakes the schedule's process until it has seen the row; on a loaded machine a signal may be lost.
    await client.call('PATCH', at, { body: { name: 'Looks again' } });
    return (await snapshotsOf(client, at)).map((one: { status: string }) => one.status);
  }).toEqual(['succeeded']);
});

test('a paused schedule is shown as paused, and stays so until it is resumed', async () => {
  const project = (await client.call('POST', '/v1/projects', { body: { name: 'Shop' } })).body.data.id;
  const { at, dataset, connection } = await httpDataset(client, { schedule: daily, project_id: project });
  expect(dataset).toMatchObject({ scheduleStatus: 'active' });
  expect((await client.call('DELETE', `/v1/projects/${project}`)).status).toBe(200);
  const shown = async () => (await client.call('GET', at)).body.data;
  expect(await shown()).toMatchObject({ scheduleStatus: 'paused' });
  expect((await client.call('GET', `${connection}/datasets`)).body.items).toMatchObject([
    { scheduleStatus: 'paused' },
  ]);
  for (const body of [
    { name: 'Others' },
    { schedule: daily },
    { schedule: { ...daily, time_of_day: '07:00' } },
  ]) {
    const changed = await client.call('PATCH', at, { body });
    expect(changed.status, changed.text).toBe(200);
    expect(changed.body.data).toMatchObject({ scheduleStatus: 'paused' });
    expect(await schedulesOf(client, at)).toMatchObject([{ status: 'paused', next_run_at: null }]);
  }
  const resume = () => client.call('POST', `${at}/resume`);
  expect(await resume()).toMatchObject({ status: 409, body: { code: 'conflict' } });
  await client.call('PATCH', at, { body: { project_id: null } });
  expect(await resume()).toMatchObject({ status: 200, body: { data: { scheduleStatus: 'active' } } });
  expect((await schedulesOf(client, at))[0]!.next_run_at).not.toBeNull();
  const paused = await client.call('POST', `${at}/pause`);
  expect(paused.body.data).toMatchObject({ scheduleStatus: 'paused', schedule: { timeOfDay: '07:00' } });
  await client.call('PATCH', at, { body: { schedule: null } });
  expect(await shown()).toMatchObject({ schedule: null, scheduleStatus: null });
  expect(await resume()).toMatchObject({ status: 409, body: { code: 'conflict' } });
});

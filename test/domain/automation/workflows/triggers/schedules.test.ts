import { beforeAll, expect, test } from 'vitest';
import { newId } from '../../../../../data/ids.ts';
import { inOrganization, type OrganizationTransaction } from '../../../../../data/postgres/client.ts';
import { advanceSchedule } from '../../../../../domain/automation/schedules/advance.ts';
import { resumeByProcess } from '../../../../../domain/automation/schedules/pause.ts';
import { findWorkflow } from '../../../../../domain/automation/workflows/definitions/workflows.ts';
import {
  type ActiveTrigger,
  replaceTriggerSchedules,
} from '../../../../../domain/automation/workflows/triggers/schedules.ts';
import { projectOf } from '../../../../support/conversations.ts';
import { type TestClient, useWorkspace } from '../../../../support/workspace.ts';

const workspace = useWorkspace();

let client: TestClient;
let project: string;

beforeAll(async () => {
  client = await workspace.organization();
  project = await projectOf(client);
});

const dayMs = 86_400_000;
const daily = (timeOfDay = '08:00') => ({ type: 'daily', zoneId: 'UTC', timeOfDay, interval: 1 });
const triggerOf = (id: string, cadence: object = daily()) =>
  ({ id, type: 'schedule', cadence }) as unknown as ActiveTrigger;

/** A workflow whose activations and fires happen at times chosen by the test. */
async function madeWorkflow() {
  const body = { project_id: project, title: 'Scheduled', graph: {} };
  const made = await client.call('POST', '/v1/workflows', { body });
  const { organizationId } = client;
  const { id } = made.body.data;
  const run = <T>(work: Parameters<typeof inOrganization<T>>[2]) =>
    inOrganization(workspace.deps.db, organizationId, work);
  const rowsIn = (db: OrganizationTransaction) =>
    db.selectFrom('schedules').selectAll().where('workflow_id', '=', id).orderBy('id').execute();
  const rows = () => run(rowsIn);
  return {
    id,
    rows,
    activate: (versionId: string | undefined, triggers: ActiveTrigger[], nowMs: number) =>
      run(async (db) => {
        const workflow = (await findWorkflow(db, organizationId, id))!;
        const version = versionId === undefined ? undefined : { id: versionId };
        await replaceTriggerSchedules(db, workflow, version, triggers, nowMs);
        return rowsIn(db);
      }),
    advance: async (nowMs: number) => {
      const [row] = await rows();
      const scheduleId = row!.id;
      return advanceSchedule(
        { ...workspace.deps, processes: { ...workspace.deps.processes, restart: async () => undefined } },
        { organizationId, scheduleId },
        nowMs,
      );
    },
    fires: () =>
      run((db) =>
        db
          .selectFrom('schedule_runs')
          .innerJoin('schedules', 'schedules.id', 'schedule_runs.schedule_id')
          .selectAll('schedule_runs')
          .where('schedules.workflow_id', '=', id)
          .orderBy('scheduled_for')
          .execute(),
      ),
    endFires: () =>
      run((db) =>
        db
          .updateTable('schedule_runs')
          .set({ status: 'succeeded', finished_at: new Date() })
          .where('status', '=', 'running')
          .execute(),
      ),
  };
}

const statusesOf = (rows: readonly { trigger_id: string | null; status: string }[]) =>
  Object.fromEntries(rows.map(({ trigger_id, status }) => [trigger_id, status]));

const startMs = Date.parse('2026-01-01T00:00:00Z');

test('activations between and at fires miss none and double none, and each fire keeps the version that it met', async () => {
  const workflow = await madeWorkflow();
  const trigger = newId('wtr');
  const expected: string[] = [];
  for (let day = 0; day < 40; day += 1) {
    const fireMs = startMs + day * dayMs + 8 * 3_600_000;
    await workflow.activate(`wfv_before_${day}`, [triggerOf(trigger)], fireMs - 3_600_000);
    // Every other activation happens exactly when the trigger fires, before the process has handled it.
    const atFire = day % 2 === 0;
    if (atFire) await workflow.activate(`wfv_at_${day}`, [triggerOf(trigger)], fireMs + 5);
    await workflow.advance(fireMs + 10);
    await workflow.activate(`wfv_after_${day}`, [triggerOf(trigger)], fireMs + 20);
    await workflow.advance(fireMs + 30);
    await workflow.endFires();
    expected.push(`wfv_${atFire ? 'at' : 'before'}_${day}`);
  }
  const fires = await workflow.fires();
  expect(fires.map(({ status }) => status)).toEqual(expected.map(() => 'succeeded'));
  expect(fires.map(({ version_id }) => version_id)).toEqual(expected);
  expect(fires.every(({ run_id }) => run_id?.startsWith('wfr_'))).toBe(true);
  expect(await workflow.rows()).toHaveLength(1);
});

test('a trigger that is gone fires no more, and one that comes back fires from then on', async () => {
  const workflow = await madeWorkflow();
  const [kept, other] = [newId('wtr'), newId('wtr')];
  const first = await workflow.activate('wfv_1', [triggerOf(kept), triggerOf(other)], startMs);
  expect(statusesOf(first)).toEqual({ [kept]: 'active', [other]: 'active' });
  const second = await workflow.activate('wfv_2', [triggerOf(kept)], startMs + 1_000);
  expect(statusesOf(second)).toEqual({ [kept]: 'active', [other]: 'done' });
  await workflow.activate(undefined, [], startMs + 2_000);
  expect((await workflow.rows()).map(({ status, next_run_at }) => [status, next_run_at])).toEqual([
    ['done', null],
    ['done', null],
  ]);
  expect(await workflow.advance(startMs + 10 * dayMs)).toEqual({ kind: 'done' });
  const back = startMs + 10 * dayMs;
  await workflow.activate('wfv_3', [triggerOf(kept)], back);
  const row = (await workflow.rows()).find(({ trigger_id }) => trigger_id === kept)!;
  expect(row).toMatchObject({ status: 'active', version_id: 'wfv_3', considered_until: new Date(back) });
  expect(row.next_run_at).toEqual(new Date(back + 8 * 3_600_000));
  expect(await workflow.fires()).toEqual([]);
});

test('another cadence fires from the activation on; what was due before and had not fired is told as missed', async () => {
  const workflow = await madeWorkflow();
  const trigger = newId('wtr');
  await workflow.activate('wfv_1', [triggerOf(trigger)], startMs);
  const nowMs = startMs + 9 * 3_600_000;
  const [changed] = await workflow.activate('wfv_2', [triggerOf(trigger, daily('12:00'))], nowMs);
  expect(changed).toMatchObject({ version_id: 'wfv_2', revision: 2 });
  expect(changed!.next_run_at).toEqual(new Date(startMs + 12 * 3_600_000));
  expect((await workflow.fires()).map(({ status, local_time }) => [status, local_time])).toEqual([
    ['missed', '2026-01-01T08:00:00'],
  ]);
});

test('a cadence that is over is done, and an activation does not fire it again', async () => {
  const workflow = await madeWorkflow();
  const trigger = newId('wtr');
  const once = {
    type: 'one_time',
    zoneId: 'UTC',
    timeOfDay: '08:00',
    runDate: '2026-01-01',
    interval: 1,
  };
  await workflow.activate('wfv_1', [triggerOf(trigger, once)], startMs);
  expect(await workflow.advance(startMs + dayMs / 2)).toEqual({ kind: 'done' });
  await workflow.activate('wfv_2', [triggerOf(trigger, once)], startMs + dayMs);
  expect(await workflow.advance(startMs + dayMs)).toEqual({ kind: 'done' });
  expect(await workflow.fires()).toHaveLength(1);
});

test('no user sees the schedule of a trigger, and an operator cannot resume one that is gone', async () => {
  const workflow = await madeWorkflow();
  const [row] = await workflow.activate('wfv_1', [triggerOf(newId('wtr'))], startMs);
  const url = `/v1/schedules/${row!.id}`;
  for (const [method, path] of [
    ['GET', ''],
    ['POST', '/trigger'],
    ['POST', '/pause'],
    ['DELETE', ''],
    ['GET', '/runs'],
    ['GET', '/occurrences'],
  ] as const) {
    const answer = await client.call(method, `${url}${path}`);
    expect([answer.status, answer.body.code], path).toEqual([404, 'not_found']);
  }
  const { items } = (await client.call('GET', '/v1/schedules?limit=200')).body;
  expect(items.map(({ id }: { id: string }) => id)).not.toContain(row!.id);
  await workflow.activate(undefined, [], startMs);
  const input = { organizationId: client.organizationId, scheduleId: row!.id };
  await resumeByProcess(workspace.deps.db, input, startMs);
  expect((await workflow.rows())[0]!.status).toBe('done');
});

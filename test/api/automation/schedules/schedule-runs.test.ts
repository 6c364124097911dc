import { beforeAll, expect, test, vi } from 'vitest';
import { AppError } from '../../../../data/errors.ts';
import { newId } from '../../../../data/ids.ts';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { agentRunSteps } from '../../../../domain/analyst/agent-runs/reconcile.ts';
import { claimBackfillFire } from '../../../../domain/automation/schedules/backfill-process.ts';
import { collectFire } from '../../../../domain/automation/schedules/collect.ts';
import {
  insertScheduleRuns,
  requestedFire,
  rowOf,
} from '../../../../domain/automation/schedules/schedule-runs.ts';
import { getSchedule } from '../../../../domain/automation/schedules/schedules.ts';
import { projectOf, useModelServer } from '../../../support/conversations.ts';
import { eventually } from '../../../support/eventually.ts';
import { reconcile } from '../../../support/reconcile.ts';
import { attachedTable, endedRun } from '../../../support/runs.ts';
import {
  daily,
  madeSchedule,
  reconcileSchedules,
  scheduleBody,
  writtenPlaybook,
} from '../../../support/schedules.ts';
import { useWorker } from '../../../support/worker.ts';
import { type TestClient, useOwnWorkspace } from '../../../support/workspace.ts';

const models = useModelServer(({ messages }) =>
  String(messages.at(-1)!.content).includes('slowly')
    ? { endless: { delta: 'slow ', everyMs: 20 } }
    : { text: 'Done.' },
);
const workspace = useOwnWorkspace({}, models.environment);
useWorker(workspace);

let client: TestClient;
let project: string;
let playbook: string;
let slow: string;

beforeAll(async () => {
  client = await workspace.organization();
  project = await projectOf(client);
  await attachedTable(client, project, 'orders', [{ s_id: 1, amount: 2 }]);
  playbook = await writtenPlaybook(client, project);
  slow = await writtenPlaybook(client, project, { instructions: 'Answer slowly.', model: 'local/scripted' });
});

const urlOf = (id: string) => `/v1/schedules/${id}`;
const runsOf = async (id: string) => (await client.call('GET', `${urlOf(id)}/runs`)).body.items;
const shown = async (id: string) => (await client.call('GET', urlOf(id))).body.data;
const ended = (id: string, runId: string) =>
  eventually(
    async () => (await client.call('GET', `${urlOf(id)}/runs/${runId}`)).body.data,
    ({ status }) => status !== 'running',
  );
async function trigger(id: string) {
  const answer = await client.call('POST', `${urlOf(id)}/trigger`);
  expect(answer.status, answer.text).toBe(202);
  expect(answer.headers['location']).toBe(`${urlOf(id)}/runs/${answer.body.data.id}`);
  return answer.body.data;
}

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** As if the cadence had last been evaluated then, and its process had been away since. */
async function setBack(id: string, change: { cadence?: object; agoMs: number }): Promise<void> {
  await unseen(id, change);
  await workspace.temporal.workflow.getHandle(`schedule/${id}`).signal('wake');
}

/** The same, but its process keeps waiting for the time it has seen. */
async function unseen(id: string, change: { cadence?: object; agoMs: number }): Promise<void> {
  await eventually(
    () =>
      inOrganization(workspace.deps.db, client.organizationId, (db) =>
        getSchedule(db, client.organizationId, id),
      ),
    ({ seen_revision, revision }) => seen_revision === revision,
  );
  const { cadence, agoMs } = change;
  await inOrganization(workspace.deps.db, client.organizationId, (db) =>
    db
      .updateTable('schedules')
      .set({
        ...(cadence === undefined ? {} : { cadence: JSON.stringify(cadence) }),
        considered_until: new Date(Date.now() - agoMs),
        next_run_at: new Date(Date.now() - agoMs),
        created_at: new Date(Date.now() - 400 * dayMs),
      })
      .where('id', '=', id)
      .execute(),
  );
}

const clockOf = (atMs: number) => new Date(atMs).toISOString().slice(11, 19);
const dateOf = (atMs: number) => new Date(atMs).toISOString().slice(0, 10);

test('a schedule that is triggered runs its playbook, and shows the run', async () => {
  const { id } = await madeSchedule(client, project, playbook);
  const fired = await trigger(id);
  expect(fired).toMatchObject({
    id: expect.stringMatching(/^srn_/),
    scheduleId: id,
    status: 'running',
    reason: null,
    localTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/),
  });
  const done = await ended(id, fired.id);
  expect(done).toMatchObject({ status: 'succeeded', reason: null, runId: expect.stringMatching(/^run_/) });
  const run = await endedRun(client, project, done.runId);
  expect(run).toMatchObject({
    kind: 'playbook',
    status: 'succeeded',
    trigger: { type: 'schedule', id },
    output: { reportId: expect.any(String) },
  });
  expect(await shown(id)).toMatchObject({ lastRunStatus: 'succeeded', lastRunAt: done.firedAt });
});

test('a paused schedule can be triggered', async () => {
  const { id } = await madeSchedule(client, project, playbook);
  await client.call('POST', `${urlOf(id)}/pause`);
  expect(await ended(id, (await trigger(id)).id)).toMatchObject({ status: 'succeeded' });
});

test('what was due and had not fired when a schedule is paused, or changed, is told as missed', async () => {
  const dueAt = (atMs: number) => ({ type: 'daily' as const, zoneId: 'UTC', timeOfDay: clockOf(atMs) });
  const atMs = Date.now() - minuteMs;
  for (const change of ['paused', 'changed'] as const) {
    const { id } = await madeSchedule(client, project, playbook);
    // Its process waits for another time and is not notified.
    await unseen(id, { cadence: dueAt(atMs), agoMs: 2 * dayMs });
    const body = { ...scheduleBody(project, playbook), schedule: { ...daily, time_of_day: '09:00' } };
    const answer =
      change === 'paused'
        ? await client.call('POST', `${urlOf(id)}/pause`)
        : await client.call('PUT', urlOf(id), { body });
    expect(answer.status, answer.text).toBe(200);
    const runs = await runsOf(id);
    expect(runs.map(({ status, localTime }: Record<string, string>) => [status, localTime])).toEqual([
      ['missed', `${dateOf(atMs)}T${clockOf(atMs)}`],
      ['missed', `${dateOf(atMs - dayMs)}T${clockOf(atMs)}`],
    ]);
    expect(runs[0].reason).toContain(`when the schedule was ${change}`);
    await client.call('POST', `${urlOf(id)}/pause`);
    await client.call('POST', `${urlOf(id)}/resume`);
    expect(await runsOf(id)).toHaveLength(2);
  }
});

test('what was due and had not fired when its project is archived is told as missed', async () => {
  const own = await projectOf(client);
  const { id } = await madeSchedule(client, own, await writtenPlaybook(client, own));
  const atMs = Date.now() - minuteMs;
  await unseen(id, { cadence: { type: 'daily', zoneId: 'UTC', timeOfDay: clockOf(atMs) }, agoMs: dayMs / 2 });
  expect((await client.call('DELETE', `/v1/projects/${own}`)).status).toBe(200);
  expect(await runsOf(id)).toMatchObject([
    { status: 'missed', localTime: `${dateOf(atMs)}T${clockOf(atMs)}`, runId: null },
  ]);
});

test('of what was missed the latest fires where it is less than a day late, the others are recorded', async () => {
  const { id } = await madeSchedule(client, project, playbook);
  const atMs = Date.now() - 5 * minuteMs;
  await setBack(id, {
    cadence: { type: 'daily', zoneId: 'UTC', timeOfDay: clockOf(atMs) },
    agoMs: 3 * dayMs + 10 * minuteMs,
  });
  const items = await eventually(
    () => runsOf(id),
    (runs) => runs.length === 4 && runs[0].status !== 'running',
  );
  expect(items.map(({ status }: { status: string }) => status)).toEqual([
    'succeeded',
    'missed',
    'missed',
    'missed',
  ]);
  expect(items[0]).toMatchObject({ localTime: `${dateOf(atMs)}T${clockOf(atMs)}` });
  expect(items[1]).toMatchObject({
    firedAt: null,
    runId: null,
    reason: expect.stringContaining('running at that time'),
  });
  const { nextRunAt, status } = await shown(id);
  expect([status, Date.parse(nextRunAt)]).toEqual(['active', Math.floor(atMs / 1_000) * 1_000 + dayMs]);
});

test('a fire that is a day late is missed; a one_time then is done', async () => {
  const atMs = Date.now() - dayMs - minuteMs;
  const { id } = await madeSchedule(client, project, playbook);
  await setBack(id, {
    cadence: { type: 'one_time', zoneId: 'UTC', runDate: dateOf(atMs), timeOfDay: clockOf(atMs) },
    agoMs: 3 * dayMs,
  });
  const done = await eventually(
    () => shown(id),
    ({ status }) => status === 'done',
  );
  expect(done).toMatchObject({ nextRunAt: null, lastRunAt: null });
  expect(await runsOf(id)).toMatchObject([{ status: 'missed' }]);
  const pause = await client.call('POST', `${urlOf(id)}/pause`);
  expect([pause.status, pause.body.code]).toEqual([409, 'conflict']);
  const { kind, target, schedule, description } = await shown(id);
  const sentBack = {
    kind,
    description,
    schedule,
    target: { project_id: target.projectId, playbook_id: target.playbookId },
  };
  const same = await client.call('PUT', urlOf(id), { body: sentBack });
  expect([same.status, same.body.data.status], same.text).toEqual([200, 'done']);
  // Another cadence makes it active again, with a new process.
  const body = {
    kind,
    target: { project_id: target.projectId, playbook_id: target.playbookId },
    schedule: { type: 'daily', zone_id: 'UTC', time_of_day: '08:00' },
  };
  expect((await client.call('PUT', urlOf(id), { body })).body.data).toMatchObject({ status: 'active' });
});

test('a fire is skipped while the one before is under way', async () => {
  const { id } = await madeSchedule(client, project, slow);
  const first = await trigger(id);
  const running = await eventually(
    async () => (await runsOf(id))[0],
    ({ runId }) => runId !== null,
  );
  const atMs = Date.now() - minuteMs;
  await setBack(id, {
    cadence: { type: 'daily', zoneId: 'UTC', timeOfDay: clockOf(atMs) },
    agoMs: 2 * minuteMs,
  });
  const skipped = await eventually(
    async () => (await runsOf(id)).find(({ id }: { id: string }) => id !== first.id),
    (run) => run !== undefined,
  );
  expect(skipped).toMatchObject({ status: 'skipped', reason: expect.stringContaining(first.localTime) });
  // Cancelling the project's run ends the fire.
  await client.call('POST', `/v1/projects/${project}/runs/${running.runId}/cancel?confirm=true`);
  expect(await ended(id, first.id)).toMatchObject({
    status: 'cancelled',
    reason: expect.stringContaining('cancelled'),
  });
});

test('what its playbook no longer takes fails the fire with the reason, and so does a playbook that is gone', async () => {
  const own = await writtenPlaybook(client, project, { parameters: { since: { type: 'date' } } });
  const { id } = await madeSchedule(client, project, own, { config: { params: { since: '2026-01-01' } } });
  const change = { parameters: { until: { type: 'date', required: true } } };
  await client.call('PATCH', `/v1/projects/${project}/playbooks/${own}`, { body: change });
  const refused = await ended(id, (await trigger(id)).id);
  expect(refused).toMatchObject({ status: 'failed', runId: null });
  expect(refused.reason).toContain('config.params.since');
  await client.call('DELETE', `/v1/projects/${project}/playbooks/${own}`);
  const gone = await ended(id, (await trigger(id)).id);
  expect(gone).toMatchObject({ status: 'failed', reason: expect.stringContaining('playbook') });
  expect(await shown(id)).toMatchObject({ lastRunStatus: 'failed' });
});

test('cadences of kinds that cannot be written fire, and are read', async () => {
  const { id } = await madeSchedule(client, project, playbook);
  const minute = Math.floor(Date.now() / minuteMs);
  await setBack(id, {
    cadence: { type: 'cron', zoneId: 'UTC', cronExpression: `${(minute - 1) % 60} * * * *` },
    agoMs: 3 * minuteMs,
  });
  await eventually(
    () => runsOf(id),
    (runs) => runs.length === 1 && runs[0].status === 'succeeded',
  );
  expect((await shown(id)).schedule).toMatchObject({ type: 'cron', timeOfDay: null });
});

test('an operator pauses and resumes by signals', async () => {
  const { id } = await madeSchedule(client, project, playbook);
  const handle = workspace.temporal.workflow.getHandle(`schedule/${id}`);
  await handle.signal('pause');
  await eventually(
    () => shown(id),
    ({ status }) => status === 'paused',
  );
  await handle.signal('resume');
  const resumed = await eventually(
    () => shown(id),
    ({ status }) => status === 'active',
  );
  expect(resumed.nextRunAt).not.toBeNull();
  await handle.cancel();
  await eventually(
    () => shown(id),
    ({ status }) => status === 'paused',
  );
});

test('a schedule whose process was ended by force is paused, and starts anew when it is resumed', async () => {
  const { id } = await madeSchedule(client, project, playbook);
  // A round in progress when it is ended would overwrite the rows written below.
  await eventually(
    () => seenRevision(id),
    (revision) => revision === 1,
  );
  await workspace.temporal.workflow.getHandle(`schedule/${id}`).terminate('by force');
  const atMs = Date.now() - minuteMs;
  await inOrganization(workspace.deps.db, client.organizationId, (db) =>
    db
      .updateTable('schedules')
      .set({ next_run_at: new Date(atMs), seen_revision: 1 })
      .where('id', '=', id)
      .execute(),
  );
  await reconcileSchedules(workspace);
  expect(await shown(id)).toMatchObject({ status: 'paused' });
  await client.call('POST', `${urlOf(id)}/resume`);
  const { status } = await workspace.temporal.workflow.getHandle(`schedule/${id}`).describe();
  expect(status.name).toBe('RUNNING');
});

test('a change that the process did not hear of is told by the worker', async () => {
  const { id } = await madeSchedule(client, project, playbook);
  const spy = vi
    .spyOn(workspace.deps.processes, 'wake')
    .mockRejectedValue(new AppError('workflows_unavailable', 'Away.'));
  await client.call('POST', `${urlOf(id)}/pause`).finally(() => spy.mockRestore());
  await reconcileSchedules(workspace);
  expect(
    await eventually(
      () => seenRevision(id),
      (revision) => revision === 2,
    ),
  ).toBe(2);
});

/** The revision of a schedule that its process has seen. */
const seenRevision = (id: string) =>
  inOrganization(workspace.deps.db, client.organizationId, async (db) => {
    const row = db.selectFrom('schedules').select('seen_revision').where('id', '=', id);
    return (await row.executeTakeFirstOrThrow()).seen_revision;
  });

test('no more than so many fires are asked for at once', async () => {
  const { id } = await madeSchedule(client, project, playbook);
  await inOrganization(workspace.deps.db, client.organizationId, async (db) => {
    const schedule = await getSchedule(db, client.organizationId, id);
    const nowMs = Date.now();
    const outcome = { status: 'running' as const, reason: null, fired_at: new Date(nowMs) };
    const fires = Array.from({ length: 20 }, (_, index) => requestedFire(schedule, nowMs, `${index}`));
    await insertScheduleRuns(
      db,
      fires.map((fire) => rowOf(schedule, fire, outcome)),
    );
  });
  const refused = await client.call('POST', `${urlOf(id)}/trigger`);
  expect([refused.status, refused.body.code, refused.headers['retry-after']]).toEqual([
    429,
    'rate_limited',
    '10',
  ]);
});

test('a fire whose process was ended by force fails, and its run ends with it', async () => {
  const { id } = await madeSchedule(client, project, slow);
  const fired = await trigger(id);
  const { runId } = await eventually(
    async () => (await runsOf(id))[0],
    (run) => run.runId !== null,
  );
  await workspace.temporal.workflow.getHandle(`schedule-run/${fired.id}`).terminate('by force');
  await reconcileSchedules(workspace);
  expect(await ended(id, fired.id)).toMatchObject({
    status: 'failed',
    reason: expect.stringContaining('operator'),
  });
  expect(await endedRun(client, project, runId)).toMatchObject({ status: 'cancelled' });
});

test('a fire hears at once that the process of its run was ended by force', async () => {
  const { id } = await madeSchedule(client, project, slow);
  const fired = await trigger(id);
  const { runId } = await eventually(
    async () => (await runsOf(id))[0],
    (run) => run.runId !== null,
  );
  await workspace.temporal.workflow.getHandle(`agent-run/${runId}`).terminate('by force');
  await reconcile(workspace, agentRunSteps(workspace.activityDeps, 0));
  expect(await ended(id, fired.id)).toMatchObject({ status: 'failed' });
});

test('a schedule that is deleted ends its process, and its run goes on', async () => {
  const { id } = await madeSchedule(client, project, playbook);
  const fired = await trigger(id);
  const { runId } = await eventually(
    async () => (await client.call('GET', `${urlOf(id)}/runs/${fired.id}`)).body.data,
    (run) => run.runId !== null,
  );
  expect((await client.call('DELETE', urlOf(id))).status).toBe(200);
  expect(await endedRun(client, project, runId)).toMatchObject({ status: 'succeeded' });
  for (const process of [`schedule/${id}`, `schedule-run/${fired.id}`]) {
    const handle = workspace.temporal.workflow.getHandle(process);
    await eventually(
      () => handle.describe(),
      ({ status }) => status.name !== 'RUNNING',
    );
  }
});

test('what a fire made is brought into the folder; a mail that cannot go out fails the fire with the reason', async () => {
  const config = { output_folder: 'reports/daily', email_recipients: [{ email: 'ada@example.com' }] };
  const { id } = await madeSchedule(client, project, playbook, { config });
  const done = await ended(id, (await trigger(id)).id);
  expect(done).toMatchObject({ status: 'failed', reason: expect.stringContaining('SMTP_URL') });
  expect(done.reason).toContain('The mail to ada@example.com was not delivered');
  const url = `${urlOf(id)}/runs/${done.id}/deliveries`;
  const { items } = (await client.call('GET', url)).body;
  const name = `reports/daily/Done ${done.localTime.replaceAll(':', '-')}`;
  const told = items.map(({ target, status, runId }: Record<string, string>) => [target, status, runId]);
  expect(told.toSorted()).toEqual([
    ['ada@example.com', 'failed', done.runId],
    [`${name}.docx`, 'delivered', done.runId],
    [`${name}.md`, 'delivered', done.runId],
    [`${name}.pdf`, 'delivered', done.runId],
  ]);
  expect((await client.call('GET', `${url}/${items[0].id}`)).body.data).toEqual(items[0]);
  const listed = await client.call('GET', `/v1/projects/${project}/files?limit=200`);
  const paths = listed.body.items.map(({ path }: { path: string }) => path);
  expect(paths).toEqual(expect.arrayContaining([`${name}.md`, `${name}.pdf`, `${name}.docx`]));
});

test('what a fire made is delivered where it was planned to, whatever its schedule says when it is asked again', async () => {
  const { id } = await madeSchedule(client, project, playbook, { config: { output_folder: 'reports/one' } });
  const done = await ended(id, (await trigger(id)).id);
  expect(done).toMatchObject({ status: 'succeeded' });
  const body = scheduleBody(project, playbook, { config: { output_folder: 'reports/two' } });
  const written = await client.call('PUT', urlOf(id), { body });
  expect(written.status, written.text).toBe(200);
  // As if the process had not heard the first answer.
  const { db } = workspace.deps;
  const { organizationId } = client;
  await inOrganization(db, organizationId, (transaction) =>
    transaction.updateTable('schedule_runs').set({ status: 'running' }).where('id', '=', done.id).execute(),
  );
  const input = { organizationId, scheduleRunId: done.id };
  const progress = await Promise.all([collectFire(db, input), collectFire(db, input)]);
  const { items } = (await client.call('GET', `${urlOf(id)}/runs/${done.id}/deliveries`)).body;
  const ids = items.map((item: { id: string }) => item.id).toSorted();
  expect(ids).toHaveLength(3);
  for (const one of progress)
    expect({ ...one, deliveryIds: 'deliveryIds' in one && one.deliveryIds.toSorted() }).toEqual({
      kind: 'delivering',
      deliveryIds: ids,
    });
});

test('a backfill fires what is missing, so many at once, and no more when it is cancelled', async () => {
  const { id } = await madeSchedule(client, project, playbook, {
    schedule: { type: 'daily', zone_id: 'UTC', time_of_day: '08:00' },
  });
  const body = { from: '2026-03-01T00:00:00Z', to: '2026-03-04T08:00:00Z', max_concurrency: 2 };
  const url = `${urlOf(id)}/backfills`;
  const answer = await client.call('POST', url, { body });
  expect(answer.status, answer.text).toBe(202);
  expect(answer.headers['location']).toBe(`${url}/${answer.body.data.id}`);
  const show = async (backfill: string) => (await client.call('GET', `${url}/${backfill}`)).body.data;
  const done = await eventually(
    () => show(answer.body.data.id),
    ({ finishedAt }) => finishedAt !== null,
  );
  expect(done).toMatchObject({
    status: 'succeeded',
    total: 4,
    fires: { running: 0, succeeded: 4, failed: 0, cancelled: 0 },
  });
  expect((await runsOf(id)).map(({ localTime }: { localTime: string }) => localTime)).toEqual([
    '2026-03-04T08:00:00',
    '2026-03-03T08:00:00',
    '2026-03-02T08:00:00',
    '2026-03-01T08:00:00',
  ]);
  const again = await client.call('POST', url, { body: { ...body, preview: true } });
  expect(again.body.data.total).toBe(0);
  const everything = { ...body, only_missing: false, max_concurrency: 1 };
  const second = (await client.call('POST', url, { body: everything })).body.data;
  expect((await client.call('POST', url, { body: everything })).body.code).toBe('conflict');
  const cancelled = await client.call('DELETE', `${url}/${second.id}`);
  expect(cancelled.body.data).toMatchObject({ status: 'cancelled' });
  await eventually(
    () => show(second.id),
    ({ fires }) => fires.running === 0,
  );
  expect((await show(second.id)).fires.succeeded).toBeLessThan(4);
});

test('a backfill does not fire what has fired since it was planned', async () => {
  const { id } = await madeSchedule(client, project, playbook, {
    schedule: { type: 'daily', zone_id: 'UTC', time_of_day: '08:00' },
  });
  const { organizationId } = client;
  const backfillId = newId('bkf');
  const at = Date.parse('2026-03-01T08:00:00Z');
  const times = [at, at + dayMs].map((atMs) => ({
    atMs,
    localTime: new Date(atMs).toISOString().slice(0, 19),
    zoneId: 'UTC',
  }));
  await inOrganization(workspace.deps.db, organizationId, async (db) => {
    await db
      .insertInto('schedule_backfills')
      .values({
        organization_id: organizationId,
        id: backfillId,
        schedule_id: id,
        from_at: new Date(at),
        to_at: new Date(at + dayMs),
        only_missing: true,
        max_concurrency: 1,
        status: 'running',
        planned: JSON.stringify(times),
        created_by: client.clientId,
      })
      .execute();
    const schedule = await getSchedule(db, organizationId, id);
    const fire = { origin: 'cadence' as const, ...times[0]! };
    await insertScheduleRuns(db, [
      rowOf(schedule, fire, { status: 'running', reason: null, fired_at: new Date() }),
    ]);
  });
  const claim = (place: number) =>
    claimBackfillFire(workspace.deps.db, { organizationId, backfillId }, place);
  expect(await claim(0)).toEqual({ kind: 'there' });
  const second = await claim(1);
  expect(second).toMatchObject({ kind: 'fire', projectId: project });
  expect(await claim(1)).toEqual(second);
  expect(await claim(2)).toEqual({ kind: 'cancelled' });
});

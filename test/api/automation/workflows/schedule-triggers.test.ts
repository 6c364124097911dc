import { beforeAll, expect, test } from 'vitest';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { wakeTriggerSchedules } from '../../../../domain/automation/workflows/triggers/schedules.ts';
import { projectOf } from '../../../support/conversations.ts';
import { eventually } from '../../../support/eventually.ts';
import { useWorker } from '../../../support/worker.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);
const url = '/v1/workflows';

let client: TestClient;
let project: string;

beforeAll(async () => {
  client = await workspace.organization();
  project = await projectOf(client);
});

const graph = (sql: string) => ({
  version: 1,
  parameters: { day: { type: 'date', required: true } },
  nodes: [{ id: 'one', type: 'query', name: 'One', config: { sql } }],
  edges: [],
});
const schedule = { type: 'daily', zone_id: 'UTC', time_of_day: '00:00' };
const triggers = [{ type: 'schedule', schedule, params: { day: '2026-11-01' } }];

async function active(sql = 'SELECT 1 AS one') {
  const body = { project_id: project, title: 'On a cadence', graph: graph(sql), triggers };
  const made = await client.call('POST', url, { body });
  const { id } = made.body.data;
  const activated = await client.call('POST', `${url}/${id}/activation`, { body: { expected_revision: 1 } });
  expect(activated.status, activated.text).toBe(200);
  return { id: id as string, versionId: activated.body.data.activeVersionId as string };
}

const within = <T>(work: Parameters<typeof inOrganization<T>>[2]) =>
  inOrganization(workspace.deps.db, client.organizationId, work);

const scheduleOf = (workflowId: string) =>
  within((db) =>
    db.selectFrom('schedules').selectAll().where('workflow_id', '=', workflowId).executeTakeFirstOrThrow(),
  );

const firesOf = (scheduleId: string) =>
  within((db) =>
    db
      .selectFrom('schedule_runs')
      .selectAll()
      .where('schedule_id', '=', scheduleId)
      .where('status', '!=', 'missed')
      .orderBy('scheduled_for')
      .execute(),
  );

/** Its process has read the newest state of its row, and waits. */
const seen = (workflowId: string) =>
  eventually(
    () => scheduleOf(workflowId),
    ({ seen_revision, revision }) => seen_revision === revision,
  );

/** As if its process had been away for a day. */
async function fireLatest(workflowId: string) {
  const { id } = await seen(workflowId);
  await within((db) =>
    db
      .updateTable('schedules')
      .set(({ eb }) => ({
        considered_until: new Date(Date.now() - 86_400_000),
        revision: eb('revision', '+', 1),
      }))
      .where('id', '=', id)
      .execute(),
  );
  const row = { organization_id: client.organizationId, id: workflowId };
  await wakeTriggerSchedules(workspace.deps, row);
  const [fire] = await eventually(
    () => firesOf(id),
    ([first]) => first !== undefined && first.status !== 'running',
  );
  return fire!;
}

test('a fire runs the version that was active, with the params of its trigger, and ends with its run', async () => {
  const { id, versionId } = await active();
  const fire = await fireLatest(id);
  expect(fire).toMatchObject({ status: 'succeeded', reason: null, version_id: versionId, has_run: true });
  const run = await within((db) =>
    db.selectFrom('workflow_runs').selectAll().where('workflow_id', '=', id).executeTakeFirstOrThrow(),
  );
  expect(run).toMatchObject({ id: fire.run_id, version_id: versionId, params: { day: '2026-11-01' } });
  const shown = await client.call('GET', `/v1/projects/${project}/runs/${run.id}`);
  expect(shown.body.data).toMatchObject({ status: 'succeeded', trigger: { type: 'schedule' } });
});

test('a fire whose run fails tells why', async () => {
  const { id } = await active("SELECT CAST('x' AS INTEGER)");
  const fire = await fireLatest(id);
  expect(fire).toMatchObject({ status: 'failed', reason: expect.any(String) });
});

test('a paused workflow has no process that waits, and one that is resumed has it again', async () => {
  const { id } = await active();
  const { id: scheduleId } = await scheduleOf(id);
  const stateOf = () => workspace.deps.processes.stateOf(`schedule/${scheduleId}`);
  await eventually(stateOf, (state) => state === 'running');
  expect((await client.call('POST', `${url}/${id}/pause`)).status).toBe(200);
  await eventually(stateOf, (state) => state !== 'running');
  expect((await client.call('POST', `${url}/${id}/resume`)).status).toBe(200);
  await eventually(stateOf, (state) => state === 'running');
  expect(await seen(id)).toMatchObject({ id: scheduleId, status: 'active' });
  expect((await client.call('POST', `${url}/${id}/archive`)).status).toBe(200);
  await eventually(stateOf, (state) => state !== 'running');
});

test('archiving a project pauses its workflows', async () => {
  const kept = project;
  project = await projectOf(client);
  const { id } = await active();
  expect((await client.call('DELETE', `/v1/projects/${project}`)).status).toBe(200);
  project = kept;
  expect((await client.call('GET', `${url}/${id}`)).body.data).toMatchObject({
    status: 'paused',
    revision: 3,
  });
  expect(await scheduleOf(id)).toMatchObject({ status: 'done', next_run_at: null });
  const resumed = await client.call('POST', `${url}/${id}/resume`);
  expect([resumed.status, resumed.body.code]).toEqual([409, 'conflict']);
});

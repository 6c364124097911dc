import { beforeAll, expect, test } from 'vitest';
import { projectOf } from '../../../support/conversations.ts';
import { eventually } from '../../../support/eventually.ts';
import { importLegacy } from '../../../support/legacy.ts';
import { attachedTable } from '../../../support/runs.ts';
import { reconcileSchedules, scheduleBody, writtenPlaybook } from '../../../support/schedules.ts';
import { useWorker } from '../../../support/worker.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);

let client: TestClient;
let project: string;
let playbook: string;

beforeAll(async () => {
  client = await workspace.organization();
  project = await projectOf(client);
  await attachedTable(client, project, 'orders', [{ s_id: 1, amount: 2 }]);
  playbook = await writtenPlaybook(client, project);
});

const imported = (records: readonly object[]) => importLegacy(workspace, records);

const record = (key: string, schedule: object, change: object = {}) => ({
  kind: 'playbook',
  key,
  organizationId: client.organizationId,
  target: { projectId: project, playbookId: playbook },
  schedule: { zoneId: 'UTC', ...schedule },
  createdByUserId: client.clientId,
  createdAt: '2026-01-05T00:00:00Z',
  ...change,
});

test('every kind that cannot be written comes in once, is read, and fires', async () => {
  const kinds = [
    { type: 'cron', cronExpression: '* * * * *' },
    { type: 'interval', everyMinutes: 1 },
    { type: 'biweekly', timeOfDay: '08:00', daysOfWeek: ['MONDAY'] },
    { type: 'month_end', timeOfDay: '23:00' },
  ];
  const records = kinds.map((kind) => record(kind.type, kind));
  const first = await imported(records);
  expect(first, first.text).toMatchObject({ code: 0 });
  expect((await imported(records)).text).toContain('already exists');
  const { items } = (await client.call('GET', `/v1/schedules?target_id=${playbook}`)).body;
  expect(items).toHaveLength(4);
  expect(items.map(({ schedule }: { schedule: { type: string } }) => schedule.type).toSorted()).toEqual([
    'biweekly',
    'cron',
    'interval',
    'month_end',
  ]);
  await reconcileSchedules(workspace);
  for (const { id, schedule } of items) {
    const { status } = await eventually(
      () => workspace.temporal.workflow.getHandle(`schedule/${id}`).describe(),
      ({ status }) => status.name === 'RUNNING',
    );
    expect(status.name, schedule.type).toBe('RUNNING');
    const { body } = await client.call('GET', `/v1/schedules/${id}/occurrences`);
    expect(body.items, schedule.type).toHaveLength(10);
    // A new write must use a kind that can be written.
    const { target: _, ...sent } = { ...scheduleBody(project, playbook), schedule };
    const body2 = { ...sent, target: { project_id: project, playbook_id: playbook } };
    expect((await client.call('PUT', `/v1/schedules/${id}`, { body: body2 })).status).toBe(422);
    const put = await client.call('PUT', `/v1/schedules/${id}`, { body: scheduleBody(project, playbook) });
    expect(put.status, put.text).toBe(200);
  }
});

test('with a fault in any line nothing comes in, and each is told', async () => {
  const { code, text } = await imported([
    record('good', { type: 'cron', cronExpression: '0 8 * * *' }),
    record('bad', { type: 'cron', cronExpression: 'daily' }),
    record(
      'no playbook',
      { type: 'daily', timeOfDay: '08:00' },
      { target: { projectId: project, playbookId: 'pbk_x' } },
    ),
    record('params', { type: 'daily', timeOfDay: '08:00' }, { config: { params: { since: 1 } } }),
  ]);
  expect(code).toBe(1);
  expect(text).toContain('Line 2: schedule.cronExpression');
  expect(text).toContain('Line 3: target');
  expect(text).toContain('Line 4: config.params.since');
  expect(text).toContain('Nothing was imported.');
  const { items } = (await client.call('GET', '/v1/schedules')).body;
  expect(items).toHaveLength(4);
});

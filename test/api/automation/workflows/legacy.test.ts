import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectOf } from '../../../support/conversations.ts';
import { eventually } from '../../../support/eventually.ts';
import { answerWith, type HttpReceiver, startHttpReceiver } from '../../../support/http-receiver.ts';
import { importLegacy } from '../../../support/legacy.ts';
import { attachedTable } from '../../../support/runs.ts';
import { reconcileSchedules, writtenPlaybook } from '../../../support/schedules.ts';
import { startSmtpServer, type TestSmtpServer } from '../../../support/smtp-server.ts';
import { useWorker } from '../../../support/worker.ts';
import { graphOf, node, steps, workflowsOf } from '../../../support/workflows.ts';
import { type TestClient, useOwnWorkspace } from '../../../support/workspace.ts';

const mail: TestSmtpServer = await startSmtpServer();
const workspace = useOwnWorkspace({}, () => ({
  SMTP_URL: mail.url,
  SMTP_FROM: 'reports@example.com',
  ALLOWED_PRIVATE_ADDRESSES: '127.0.0.1/32',
}));
useWorker(workspace);

let client: TestClient;
let project: string;
let playbook: string;
let slack: HttpReceiver;
const url = '/v1/workflows';
const daily = { type: 'daily', zone_id: 'UTC', time_of_day: '08:00' };

beforeAll(async () => {
  client = await workspace.organization();
  project = await projectOf(client);
  await attachedTable(client, project, 'orders', [{ s_id: 1, amount: 2 }]);
  playbook = await writtenPlaybook(client, project);
  slack = await startHttpReceiver();
  slack.answers = [answerWith(200, 'ok')];
});
afterAll(async () => {
  await slack.close();
  await mail.close();
});

/** Out of order, as another system may have them. */
const written = () => [
  { position: 30, type: 'slack_delivery', config: { webhookUrl: slack.url, text: 'It is there.' } },
  { position: 10, type: 'playbook', targetFileId: playbook, config: {} },
  {
    position: 20,
    type: 'email_delivery',
    config: { subject: 'Orders', format: 'pdf' },
    targets: [{ kind: 'email', email: 'ada@example.com' }],
  },
];

const record = (key: string, change: object = {}) => ({
  kind: 'workflow',
  key,
  organizationId: client.organizationId,
  projectId: project,
  ownerUserId: client.clientId,
  title: `Steps ${key}`,
  steps: written(),
  schedule: { type: 'month_end', zoneId: 'Europe/Berlin', timeOfDay: '08:00' },
  createdAt: '2026-01-05T00:00:00Z',
  ...change,
});

async function importedAs(key: string, change: object = {}): Promise<string> {
  const { code, text } = await importLegacy(workspace, [record(key, change)]);
  expect(code, text).toBe(0);
  return /^(wfl_\S+)/.exec(text)![1]!;
}

const shown = async (id: string) => (await client.call('GET', `${url}/${id}`)).body.data;

test('a workflow of steps comes in once, is read, runs, and fires by its cadence', async () => {
  const id = await importedAs('one');
  expect((await importLegacy(workspace, [record('one')])).text).toContain(`${id} already exists`);
  const workflow = await shown(id);
  expect(workflow).toMatchObject({
    status: 'active',
    executionFormat: 'steps',
    graph: null,
    ownerUserId: client.clientId,
    steps: [
      { id: 'step_1', position: 10, type: 'playbook', targetFileId: playbook },
      { id: 'step_2', position: 20, type: 'email_delivery', targets: [{ email: 'ada@example.com' }] },
      { id: 'step_3', position: 30, type: 'slack_delivery', config: { webhookUrl: '********' } },
    ],
    triggers: [{ type: 'schedule', schedule: { type: 'month_end', zoneId: 'Europe/Berlin' } }],
  });
  const other = await workspace.organization();
  expect((await other.call('GET', `${url}/${id}`)).status).toBe(404);

  const workflows = workflowsOf(client, () => project);
  const run = await workflows.ran(id);
  expect(steps(run), JSON.stringify(run)).toEqual({
    step_1: 'succeeded',
    step_2: 'succeeded',
    step_3: 'succeeded',
  });
  expect(mail.mails).toHaveLength(1);
  expect(JSON.parse(slack.received[0]!.body.toString()).text).toContain('It is there.');

  await reconcileSchedules(workspace);
  const { rows } = await workspace.deps.lake.catalogPool.query(
    'SELECT id FROM schedules WHERE workflow_id = $1',
    [id],
  );
  const { status } = await eventually(
    () => workspace.temporal.workflow.getHandle(`schedule/${rows[0].id}`).describe(),
    (described) => described.status.name === 'RUNNING',
  );
  expect(status.name).toBe('RUNNING');
});

test('it is paused, resumed and archived as any other', async () => {
  const id = await importedAs('paused', { status: 'paused' });
  expect((await shown(id)).status).toBe('paused');
  for (const [action, status] of [
    ['resume', 'active'],
    ['pause', 'paused'],
    ['archive', 'archived'],
  ]) {
    const answer = await client.call('POST', `${url}/${id}/${action}`);
    expect([answer.status, answer.body.data.status], action).toEqual([200, status]);
  }
});

test('its cadence is replaced by one that can be written; its steps stay', async () => {
  const id = await importedAs('replaced');
  const before = await shown(id);
  const put = (body: object) => client.call('PUT', `${url}/${id}`, { body });
  const [trigger] = before.triggers;
  const read = { title: before.title, graph: before.graph, triggers: before.triggers };
  expect((await put(read)).status, 'a cadence that is read only').toBe(422);
  const triggers = [{ id: trigger.id, type: 'schedule', schedule: daily }];
  const refused = await put({
    title: 'Graph',
    triggers,
    graph: graphOf([node('a', 'query', { sql: 'SELECT 1' })]),
  });
  expect([refused.status, refused.body.code]).toEqual([400, 'unsupported_option']);
  const replaced = await put({ title: 'Daily', triggers, graph: null });
  expect(replaced.status, replaced.text).toBe(200);
  expect(replaced.body.data).toMatchObject({ title: 'Daily', graph: null, steps: before.steps });
  const active = await client.call('POST', `${url}/${id}/activation`, {
    body: { expected_revision: replaced.body.data.revision },
  });
  expect(active.status, active.text).toBe(200);
  const { rows } = await workspace.deps.lake.catalogPool.query(
    `SELECT cadence->>'type' AS type FROM schedules WHERE workflow_id = $1 AND status = 'active'`,
    [id],
  );
  expect(rows).toEqual([{ type: 'daily' }]);
  const made = await client.call('POST', url, {
    body: { project_id: project, title: 'Graph', graph: graphOf([]) },
  });
  const without = await client.call('PUT', `${url}/${made.body.data.id}`, { body: { title: 'Graph' } });
  expect([without.status, without.body.detail[0].loc]).toEqual([422, ['body', 'graph']]);
});

test('with a fault in any line nothing comes in, and each is told', async () => {
  const [chat, book, email] = written();
  const { code, text } = await importLegacy(workspace, [
    record('good'),
    record('cadence', { schedule: { type: 'cron', cronExpression: 'daily' } }),
    record('project', { projectId: 'prj_x' }),
    record('playbook', { steps: [{ ...book, targetFileId: 'pbk_x' }] }),
    record('address', { steps: [book, { ...email, targets: [{ kind: 'email', email: 'nobody' }] }] }),
    record('twice', { steps: [book, { ...chat, position: 10 }] }),
    { kind: 'report' },
  ]);
  expect(code).toBe(1);
  for (const said of [
    'Line 2: schedule.cronExpression',
    'Line 3: projectId: The organization has no such project',
    'Line 4: steps.0.config.playbook_id',
    'Line 5: steps.1.config.to.0',
    'Line 6: steps: Two steps have the same position.',
    'Line 7: kind: must be one of playbook, workflow.',
    'Nothing was imported.',
  ])
    expect(text).toContain(said);
  const { items } = (await client.call('GET', `${url}?limit=200`)).body;
  expect(items.map(({ title }: { title: string }) => title)).not.toContain('Steps good');
});

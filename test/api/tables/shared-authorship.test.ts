import { beforeAll, expect, test } from 'vitest';
import { expiredMakerSteps } from '../../../domain/automation/workflows/expired-makers.ts';
import { talkIn } from '../../support/conversations.ts';
import { eventually } from '../../support/eventually.ts';
import { personOf } from '../../support/people.ts';
import { reconcile } from '../../support/reconcile.ts';
import { madeSchedule, reconcileSchedules, writtenPlaybook } from '../../support/schedules.ts';
import { useWorker } from '../../support/worker.ts';
import { type TestClient, useOwnWorkspace } from '../../support/workspace.ts';

const workspace = useOwnWorkspace();
useWorker(workspace);

const secret = 424_242;
const question = 'total amount of orders';

let client: TestClient;
let projectId: string;
let tableId: string;

beforeAll(async () => {
  client = await workspace.organization();
  projectId = (await client.call('POST', '/v1/projects', { body: { name: 'Sales' } })).body.data.id;
  const made = await client.call('POST', '/v1/grid/tables', {
    body: { name: 'orders', kind: 'data', columns: [{ name: 'amount', data_type: 'INTEGER' }] },
  });
  tableId = made.body.data.tableId;
  await client.call('POST', `/v1/tables/${tableId}/rows`, { body: { rows: [{ s_id: 1, amount: secret }] } });
  await client.call('POST', `/v1/projects/${projectId}/catalog-entries`, { body: { table_id: tableId } });
  await client.call('PUT', `/v1/tables/${tableId}/grants`, { body: { grants: [] } });
});

async function as(role: 'admin' | 'member'): Promise<TestClient & { id: string }> {
  const { id, call } = await personOf(workspace, client, role);
  return { ...client, id, call };
}

/** The reports that a fire of the schedule made, as text. */
async function fired(by: TestClient, scheduleId: string): Promise<string> {
  const triggered = await by.call('POST', `/v1/schedules/${scheduleId}/trigger`);
  expect(triggered.status, triggered.text).toBe(202);
  await eventually(
    async () => {
      await reconcileSchedules(workspace);
      return (await by.call('GET', `/v1/schedules/${scheduleId}/runs`)).body.items;
    },
    ([newest]) => newest !== undefined && newest.status !== 'running',
  );
  const { items } = (await by.call('GET', `/v1/projects/${projectId}/reports`)).body;
  const texts = await Promise.all(
    items.map(async ({ id }: { id: string }) =>
      by.call('GET', `/v1/projects/${projectId}/reports/${id}/content?format=raw`),
    ),
  );
  return texts.map(({ text }) => text).join('\n');
}

test('a schedule has the rights of its maker only as long as nobody else has written its playbook', async () => {
  const [admin, member] = [await as('admin'), await as('member')];
  const playbook = await writtenPlaybook(admin, projectId, { instructions: '# Weekly\n\n- what can you do' });
  const schedule = await madeSchedule(admin, projectId, playbook);
  const path = `/v1/projects/${projectId}/playbooks/${playbook}`;
  const { revision } = (await member.call('GET', path)).body.data;
  const body = { instructions: `# Mine\n\n- ${question}`, expected_revision: revision };
  expect((await member.call('PATCH', path, { body })).status).toBe(200);
  expect(await fired(member, schedule.id)).not.toContain(String(secret));
  const own = { instructions: `# Ours\n\n- ${question}`, expected_revision: revision + 1 };
  expect((await admin.call('PATCH', path, { body: own })).status).toBe(200);
  expect(await fired(admin, schedule.id)).toContain(String(secret));
});

test.each<[string, (clientId: string) => Promise<unknown>]>([
  ['was revoked', (id) => client.call('DELETE', `/v1/auth/m2m/clients/${id}`)],
  [
    'has expired',
    async (id) => {
      const expired = `UPDATE api_clients SET expires_at = now() - interval '1 second' WHERE id = $1`;
      await workspace.deps.lake.catalogPool.query(expired, [id]);
      await reconcile(workspace, expiredMakerSteps(workspace.deps));
    },
  ],
])('what runs as a client that %s is paused, and reads nothing', async (_, end) => {
  const issued = await personOf(workspace, client, 'owner');
  const body = { name: 'Bot', scopes: ['agent:read', 'agent:write'], admin: true };
  const bot = (await issued.call('POST', '/v1/auth/m2m/clients', { body })).body.data;
  const exchanged = await workspace.call('POST', '/v1/auth/m2m/token', {
    raw: {
      text: new URLSearchParams({ client_id: bot.clientId, client_secret: bot.clientSecret }).toString(),
      contentType: 'application/x-www-form-urlencoded',
    },
  });
  const headers = { authorization: `Bearer ${exchanged.body.access_token}` };
  const asBot: TestClient = {
    ...client,
    call: (method, url, given) => workspace.call(method, url, { ...given, headers }),
  };
  const playbook = await writtenPlaybook(asBot, projectId, { instructions: `# Bot\n\n- ${question}` });
  const { id } = await madeSchedule(asBot, projectId, playbook);
  const graph = { nodes: [{ id: 'wait', type: 'wait', config: { seconds: 1 } }], edges: [] };
  const draft = { project_id: projectId, title: 'Of a bot', graph };
  const made = await asBot.call('POST', '/v1/workflows', { body: draft });
  expect(made.status, made.text).toBe(201);
  await end(bot.clientId);
  const gone = await client.call('GET', '/v1/workflows?owner=gone');
  expect(gone.body.items.map((each: { id: string }) => each.id)).toContain(made.body.data.id);
  const taken = await client.call('POST', `/v1/workflows/${made.body.data.id}/take-over`);
  expect(taken.status, taken.text).toBe(200);
  const shown = (await client.call('GET', `/v1/schedules/${id}`)).body.data;
  expect(shown).toMatchObject({ status: 'paused', pauseReason: 'maker_removed' });
  expect((await client.call('POST', `/v1/schedules/${id}/resume`)).body.code).toBe('conflict');
  expect((await client.call('POST', `/v1/schedules/${id}/take-over`)).status).toBe(200);
});

test('what was read from a table stays hidden when the table is deleted, and failed statements are their caller’s', async () => {
  const [insider, outsider] = [await as('member'), await as('member')];
  const made = await client.call('POST', '/v1/grid/tables', {
    body: { name: 'salaries', kind: 'data', columns: [{ name: 'pay', data_type: 'STRING' }] },
  });
  const { tableId: id } = made.body.data;
  await client.call('POST', `/v1/tables/${id}/rows`, { body: { rows: [{ s_id: 1, pay: 'Ada earns 9' }] } });
  const grants = [{ principal: 'user', id: insider.id, access: 'read' }];
  await client.call('PUT', `/v1/tables/${id}/grants`, { body: { grants } });
  const query = (sql: string) => insider.call('POST', '/v1/query-executions', { body: { sql } });
  const right = await query('SELECT pay FROM salaries');
  const wrong = await query('SELECT CAST(pay AS INTEGER) FROM salaries');
  expect([right.status, wrong.status]).toEqual([200, 400]);
  const statusOf = async (by: TestClient) =>
    (await by.call('GET', `/v1/query-executions/${right.body.data.id}`)).status;
  const history = async (by: TestClient) => (await by.call('GET', '/v1/query-executions')).text;
  expect(await history(outsider)).not.toContain('salaries');
  expect(await history(insider)).toContain('CAST(pay');
  expect((await client.call('DELETE', `/v1/tables/${id}?confirm=true`)).status).toBe(200);
  expect([await statusOf(outsider), await statusOf(insider)]).toEqual([404, 200]);
});

test('the analyst’s tools give nothing of a stored result that the asker may not read', async () => {
  const member = await as('member');
  const talk = await talkIn(client, projectId);
  const reply = await talk.ask(question);
  expect(JSON.stringify(reply)).toContain(String(secret));
  const result = reply.parts.find(({ resultId }: { resultId?: string }) => resultId)?.resultId;
  expect((await member.call('GET', `${talk.url}/results/${result}`)).status).toBe(404);
  const posted = await member.call('POST', `${talk.url}/messages`, {
    body: { message: `draw a chart of ${question}` },
  });
  const answer = await talk.ended(posted.body.data.messageId);
  expect(JSON.stringify(answer.parts)).not.toContain(String(secret));
});

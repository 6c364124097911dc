import { beforeAll, expect, test } from 'vitest';
import { browserOf } from '../support/browser.ts';
import { expectEventually } from '../support/eventually.ts';
import { personOf } from '../support/people.ts';
import { type TestClient, useWorkspace } from '../support/workspace.ts';

const workspace = useWorkspace();
const password = 'correct horse battery';

let client: TestClient;

beforeAll(async () => {
  client = await workspace.organization();
});

interface Event {
  action: string;
  outcome: string;
  actor: { type: string; id: string; name: string };
  resource: { type: string; id: string; name: string };
  processId: string | null;
}

async function events(query = '', by: Pick<TestClient, 'call'> = client): Promise<Event[]> {
  const answer = await by.call('GET', `/v1/audit-events${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.items;
}

test('an event says who did what to what, from where', async () => {
  const ada = await personOf(workspace, client, 'admin');
  const made = await ada.call('POST', '/v1/projects', { body: { name: 'Sales' } });
  const [event] = await events(`?actor_id=${ada.id}`);
  expect(event).toEqual({
    id: expect.stringMatching(/^aud_/),
    at: expect.any(String),
    actor: { type: 'user', id: ada.id, name: 'admin' },
    action: 'project.created',
    resource: { type: 'project', id: made.body.data.id, name: 'Sales' },
    outcome: 'done',
    address: '127.0.0.1',
    requestId: made.headers['x-request-id'],
    processId: null,
    detail: null,
  });
});

test('what a request makes is named, also where neither its answer nor its path begins with it', async () => {
  const ada = await personOf(workspace, client, 'admin');
  const view = await ada.call('POST', '/v1/views', { body: { name: 'named', query: 'SELECT 1 AS a' } });
  const body = { name: 'calculated', kind: 'calc', query: 'SELECT 1 AS a' };
  const table = await ada.call('POST', '/v1/grid/tables', { body });
  expect(await events(`?actor_id=${ada.id}`)).toMatchObject([
    { action: 'table.created', resource: { id: table.body.data.tableId, name: 'calculated' } },
    { action: 'view.created', resource: { id: view.body.data.id, name: 'named' } },
  ]);
});

test('events are filtered and paged', async () => {
  const ada = await personOf(workspace, client, 'admin');
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c'])
    ids.unshift((await ada.call('POST', '/v1/projects', { body: { name } })).body.data.id);
  const first = await ada.call('GET', `/v1/audit-events?actor_id=${ada.id}&limit=2`);
  const second = await ada.call('GET', `/v1/audit-events?actor_id=${ada.id}&cursor=${first.body.nextCursor}`);
  const found = [...first.body.items, ...second.body.items].map((event: Event) => event.resource.id);
  expect(found).toEqual(ids);
  await ada.call('DELETE', `/v1/projects/${ids[0]}`);
  const of = await events(`?resource_id=${ids[0]}`);
  expect(of.map(({ action }) => action)).toEqual(['project.archived', 'project.created']);
  expect(await events(`?actor_id=${ada.id}&action=project.archived`)).toHaveLength(1);
  const future = encodeURIComponent(new Date(Date.now() + 3_600_000).toISOString());
  expect(await events(`?from=${future}`)).toEqual([]);
  expect(await events(`?actor_id=${ada.id}&to=${future}`)).toHaveLength(4);
  expect((await client.call('GET', '/v1/audit-events?from=yesterday')).status).toBe(422);
});

test('refusals are recorded, changes that change nothing are not, and only administrators read', async () => {
  const member = await personOf(workspace, client, 'member', ['agent:read']);
  expect((await member.call('POST', '/v1/projects', { body: { name: 'x' } })).status).toBe(403);
  expect((await member.call('GET', '/v1/audit-events')).body.code).toBe('admin_required');
  await member.call('GET', '/v1/projects/prj_01kahz3v6dfyvb1s8m3h9q2w4x');
  const seen = await events(`?actor_id=${member.id}`);
  expect(seen.map(({ action, outcome }) => [action, outcome])).toEqual([
    ['audit_events.read', 'refused'],
    ['project.created', 'refused'],
  ]);
  const other = await workspace.organization();
  expect(await events(`?actor_id=${member.id}`, other)).toEqual([]);
});

test('what is repeated under its key, or refused as wrong, is not recorded again', async () => {
  const ada = await personOf(workspace, client, 'admin');
  const headers = { 'idempotency-key': 'once' };
  for (let time = 0; time < 2; time += 1)
    await ada.call('POST', '/v1/projects', { body: { name: 'Once' }, headers });
  await ada.call('POST', '/v1/projects', { body: { name: '' } });
  expect(await events(`?actor_id=${ada.id}`)).toHaveLength(1);
});

test('a change and its event are one commit', async () => {
  const ada = await personOf(workspace, client, 'admin');
  const reader = await personOf(workspace, client, 'member', ['agent:read']);
  const run = (statement: string) => workspace.deps.lake.catalogPool.query(statement);
  await run('ALTER TABLE audit_events RENAME TO audit_events_away');
  const failed = await ada.call('POST', '/v1/projects', { body: { name: 'Unrecorded' } });
  // Spelled so, it is not looked up whether the answer was recorded.
  const headers = { Authorization: `Bearer ${reader.token}` };
  const refused = await workspace.call('POST', '/v1/projects', { body: { name: 'x' }, headers });
  await run('ALTER TABLE audit_events_away RENAME TO audit_events');
  expect(failed.status).toBe(500);
  expect([refused.status, refused.body.code, refused.body.request_id]).toEqual([
    403,
    'missing_scope',
    refused.headers['x-request-id'],
  ]);
  const { items } = (await ada.call('GET', '/v1/projects')).body;
  expect(items.map(({ name }: { name: string }) => name)).not.toContain('Unrecorded');
});

test('the service can neither change nor remove events', async () => {
  for (const statement of [
    'UPDATE audit_events SET action = action',
    'DELETE FROM audit_events',
    'TRUNCATE audit_events',
  ]) {
    const tried = workspace.deps.lake.catalogPool.query(`SET ROLE workspace_service; ${statement}`);
    await expect(tried, statement).rejects.toThrow(/permission denied/);
    await workspace.deps.lake.catalogPool.query('RESET ROLE');
  }
});

test('appends in one commit have an event each', async () => {
  const made = await client.call('POST', '/v1/grid/tables', {
    body: { name: 'heard', kind: 'data', columns: [{ name: 'a' }] },
  });
  const { tableId } = made.body.data;
  await Promise.all(
    Array.from({ length: 10 }, (_, id) =>
      client.call('POST', `/v1/tables/${tableId}/rows`, { body: { rows: [{ s_id: id, a: 1 }] } }),
    ),
  );
  const appended = await events(`?resource_id=${tableId}&action=rows.appended`);
  expect(appended).toHaveLength(10);
});

test('a write to the lake that is answered as a failure is recorded as uncertain', async () => {
  const made = await client.call('POST', '/v1/grid/tables', {
    body: { name: 'doubted', kind: 'data', columns: [{ name: 'a' }] },
  });
  const { tableId } = made.body.data;
  const run = (statement: string) => workspace.deps.lake.catalogPool.query(statement);
  await run(`
    CREATE FUNCTION refuse_done() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''full''; END';
    CREATE TRIGGER refuse_done BEFORE INSERT ON audit_events FOR EACH ROW
      WHEN (NEW.action = 'rows.appended' AND NEW.outcome = 'done') EXECUTE FUNCTION refuse_done()`);
  const failed = await client.call('POST', `/v1/tables/${tableId}/rows`, { body: { rows: [{ s_id: 1 }] } });
  await run('DROP TRIGGER refuse_done ON audit_events');
  expect(failed.status).toBe(500);
  expect((await client.call('GET', `/v1/tables/${tableId}/rows`)).body.items).toHaveLength(1);
  const seen = await events(`?resource_id=${tableId}&action=rows.appended`);
  expect(seen).toMatchObject([{ outcome: 'refused', detail: { status: 500, uncertain: true } }]);
});

test('of grants, roles and new passwords the event tells whose, and what they became', async () => {
  const ada = await personOf(workspace, client, 'member');
  const table = await client.call('POST', '/v1/grid/tables', {
    body: { name: 'granted', kind: 'data', columns: [{ name: 'a' }] },
  });
  const { tableId } = table.body.data;
  const grants = [{ principal: 'user', id: ada.id, access: 'read' }];
  await client.call('PUT', `/v1/tables/${tableId}/grants`, { body: { grants } });
  expect(await events(`?resource_id=${tableId}&action=table.grants_replaced`)).toMatchObject([
    { resource: { id: tableId, name: 'granted' }, detail: { grants, total: 1 } },
  ]);
  await client.call('PATCH', `/v1/members/${ada.id}`, { body: { role: 'admin' } });
  await client.call('POST', `/v1/members/${ada.id}/password-reset`);
  expect(await events(`?resource_id=${ada.id}`)).toMatchObject([
    { action: 'member.password_reset_issued', resource: { id: ada.id, name: 'member' } },
    { action: 'member.role_changed', detail: { from: 'member', to: 'admin' } },
  ]);
});

test('the process that a request started is named', async () => {
  const project = (await client.call('POST', '/v1/projects', { body: { name: 'P' } })).body.data.id;
  const file = await client.call('PUT', `/v1/projects/${project}/files/content?path=a.csv`, {
    body: { content: 'a\n1\n' },
  });
  const body = { table_name: 'imported', mode: 'create' };
  const made = await client.call('POST', `/v1/projects/${project}/files/${file.body.data.id}/imports`, {
    body,
  });
  const [event] = await events(`?resource_id=${made.body.data.id}`);
  expect(event).toMatchObject({ action: 'import.created', processId: `table-import/${made.body.data.id}` });
});

test('sign-ins of people and clients are recorded, refused ones of known accounts too', async () => {
  const other = await workspace.organization();
  const browser = browserOf(workspace);
  const url = `/owner/${other.ownerToken}`;
  await browser.open(url);
  await browser.post(url, { name: 'Ada', email: 'ada@example.com', password });
  await browser.open('/sign-in');
  await browser.post('/sign-out');
  for (const given of ['wrong password', password]) {
    await browser.open('/sign-in');
    await browser.post('/sign-in', { email: 'ada@example.com', password: given });
  }
  const { clientId } = other;
  const text = new URLSearchParams({ client_id: clientId, client_secret: 'wrong' }).toString();
  const contentType = 'application/x-www-form-urlencoded';
  await workspace.call('POST', '/v1/auth/m2m/token', { raw: { text, contentType } });
  const seen = async () =>
    (await events('', other))
      .map(({ action, outcome, actor }) => `${action} ${outcome} ${actor.name}`)
      .sort();
  await expectEventually(seen).toEqual([
    'account.opened done Ada',
    'client.signed_in done First client',
    'client.signed_in refused First client',
    'session.begun done Ada',
    'session.begun refused Ada',
    'session.ended done Ada',
  ]);
});

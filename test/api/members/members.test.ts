import { beforeAll, expect, test } from 'vitest';
import { browserOf } from '../../support/browser.ts';
import { expectEventually } from '../../support/eventually.ts';
import { openAccounts, personOf } from '../../support/people.ts';
import { madeSchedule, writtenPlaybook } from '../../support/schedules.ts';
import { graphOf, node, workflowsOf } from '../../support/workflows.ts';
import { type TestClient, useOwnWorkspace } from '../../support/workspace.ts';

const workspace = useOwnWorkspace();
const password = 'correct horse battery';

let client: TestClient;

beforeAll(async () => {
  client = await workspace.organization();
});

const pathOf = (url: string) => new URL(url).pathname;
const invite = (by: Pick<TestClient, 'call'>, email: string, role = 'member') =>
  by.call('POST', '/v1/invitations', { body: { email, role } });

async function join(url: string, name = 'Grace') {
  const browser = browserOf(workspace);
  const page = await browser.open(pathOf(url));
  expect(page.status, page.text).toBe(200);
  return { browser, answer: await browser.post(pathOf(url), { name, password }) };
}

async function signIn(email: string, given = password) {
  const browser = browserOf(workspace);
  await browser.open('/sign-in');
  return { browser, answer: await browser.post('/sign-in', { email, password: given }) };
}

test('an administrator invites somebody, who joins by the address once', async () => {
  const sent = await invite(client, 'grace@example.com');
  expect([sent.status, sent.headers['cache-control']]).toEqual([201, 'no-store']);
  expect(sent.body.data).toEqual({
    id: expect.stringMatching(/^inv_/),
    email: 'grace@example.com',
    role: 'member',
    url: expect.stringMatching(/\/invitations\/wal_[\w-]{43}$/),
    createdAt: expect.any(String),
    expiresAt: expect.any(String),
  });
  const { url, ...shown } = sent.body.data;
  expect((await client.call('GET', '/v1/invitations')).body.items).toEqual([shown]);
  const { browser, answer } = await join(url);
  expect([answer.status, answer.location]).toEqual([303, '/sign-in']);
  expect((await browser.open('/sign-in')).text).toContain('Grace (grace@example.com)');
  expect((await browserOf(workspace).open(pathOf(url))).status).toBe(404);
  expect((await client.call('GET', '/v1/invitations')).body.items).toEqual([]);
  const { items } = (await client.call('GET', '/v1/members')).body;
  expect(items[0]).toEqual({
    id: expect.stringMatching(/^usr_/),
    email: 'grace@example.com',
    name: 'Grace',
    role: 'member',
    createdAt: expect.any(String),
    lastSeenAt: expect.any(String),
  });
  expect((await invite(client, 'GRACE@example.com')).body.code).toBe('name_taken');
});

test('an invitation ends when it is deleted, replaced or expired, and only pages of its kind open it', async () => {
  const first = (await invite(client, 'joan@example.com')).body.data;
  const second = (await invite(client, 'Joan@example.com', 'admin')).body.data;
  const open = (url: string) => browserOf(workspace).open(pathOf(url));
  expect((await open(first.url)).status).toBe(404);
  expect((await open(second.url.replace('/invitations/', '/password/'))).status).toBe(404);
  expect((await open(second.url)).status).toBe(200);
  expect((await client.call('DELETE', `/v1/invitations/${second.id}`)).body.data.id).toBe(second.id);
  expect((await open(second.url)).status).toBe(404);
  expect((await client.call('DELETE', `/v1/invitations/${second.id}`)).status).toBe(404);
  const third = (await invite(client, 'joan@example.com')).body.data;
  await workspace.deps.lake.catalogPool.query(
    "UPDATE account_links SET expires_at = now() - interval '1 second' WHERE id = $1",
    [third.id],
  );
  expect((await open(third.url)).status).toBe(404);
  expect((await client.call('DELETE', `/v1/invitations/${third.id}`)).status).toBe(404);
  for (const body of [
    { email: 'nobody', role: 'member' },
    { email: 'a@example.com', role: 'owner' },
  ])
    expect((await client.call('POST', '/v1/invitations', { body })).status).toBe(422);
});

test('an organization has at most 500 open invitations, and other addresses beside them', async () => {
  const own = await workspace.organization();
  expect((await invite(own, 'first@example.com')).status).toBe(201);
  // Copies of the first, as if they had been sent one by one.
  await workspace.deps.lake.catalogPool.query(
    `INSERT INTO account_links (organization_id, id, kind, token_hash, email, role, expires_at)
     SELECT organization_id, id || n, kind, token_hash || decode(md5(n::text), 'hex'), n || email, role, expires_at
     FROM account_links, generate_series(2, 500) AS n WHERE organization_id = $1 AND kind = 'invitation'`,
    [own.organizationId],
  );
  const refused = await invite(own, 'one.more@example.com');
  expect(refused.body).toMatchObject({ code: 'limit_reached', limit: 500, current: 500 });
  expect(refused.body.detail).toContain('500 open invitations');
  // The same address again replaces its own.
  expect((await invite(own, 'first@example.com')).status).toBe(201);
  const { id } = await personOf(workspace, own, 'member');
  expect((await own.call('POST', `/v1/members/${id}/password-reset`)).status).toBe(200);
});

test('members are seen by all, changed by administrators, and owners only by owners', async () => {
  const other = await workspace.organization();
  const [owner, admin, member] = [
    await personOf(workspace, other, 'owner'),
    await personOf(workspace, other, 'admin'),
    await personOf(workspace, other, 'member'),
  ];
  const change = (by: typeof owner, id: string, role: string) =>
    by.call('PATCH', `/v1/members/${id}`, { body: { role } });
  expect((await member.call('GET', '/v1/members')).body.items).toHaveLength(4);
  expect((await member.call('GET', '/v1/invitations')).body.code).toBe('admin_required');
  expect((await change(member, member.id, 'admin')).body.code).toBe('admin_required');
  expect((await change(admin, member.id, 'owner')).body.code).toBe('admin_required');
  expect((await change(admin, owner.id, 'member')).body.code).toBe('admin_required');
  expect((await admin.call('DELETE', `/v1/members/${owner.id}`)).body.code).toBe('admin_required');
  expect((await admin.call('POST', `/v1/members/${owner.id}/password-reset`)).body.code).toBe(
    'admin_required',
  );
  expect((await change(admin, member.id, 'admin')).body.data.role).toBe('admin');
  const seen = async () => (await member.call('GET', '/v1/me')).body.data;
  await expectEventually(seen).toMatchObject({ role: 'admin', admin: true });
  expect((await client.call('PATCH', `/v1/members/${member.id}`, { body: { role: 'member' } })).status).toBe(
    404,
  );
  for (const refused of [
    await change(owner, owner.id, 'member'),
    await owner.call('DELETE', `/v1/members/${owner.id}`),
  ])
    expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
});

test('of two owners who step down at once one stays', async () => {
  const other = await workspace.organization();
  const owners = [await personOf(workspace, other, 'owner'), await personOf(workspace, other, 'owner')];
  await openAccounts(workspace, owners);
  const answers = await Promise.all(
    owners.map(({ id, call }) => call('PATCH', `/v1/members/${id}`, { body: { role: 'member' } })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
});

test('a removed member is out everywhere, and what ran as them is paused until it is taken over', async () => {
  const owner = await personOf(workspace, client, 'owner');
  const leaver = await personOf(workspace, client, 'member');
  const asLeaver = { ...client, call: leaver.call };
  const project = (await leaver.call('POST', '/v1/projects', { body: { name: 'Leaving' } })).body.data;
  const schedule = await madeSchedule(asLeaver, project.id, await writtenPlaybook(asLeaver, project.id), {
    description: 'Every morning',
  });
  const graph = graphOf([node('q', 'query', { sql: 'SELECT 1 AS one' })]);
  const workflow = await workflowsOf(asLeaver, () => project.id).active(graph);
  expect((await owner.call('POST', `/v1/workflows/${workflow.id}/take-over`)).body.code).toBe('conflict');
  expect((await owner.call('POST', `/v1/schedules/${schedule.id}/take-over`)).body.code).toBe('conflict');

  const removed = await owner.call('DELETE', `/v1/members/${leaver.id}`);
  expect(removed.status, removed.text).toBe(200);
  expect(removed.body.data.paused).toEqual([
    { type: 'workflow', id: workflow.id, name: expect.any(String) },
    { type: 'schedule', id: schedule.id, name: 'Every morning' },
  ]);
  await expectEventually(async () => (await leaver.call('GET', '/v1/me')).body.code).toBe('invalid_token');
  expect((await owner.call('GET', `/v1/members/${leaver.id}`)).status).toBe(405);
  expect((await owner.call('DELETE', `/v1/members/${leaver.id}`)).status).toBe(404);

  const path = `/v1/schedules/${schedule.id}`;
  const shown = await owner.call('GET', path);
  expect(shown.body.data).toMatchObject({ status: 'paused', pauseReason: 'maker_removed' });
  expect((await owner.call('POST', `${path}/resume`)).body.code).toBe('conflict');
  const member = await personOf(workspace, client, 'member');
  expect((await member.call('POST', `${path}/take-over`)).body.code).toBe('admin_required');
  const { data } = (await owner.call('POST', `${path}/take-over`)).body;
  expect(data).toMatchObject({ status: 'paused', createdByUserId: owner.id });
  expect(data).not.toHaveProperty('pauseReason');
  expect((await owner.call('POST', `${path}/resume`)).body.data.status).toBe('active');
  const orphans = '/v1/workflows?owner=gone';
  expect((await member.call('GET', orphans)).body.code).toBe('admin_required');
  const ids = async (url: string) =>
    (await owner.call('GET', url)).body.items.map(({ id }: { id: string }) => id);
  expect([await ids(orphans), await ids('/v1/workflows')]).toEqual([[workflow.id], []]);
  expect(await ids(`${orphans}&status=draft`)).toEqual([]);
  const taken = await owner.call('POST', `/v1/workflows/${workflow.id}/take-over`);
  expect([await ids(orphans), await ids('/v1/workflows')]).toEqual([[], [workflow.id]]);
  expect(taken.body.data).toMatchObject({ status: 'paused', ownerUserId: owner.id });
  const resumed = await owner.call('POST', `/v1/workflows/${workflow.id}/resume`);
  expect(resumed.body.data.status).toBe('active');
  expect((await invite(owner, leaver.email)).status).toBe(201);
});

test('a new password by an administrator’s address ends every session before it', async () => {
  const { url } = (await invite(client, 'mary@example.com')).body.data;
  const { browser: before } = await join(url, 'Mary');
  const { items } = (await client.call('GET', '/v1/members')).body;
  const mary = items.find((member: { email: string }) => member.email === 'mary@example.com');
  const reset = () => client.call('POST', `/v1/members/${mary.id}/password-reset`);
  const stale = await reset();
  const { status, headers, body } = await reset();
  expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
  expect((await browserOf(workspace).open(pathOf(stale.body.data.url))).status).toBe(404);
  expect((await signIn('mary@example.com')).answer.status).toBe(303);
  const browser = browserOf(workspace);
  const target = pathOf(body.data.url);
  const page = await browser.open(target);
  expect(page.text).toContain('mary@example.com');
  const short = await browser.post(target, { password: 'short' });
  expect([short.status, short.text.includes('at least 10 characters')]).toEqual([422, true]);
  const changed = await browser.post(target, { password: 'another good password' });
  expect([changed.status, changed.location]).toEqual([303, '/sign-in']);
  expect((await before.open('/device')).location).toBe('/sign-in?next=%2Fdevice');
  expect((await signIn('mary@example.com')).answer.status).toBe(401);
  expect((await signIn('mary@example.com', 'another good password')).answer.status).toBe(303);
});

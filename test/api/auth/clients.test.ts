import { beforeAll, expect, test } from 'vitest';
import { personOf } from '../../support/people.ts';
import { type TestClient, useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();
const url = '/v1/auth/m2m/clients';
const all = ['agent:read', 'agent:write', 'tables:append'];

let first: TestClient;

beforeAll(async () => {
  first = await workspace.organization();
});

const run = (statement: string, values: unknown[] = []) =>
  workspace.deps.lake.catalogPool.query(statement, values);

const person = (client: TestClient, role: 'owner' | 'admin' | 'member', scopes = all) =>
  personOf(workspace, client, role, scopes);

const exchange = (clientId: string, secret: string, scope = '') =>
  workspace.call('POST', '/v1/auth/m2m/token', {
    raw: {
      text: new URLSearchParams({ client_id: clientId, client_secret: secret, scope }).toString(),
      contentType: 'application/x-www-form-urlencoded',
    },
  });
const meOf = (token: string) =>
  workspace.call('GET', '/v1/me', { headers: { authorization: `Bearer ${token}` } });

const issue = (by: Pick<TestClient, 'call'>, body: object = {}) =>
  by.call('POST', url, { body: { name: 'nightly import', scopes: ['agent:read'], ...body } });

test('a client is issued with its secret, which is shown once, and works at once', async () => {
  const owner = await person(first, 'owner');
  const made = await owner.call('POST', url, { body: { name: ' nightly ', scopes: ['agent:read'] } });
  expect([made.status, made.headers['cache-control']]).toEqual([201, 'no-store']);
  const { clientSecret, ...shown } = made.body.data;
  expect(clientSecret).toMatch(/^wcs_[\w-]{43}$/);
  expect(made.headers['location']).toBe(`${url}/${shown.clientId}`);
  expect(shown).toEqual({
    clientId: expect.stringMatching(/^cli_/),
    name: 'nightly',
    scopes: ['agent:read'],
    admin: false,
    createdByUserId: owner.id,
    createdAt: expect.any(String),
    lastUsedAt: null,
    expiresAt: null,
    revokedAt: null,
  });
  const { body } = await exchange(shown.clientId, clientSecret);
  expect(body).toMatchObject({ expires_in: 3600, scope: 'agent:read' });
  expect((await meOf(body.access_token)).body.data).toMatchObject({
    id: shown.clientId,
    type: 'client',
    admin: false,
    scopes: ['agent:read'],
  });
  const again = await first.call('GET', `${url}/${shown.clientId}`);
  expect(again.body.data).toEqual({ ...shown, lastUsedAt: expect.any(String) });
  const { items } = (await first.call('GET', url)).body;
  expect(items[0]).toEqual(again.body.data);
  expect(items.at(-1)).toMatchObject({ clientId: first.clientId, createdByUserId: null });
  const { rows } = await run('SELECT c::text AS row FROM api_clients c WHERE id = $1', [shown.clientId]);
  expect(rows[0].row).not.toContain(clientSecret);
});

test('clients are for administrators, of their own organization', async () => {
  const { clientId } = (await issue(first)).body.data;
  const other = await workspace.organization('Other');
  for (const path of [`${url}/${clientId}`, `${url}/cli_nothing`])
    expect((await other.call('GET', path)).status).toBe(404);
  expect((await other.call('DELETE', `${url}/${clientId}`)).status).toBe(404);
  expect((await other.call('POST', `${url}/${clientId}/secret`)).status).toBe(404);
  const { items } = (await other.call('GET', url)).body;
  expect(items.map((one: { clientId: string }) => one.clientId)).toEqual([other.clientId]);
  const member = await person(first, 'member');
  for (const answer of [
    await member.call('GET', url),
    await issue(member),
    await member.call('DELETE', `${url}/${clientId}`),
    await member.call('POST', `${url}/${clientId}/secret`),
  ])
    expect([answer.status, answer.body.code]).toEqual([403, 'admin_required']);
});

test('nobody grants more than they have', async () => {
  const admin = await person(first, 'admin', ['agent:read', 'agent:write']);
  const more = await issue(admin, { scopes: ['agent:read', 'tables:append'] });
  expect([more.status, more.body.missing_scope]).toEqual([403, 'tables:append']);
  expect((await issue(admin)).status).toBe(201);
  // An administrator of the organization is not its owner, and a client never is.
  for (const by of [admin, first]) {
    const refused = await issue(by, { admin: true });
    expect([refused.status, refused.body.code]).toEqual([403, 'admin_required']);
  }
  const owner = await person(first, 'owner');
  const { clientId, clientSecret, admin: isAdmin } = (await issue(owner, { admin: true })).body.data;
  expect(isAdmin).toBe(true);
  // A new secret of an admin client would give its caller an owner's rights.
  const stolen = await admin.call('POST', `${url}/${clientId}/secret`);
  expect([stolen.status, stolen.body.code]).toEqual([403, 'admin_required']);
  const appending = (await issue(owner, { scopes: ['tables:append'] })).body.data;
  const wider = await admin.call('POST', `${url}/${appending.clientId}/secret`);
  expect([wider.status, wider.body.missing_scope]).toEqual([403, 'tables:append']);
  expect((await exchange(clientId, clientSecret)).status).toBe(200);
});

test.each([
  [{ name: '' }, ['body', 'name']],
  [{ scopes: [] }, ['body', 'scopes']],
  [{ scopes: ['agent:read', 'agent:read'] }, ['body', 'scopes']],
  [{ scopes: ['agent:all'] }, ['body', 'scopes', 0]],
  [{ expires_at: '2020-01-01T00:00:00Z' }, ['body', 'expires_at']],
  [{ expires_at: 'tomorrow' }, ['body', 'expires_at']],
  [{ secret: 'mine' }, ['body', 'secret']],
])('%j is refused at its place', async (body, loc) => {
  const answer = await issue(first, body);
  expect([answer.status, answer.body.detail[0].loc]).toEqual([422, loc]);
});

test('a revoked client is refused, its tokens end, and it stays listed', async () => {
  const { clientId, clientSecret } = (await issue(first)).body.data;
  const { access_token: token } = (await exchange(clientId, clientSecret)).body;
  expect((await meOf(token)).status).toBe(200);
  const revoked = await first.call('DELETE', `${url}/${clientId}`);
  expect(revoked.body.data.revokedAt).toEqual(expect.any(String));
  expect((await first.call('DELETE', `${url}/${clientId}`)).body).toEqual(revoked.body);
  const after = await exchange(clientId, clientSecret);
  expect([after.status, after.body.error]).toEqual([401, 'invalid_client']);
  expect((await meOf(token)).body.code).toBe('invalid_token');
  const secret = await first.call('POST', `${url}/${clientId}/secret`);
  expect([secret.status, secret.body.code]).toEqual([409, 'conflict']);
  expect((await first.call('GET', `${url}/${clientId}`)).body.data).toEqual(revoked.body.data);
});

test('a new secret replaces the one before at once, or after an overlap', async () => {
  const { clientId, clientSecret: one } = (await issue(first)).body.data;
  const rotate = async (body: object = {}) =>
    (await first.call('POST', `${url}/${clientId}/secret`, { body })).body.data.clientSecret as string;
  const statuses = async (...secrets: string[]) =>
    Promise.all(secrets.map(async (secret) => (await exchange(clientId, secret)).status));
  const two = await rotate();
  expect(await statuses(one, two)).toEqual([401, 200]);
  const three = await rotate({ overlap_seconds: 600 });
  expect(await statuses(one, two, three)).toEqual([401, 200, 200]);
  await run("UPDATE api_clients SET previous_until = now() - interval '1 second' WHERE id = $1", [clientId]);
  expect(await statuses(two, three)).toEqual([401, 200]);
  // A third rotation ends the overlap of the second.
  const four = await rotate({ overlap_seconds: 600 });
  const five = await rotate({ overlap_seconds: 600 });
  expect(await statuses(three, four, five)).toEqual([401, 200, 200]);
  const long = await first.call('POST', `${url}/${clientId}/secret`, { body: { overlap_seconds: 86_401 } });
  expect(long.body.detail[0].loc).toEqual(['body', 'overlap_seconds']);
});

test('a client and its tokens end when it expires', async () => {
  const soon = new Date(Date.now() + 600_000).toISOString();
  const { clientId, clientSecret, expiresAt } = (await issue(first, { expires_at: soon })).body.data;
  expect(expiresAt).toBe(soon);
  const { body } = await exchange(clientId, clientSecret);
  expect(body.expires_in).toBeGreaterThan(500);
  expect(body.expires_in).toBeLessThanOrEqual(600);
  await run("UPDATE api_clients SET expires_at = now() - interval '1 second' WHERE id = $1", [clientId]);
  const ended = await meOf(body.access_token);
  expect([ended.status, ended.body.code]).toEqual([401, 'token_expired']);
  expect((await exchange(clientId, clientSecret)).body.error).toBe('invalid_client');
});

test('a creation repeated after a crash answers a secret that works', async () => {
  const headers = { 'idempotency-key': 'one client' };
  const body = { name: 'once', scopes: ['agent:read'] };
  const made = await first.call('POST', url, { body, headers });
  const replayed = await first.call('POST', url, { body, headers });
  expect(replayed.text).toBe(made.text);
  // As if the process had ended before it kept its answer.
  await run('UPDATE idempotency_keys SET response = NULL, response_status = NULL, lease_until = now()');
  const repeated = await first.call('POST', url, { body, headers });
  expect(repeated.status).toBe(201);
  const { clientId, clientSecret } = repeated.body.data;
  expect(clientId).toBe(made.body.data.clientId);
  expect((await exchange(clientId, clientSecret)).status).toBe(200);
});

test('at the limit of clients, a creation repeated after a crash is the one that was made', async () => {
  const client = await workspace.organization();
  await run(
    `INSERT INTO api_clients (organization_id, id, name, scopes, secret_hash, created_by)
     SELECT organization_id, 'cli_' || n, 'filler', scopes, secret_hash, created_by
     FROM api_clients, generate_series(2, 499) AS n WHERE id = $1`,
    [client.clientId],
  );
  const headers = { 'idempotency-key': 'the last client' };
  const body = { name: 'last', scopes: ['agent:read'] };
  const made = await client.call('POST', url, { body, headers });
  expect(made.status).toBe(201);
  await run('UPDATE idempotency_keys SET response = NULL, response_status = NULL, lease_until = now()');
  const repeated = await client.call('POST', url, { body, headers });
  expect([repeated.status, repeated.body.data.clientId]).toEqual([201, made.body.data.clientId]);
  const another = await client.call('POST', url, { body });
  expect(another.body).toMatchObject({ code: 'limit_reached', limit: 500, current: 500 });
});

import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { hashSecret } from '../../../data/encryption.ts';
import { isTokenLive } from '../../../domain/workspace/organizations/access.ts';
import { type Browser, browserOf } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { type TestClient, useOwnWorkspace } from '../../support/workspace.ts';

const workspace = useOwnWorkspace();
const contentType = 'application/x-www-form-urlencoded';
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
const password = 'correct horse battery';

let client: TestClient;
let browser: Browser;

const run = (statement: string, values: unknown[] = []) =>
  workspace.deps.lake.catalogPool.query(statement, values);
const form = (path: string, fields: Record<string, string>) =>
  workspace.call('POST', path, { raw: { text: new URLSearchParams(fields).toString(), contentType } });
const begin = async (fields: Record<string, string> = {}) =>
  (await form('/v1/auth/device/code', { client_id: 'cli', ...fields })).body;
const poll = (code: string, clientId = 'cli') =>
  form('/v1/auth/device/token', { grant_type: deviceGrant, device_code: code, client_id: clientId });
const refresh = (token: string) =>
  form('/v1/auth/device/token', { grant_type: 'refresh_token', refresh_token: token, client_id: 'cli' });
const withToken = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const meOf = (token: string) => workspace.call('GET', '/v1/me', withToken(token));

/** As if the last poll of a device code had been long ago. */
const waitOut = () => run("UPDATE device_logins SET polled_at = polled_at - interval '1 hour'");

async function approved(fields: Record<string, string> = {}) {
  const begun = await begin(fields);
  await browser.open(`/device?user_code=${begun.user_code}`);
  const answer = await browser.post('/device', { decision: 'approve' });
  expect([answer.status, answer.text.includes('<h1>Approved</h1>')]).toEqual([200, true]);
  const { status, body } = await poll(begun.device_code);
  expect(status).toBe(200);
  return body as { access_token: string; refresh_token: string };
}

beforeAll(async () => {
  client = await workspace.organization('Bakery & Sons');
  browser = browserOf(workspace);
  await browser.open(`/owner/${client.ownerToken}`);
  const made = await browser.post(`/owner/${client.ownerToken}`, {
    name: 'Ada <b>Owner</b>',
    email: 'ada@example.com',
    password,
  });
  expect([made.status, made.location]).toEqual([303, '/sign-in']);
});

test('a person gives a program on another device tokens of their own', async () => {
  const begun = await form('/v1/auth/device/code', { client_id: 'cli' });
  expect(begun.headers['cache-control']).toBe('no-store');
  expect(begun.body).toEqual({
    device_code: expect.stringMatching(/^wdc_[\w-]{43}$/),
    user_code: expect.stringMatching(/^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/),
    verification_uri: expect.stringMatching(/\/device$/),
    verification_uri_complete: expect.stringContaining(`/device?user_code=${begun.body.user_code}`),
    expires_in: 900,
    interval: 5,
  });
  const { device_code: code, user_code: userCode } = begun.body;
  const pending = await poll(code);
  expect([pending.status, pending.body.code, pending.body.error]).toEqual([
    400,
    'authorization_pending',
    'authorization_pending',
  ]);
  await browser.open('/device');
  const asked = await browser.post('/device', { user_code: ` ${userCode.toLowerCase().replace('-', '')}` });
  expect(asked.text).toContain('Bakery &amp; Sons');
  expect(asked.text).toContain('Ada &lt;b&gt;Owner&lt;/b&gt; (ada@example.com)');
  for (const shown of ['the command line', '<code>cli</code>', '<code>agent:read</code>'])
    expect(asked.text).toContain(shown);
  expect(asked.text).toContain('127.0.0.1');
  expect(asked.text).not.toContain('Append rows');
  await browser.post('/device', { decision: 'approve' });
  const redeemed = await poll(code);
  expect(redeemed.headers['cache-control']).toBe('no-store');
  expect(redeemed.body).toEqual({
    access_token: expect.stringMatching(/^wat_/),
    refresh_token: expect.stringMatching(/^wrt_/),
    token_type: 'Bearer',
    expires_in: 3600,
    scope: 'agent:read agent:write',
  });
  expect((await meOf(redeemed.body.access_token)).body.data).toEqual({
    id: expect.stringMatching(/^usr_/),
    type: 'user',
    name: 'Ada <b>Owner</b>',
    email: 'ada@example.com',
    role: 'owner',
    admin: true,
    scopes: ['agent:read', 'agent:write'],
    organizationId: client.organizationId,
  });
  const again = await poll(code);
  expect([again.status, again.body.error]).toEqual([400, 'invalid_grant']);
  const { rows } = await run('SELECT d::text AS row FROM device_logins d');
  for (const { row } of rows) expect(row).not.toContain(code);
});

test('polling too soon is told to slow down, five seconds longer each time, for good', async () => {
  const { device_code: code } = await begin();
  const errors = [];
  for (let at = 0; at < 3; at += 1) errors.push((await poll(code)).body.error);
  expect(errors).toEqual(['authorization_pending', 'slow_down', 'slow_down']);
  const { rows } = await run(
    "SELECT interval_seconds FROM device_logins WHERE status = 'pending' ORDER BY id DESC LIMIT 1",
  );
  expect(rows).toEqual([{ interval_seconds: 15 }]);
  await run("UPDATE device_logins SET polled_at = now() - interval '12 seconds' WHERE status = 'pending'");
  expect((await poll(code)).body.error).toBe('slow_down');
  await waitOut();
  expect((await poll(code)).body.error).toBe('authorization_pending');
});

test('a code that is denied, expired, unknown or of another client gives nothing', async () => {
  const denied = await begin();
  await browser.open(`/device?user_code=${denied.user_code}`);
  expect((await browser.post('/device', { decision: 'deny' })).text).toContain('<h1>Denied</h1>');
  expect((await poll(denied.device_code)).body.error).toBe('access_denied');
  const expired = await begin();
  await run("UPDATE device_logins SET expires_at = now() - interval '1 second' WHERE status = 'pending'");
  expect((await poll(expired.device_code)).body.error).toBe('expired_token');
  const late = await browser.open(`/device?user_code=${expired.user_code}`);
  expect([late.status, late.text.includes('There is no login')]).toEqual([422, true]);
  expect((await poll('wdc_unknown')).body.error).toBe('invalid_grant');
  const other = await poll(denied.device_code, 'spoon');
  expect([other.status, other.body.error]).toEqual([401, 'invalid_client']);
  for (const [fields, error] of [
    [{ client_id: 'cli' }, 'invalid_request'],
    [{ client_id: 'cli', grant_type: deviceGrant }, 'invalid_request'],
    [{ client_id: 'cli', grant_type: 'refresh_token' }, 'invalid_request'],
    [{ client_id: 'cli', grant_type: 'password' }, 'unsupported_grant_type'],
    [{ grant_type: deviceGrant, device_code: 'a' }, 'invalid_request'],
    [{ client_id: 'cli', grant_type: '', device_code: 'a' }, 'invalid_request'],
    [{ client_id: '', grant_type: deviceGrant, device_code: 'a' }, 'invalid_request'],
  ] as const)
    expect((await form('/v1/auth/device/token', fields)).body.error).toBe(error);
  const scope = await form('/v1/auth/device/code', { client_id: 'cli', scope: 'agent:read all' });
  expect([scope.status, scope.body.error, scope.body.detail]).toEqual([
    ...[400, 'invalid_scope'],
    expect.stringContaining('agent:read, agent:write, tables:append.'),
  ]);
});

test('of polls at once after the approval one gets the tokens', async () => {
  const begun = await begin({ scope: 'agent:read' });
  await browser.open(`/device?user_code=${begun.user_code}`);
  await browser.post('/device', { decision: 'approve' });
  const answers = await Promise.all(Array.from({ length: 6 }, () => poll(begun.device_code)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400]);
  expect(answers.find(({ status }) => status === 200)?.body.scope).toBe('agent:read');
});

test('a refresh replaces both tokens; a refresh token used twice ends the login', async () => {
  const first = await approved();
  expect((await meOf(first.access_token)).status).toBe(200);
  const second = (await refresh(first.refresh_token)).body;
  expect(second.refresh_token).not.toBe(first.refresh_token);
  expect((await meOf(second.access_token)).status).toBe(200);
  // At once, though it was in use a moment ago.
  expect((await meOf(first.access_token)).status).toBe(401);
  const third = (await refresh(second.refresh_token)).body;
  expect((await meOf(third.access_token)).status).toBe(200);
  const stolen = await refresh(first.refresh_token);
  expect([stolen.status, stolen.body.error]).toEqual([400, 'invalid_grant']);
  expect((await meOf(third.access_token)).status).toBe(401);
  expect((await refresh(third.refresh_token)).body.error).toBe('invalid_grant');
  // Two at once: one replaces it, the other looks like a theft.
  const { refresh_token: raced } = await approved();
  const answers = await Promise.all([refresh(raced), refresh(raced)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  const winner = answers.find(({ status }) => status === 200)!.body;
  expect((await refresh(winner.refresh_token)).body.error).toBe('invalid_grant');
});

test('a refresh token needs no client beside it, and is nobody else’s', async () => {
  const { refresh_token: token } = await approved();
  const ask = (fields: Record<string, string>) =>
    form('/v1/auth/token', { grant_type: 'refresh_token', ...fields });
  const other = await ask({ refresh_token: token, client_id: 'console' });
  expect([other.status, other.body.error]).toEqual([400, 'invalid_grant']);
  const renewed = await ask({ refresh_token: token });
  expect([renewed.status, renewed.body.refresh_token !== token], renewed.text).toEqual([200, true]);
  const unknown = await ask({ refresh_token: 'wrt_nobody' });
  expect([unknown.status, unknown.body.error]).toEqual([400, 'invalid_grant']);
  const nothing = await ask({});
  expect([nothing.status, nothing.body.error]).toEqual([400, 'invalid_request']);
});

test('a refresh may ask for fewer scopes for its access token, and never for more', async () => {
  const first = await approved({ scope: 'agent:read agent:write' });
  const ask = (token: string, scope: string) =>
    form('/v1/auth/token', { grant_type: 'refresh_token', refresh_token: token, client_id: 'cli', scope });
  for (const scope of ['agent:read tables:append', 'tables:append', 'all']) {
    const refused = await ask(first.refresh_token, scope);
    expect([refused.status, refused.body.error], scope).toEqual([400, 'invalid_scope']);
  }
  expect((await meOf(first.access_token)).status).toBe(200);
  const less = await ask(first.refresh_token, 'agent:read');
  expect([less.status, less.body.scope]).toEqual([200, 'agent:read']);
  expect((await meOf(less.body.access_token)).body.data.scopes).toEqual(['agent:read']);
  const all = await refresh(less.body.refresh_token);
  expect(all.body.scope).toBe('agent:read agent:write');
  const device = { grant_type: 'refresh_token', refresh_token: all.body.refresh_token, scope: 'agent:write' };
  expect((await form('/v1/auth/device/token', device)).body.scope).toBe('agent:write');
});

test('a refresh token ends 30 days after its issue, a login after 180', async () => {
  const idle = await approved();
  await run("UPDATE refresh_tokens SET created_at = now() - interval '31 days'");
  expect((await refresh(idle.refresh_token)).body.error).toBe('invalid_grant');
  const old = await approved();
  await run("UPDATE logins SET expires_at = now() - interval '1 second'");
  expect((await refresh(old.refresh_token)).body.error).toBe('invalid_grant');
});

test('a login that was not used for 30 days is not listed, and a token never outlives its login', async () => {
  const [idle, used] = [await approved(), await approved()];
  const list = async () =>
    (await workspace.call('GET', '/v1/auth/sessions', withToken(used.access_token))).body.items;
  const [current, other] = await list();
  expect(Date.parse(current.expiresAt) - Date.parse(current.lastUsedAt)).toBe(30 * 86_400_000);
  await run("UPDATE logins SET last_used_at = now() - interval '31 days' WHERE id = $1", [other.id]);
  expect((await list()).map(({ id }: { id: string }) => id)).not.toContain(other.id);
  await run("UPDATE logins SET expires_at = now() - interval '1 second' WHERE id = $1", [other.id]);
  await eventually(
    () => meOf(idle.access_token),
    ({ status }) => status === 401,
  );
});

test('the last access token of a login says when it ends', async () => {
  const { refresh_token: token } = await approved();
  await run("UPDATE logins SET expires_at = now() + interval '10 minutes' WHERE ended_at IS NULL");
  const { status, body } = await refresh(token);
  expect(status).toBe(200);
  expect(body.expires_in).toBeGreaterThan(0);
  expect(body.expires_in).toBeLessThanOrEqual(600);
});

test('a logout ends the login, or says that it did not, beside a refresh', async () => {
  for (let at = 0; at < 5; at += 1) {
    const pair = await approved();
    const [ended, replaced] = await Promise.all([
      workspace.call('POST', '/v1/auth/logout', withToken(pair.access_token)),
      refresh(pair.refresh_token),
    ]);
    expect([200, 400]).toContain(replaced.status);
    if (ended.status === 401) {
      // The refresh came first, and whoever asked for the logout is told that it did not happen.
      expect(replaced.status).toBe(200);
      continue;
    }
    expect(ended.status, ended.text).toBe(200);
    const next = replaced.body.refresh_token ?? pair.refresh_token;
    expect((await refresh(next)).body.error).toBe('invalid_grant');
  }
});

test('a token that is in use ends with its login, its client and its person', async () => {
  const { db } = workspace.deps;
  const { access_token: token } = await approved();
  const { rows } = await run('SELECT id, login_id, user_id FROM access_tokens WHERE token_hash = $1', [
    hashSecret(token),
  ]);
  const [{ id, login_id: login, user_id: user }] = rows;
  const isLive = () => isTokenLive(db, client.organizationId, id);
  expect(await isLive()).toBe(true);
  await run('UPDATE users SET removed_at = now() WHERE id = $1', [user]);
  expect(await isLive()).toBe(false);
  await run('UPDATE users SET removed_at = NULL WHERE id = $1', [user]);
  expect(await isLive()).toBe(true);
  await run('UPDATE logins SET ended_at = now() WHERE id = $1', [login]);
  expect(await isLive()).toBe(false);
});

test('a person lists and ends their own logins; a logout ends its whole login', async () => {
  const [one, two] = [await approved(), await approved()];
  const list = await workspace.call('GET', '/v1/auth/sessions', withToken(one.access_token));
  const mine = list.body.items.filter(({ current }: { current: boolean }) => current);
  expect(mine).toEqual([
    {
      id: expect.stringMatching(/^lgn_/),
      clientId: 'cli',
      scopes: ['agent:read', 'agent:write'],
      address: '127.0.0.1',
      createdAt: expect.any(String),
      lastUsedAt: expect.any(String),
      expiresAt: expect.any(String),
      endedAt: null,
      current: true,
    },
  ]);
  const path = `/v1/auth/sessions/${mine[0].id}`;
  const other = await workspace.organization('Other');
  expect((await other.call('DELETE', path)).status).toBe(404);
  expect((await client.call('DELETE', path)).status).toBe(404);
  expect((await client.call('GET', '/v1/auth/sessions')).body.items).toEqual([]);
  const ended = await workspace.call('DELETE', path, withToken(two.access_token));
  expect([ended.status, ended.body.data.endedAt]).toEqual([200, expect.any(String)]);
  expect((await refresh(one.refresh_token)).body.error).toBe('invalid_grant');
  await eventually(
    () => meOf(one.access_token),
    ({ status }) => status === 401,
  );
  const logout = await workspace.call('POST', '/v1/auth/logout', withToken(two.access_token));
  expect(logout.body.data).toEqual({ revoked: true });
  expect((await refresh(two.refresh_token)).body.error).toBe('invalid_grant');
});

test('what has ended long ago is removed, and nothing else', async () => {
  const kept = await approved();
  const old = await approved();
  await begin();
  const tables = ['logins', 'refresh_tokens', 'page_sessions', 'account_links', 'device_logins'];
  const counts = async () =>
    Object.fromEntries(
      await Promise.all(
        tables.map(async (table) => [
          table,
          (await run(`SELECT count(*)::int AS n FROM ${table}`)).rows[0].n as number,
        ]),
      ),
    );
  const clean = () => sql`SELECT remove_old_sign_ins(1000)`.execute(workspace.deps.db);
  await clean();
  const before = await counts();
  await workspace.call('POST', '/v1/auth/logout', withToken(old.access_token));
  await run("UPDATE logins SET ended_at = ended_at - interval '31 days' WHERE ended_at IS NOT NULL");
  await run("UPDATE device_logins SET expires_at = expires_at - interval '2 days'");
  await run("UPDATE account_links SET expires_at = now() - interval '31 days'");
  await run("UPDATE page_sessions SET expires_at = now() - interval '31 days' WHERE ended_at IS NOT NULL");
  await clean();
  const after = await counts();
  expect([after['device_logins'], after['account_links']]).toEqual([0, 0]);
  expect(after['logins']).toBeLessThan(before['logins']!);
  expect(after['refresh_tokens']).toBeLessThan(before['refresh_tokens']!);
  expect(after['page_sessions']).toBe(before['page_sessions']);
  expect((await refresh(kept.refresh_token)).status).toBe(200);
});

test('whoever guesses codes has to wait', async () => {
  await run('DELETE FROM sign_in_attempts');
  const stranger = browserOf(workspace);
  await stranger.open('/sign-in');
  await stranger.post('/sign-in', { email: 'ada@example.com', password });
  const statuses = [];
  for (let at = 0; at < 11; at += 1) {
    // A right code in between forgets no wrong ones.
    if (at === 9)
      expect((await stranger.open(`/device?user_code=${(await begin()).user_code}`)).status).toBe(200);
    statuses.push((await stranger.open('/device?user_code=BBBB-BBBB')).status);
  }
  expect(statuses).toEqual([...Array(10).fill(422), 429]);
});

import { createHash, randomBytes } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { type Browser, browserOf } from '../../support/browser.ts';
import { type TestClient, useOwnWorkspace } from '../../support/workspace.ts';

const workspace = useOwnWorkspace();
const contentType = 'application/x-www-form-urlencoded';
const email = 'ada@example.com';
const password = 'correct horse battery';
const callback = 'http://127.0.0.1:49152/callback';

let client: TestClient;
let browser: Browser;

beforeAll(async () => {
  client = await workspace.organization('Bakery & Sons');
  browser = browserOf(workspace);
  await browser.open(`/owner/${client.ownerToken}`);
  const made = await browser.post(`/owner/${client.ownerToken}`, { name: 'Ada', email, password });
  expect(made.status).toBe(303);
});

const form = (path: string, fields: Record<string, string>) =>
  workspace.call('POST', path, { raw: { text: new URLSearchParams(fields).toString(), contentType } });
const redeem = (fields: Record<string, string>) =>
  form('/v1/auth/token', {
    grant_type: 'authorization_code',
    client_id: 'cli',
    redirect_uri: callback,
    ...fields,
  });
const meOf = (token: string) =>
  workspace.call('GET', '/v1/me', { headers: { authorization: `Bearer ${token}` } });

function asked(change: Record<string, string> = {}) {
  const verifier = randomBytes(32).toString('base64url');
  const parameters = {
    response_type: 'code',
    client_id: 'cli',
    redirect_uri: callback,
    state: 'a b&c',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...change,
  };
  const url = `/v1/auth/authorize?${new URLSearchParams(parameters)}`;
  return { verifier, url };
}

const answerOf = (location: string | undefined) => {
  const url = new URL(location!);
  return { target: `${url.origin}${url.pathname}`, ...Object.fromEntries(url.searchParams) } as Record<
    string,
    string
  >;
};

/** The code of an approved request. */
async function approved(change: Record<string, string> = {}) {
  const { verifier, url } = asked(change);
  await browser.open(url);
  const { status, location } = await browser.post('/v1/auth/authorize', { decision: 'approve' });
  expect(status).toBe(303);
  return { verifier, code: answerOf(location)['code']! };
}

test('a person approves a program, which redeems the code with its verifier', async () => {
  const { verifier, url } = asked({ scope: 'agent:read' });
  const page = await browser.open(url);
  expect(page.status).toBe(200);
  for (const shown of ['the command line', '127.0.0.1:49152', `Ada (${email})`, 'Bakery &amp; Sons'])
    expect(page.text).toContain(shown);
  expect(page.text).not.toContain('Change:');
  expect(page.headers['content-security-policy']).toContain(
    "form-action 'self' http://127.0.0.1:49152 https:;",
  );
  const back = await browser.post('/v1/auth/authorize', { decision: 'approve' });
  const { target, code, state, iss } = answerOf(back.location);
  expect([back.status, target, state]).toEqual([303, callback, 'a b&c']);
  const metadata = await workspace.call('GET', '/.well-known/oauth-authorization-server');
  expect(iss).toBe(metadata.body.issuer);
  const tokens = await redeem({ code: code!, code_verifier: verifier });
  expect([tokens.status, tokens.headers['cache-control']]).toEqual([200, 'no-store']);
  expect(tokens.body).toEqual({
    access_token: expect.stringMatching(/^wat_/),
    token_type: 'Bearer',
    expires_in: 3_600,
    scope: 'agent:read',
    refresh_token: expect.stringMatching(/^wrt_/),
  });
  expect((await meOf(tokens.body.access_token)).body.data).toMatchObject({ type: 'user', email });
  const fresh = await form('/v1/auth/token', {
    grant_type: 'refresh_token',
    client_id: 'cli',
    refresh_token: tokens.body.refresh_token,
  });
  expect(fresh.status).toBe(200);
});

test('a code is valid once: presented again it gives nothing, and ends the login that it gave', async () => {
  const { verifier, code } = await approved();
  const once = { code, code_verifier: verifier };
  const [first, second] = await Promise.all([redeem(once), redeem(once)]);
  expect([first.status, second.status].sort()).toEqual([200, 400]);
  const { access_token: token } = [first, second].find(({ status }) => status === 200)!.body;
  expect((await meOf(token)).body.code).toBe('invalid_token');
});

test('a code that goes on being presented ends its login once', async () => {
  const { verifier, code } = await approved();
  const tokens = (await redeem({ code, code_verifier: verifier })).body;
  const sessions = await workspace.call('GET', '/v1/auth/sessions', {
    headers: { authorization: `Bearer ${tokens.access_token}` },
  });
  const { id } = sessions.body.items.find(({ current }: { current: boolean }) => current);
  for (let at = 0; at < 3; at += 1)
    expect((await redeem({ code, code_verifier: verifier })).body.error).toBe('invalid_grant');
  const { items } = (await client.call('GET', `/v1/audit-events?resource_id=${id}`)).body;
  expect(items).toHaveLength(1);
  expect(items[0]).toMatchObject({ action: 'login.ended', actor: { type: 'system' } });
});

test('a code is used up by a wrong verifier or address, and is nothing to another client', async () => {
  const wrongs: Record<string, string>[] = [
    { code_verifier: 'x'.repeat(43) },
    { redirect_uri: 'http://127.0.0.1:1/callback' },
  ];
  for (const wrong of wrongs) {
    const { verifier, code } = await approved();
    for (const attempt of [wrong, {}]) {
      const answer = await redeem({ code, code_verifier: verifier, ...attempt });
      expect([answer.status, answer.body.error]).toEqual([400, 'invalid_grant']);
    }
  }
  const { verifier, code } = await approved();
  const other = await redeem({ code, code_verifier: verifier, client_id: 'console' });
  expect(other.body.error).toBe('invalid_grant');
  expect((await redeem({ code, code_verifier: verifier })).status).toBe(200);
});

test('an expired code gives nothing', async () => {
  const { verifier, code } = await approved();
  await workspace.deps.lake.catalogPool.query(
    "UPDATE authorization_codes SET expires_at = now() - interval '1 second'",
  );
  expect((await redeem({ code, code_verifier: verifier })).body.error).toBe('invalid_grant');
});

test('nothing is sent to an address that the client did not register', async () => {
  const changes: Record<string, string>[] = [
    { redirect_uri: 'https://evil.example.com/' },
    { redirect_uri: 'http://127.0.0.1.evil.example.com/' },
    { redirect_uri: 'http://user@127.0.0.1/' },
    { redirect_uri: 'http://127.0.0.1/#fragment' },
    { redirect_uri: 'javascript:alert(1)' },
    { redirect_uri: 'http://localhost:5/а' },
    { redirect_uri: 'http://127.0.0.1:5/\r\nX: y' },
    { redirect_uri: 'http://127.0.0.1:5\\@evil.example.com/' },
    { redirect_uri: '' },
    { client_id: 'nobody' },
    { client_id: 'console', redirect_uri: 'https://evil.example.com/console/callback' },
  ];
  for (const change of changes) {
    const answer = await browser.open(asked(change).url);
    expect([answer.status, answer.location], JSON.stringify(change)).toEqual([400, undefined]);
  }
});

test('nobody is asked for the console of this service, and everybody for a program on another port', async () => {
  const { issuer } = (await workspace.call('GET', '/.well-known/oauth-authorization-server')).body;
  const own = `${issuer}/console/callback`;
  const { verifier, url } = asked({ client_id: 'console', redirect_uri: own });
  const back = await browser.open(url);
  const { code } = answerOf(back.location);
  expect([back.status, back.location?.split('?')[0]]).toEqual([303, own]);
  const redeemed = { code: code!, code_verifier: verifier, client_id: 'console', redirect_uri: own };
  expect((await redeem(redeemed)).status).toBe(200);
  const { items } = (await client.call('GET', '/v1/audit-events?action=login.approved')).body;
  expect(items[0].resource).toMatchObject({ name: 'console' });
  const elsewhere = new URL(own);
  elsewhere.port = '9999';
  const page = await browser.open(asked({ client_id: 'console', redirect_uri: elsewhere.href }).url);
  expect([page.status, page.location]).toEqual([200, undefined]);
  expect(page.text).toContain('Approve this login?');
});

test('a code of the console gives nothing after the session ended in which it was given', async () => {
  const { issuer } = (await workspace.call('GET', '/.well-known/oauth-authorization-server')).body;
  const own = { client_id: 'console', redirect_uri: `${issuer}/console/callback` };
  const visitor = browserOf(workspace);
  await visitor.open('/sign-in');
  expect((await visitor.post('/sign-in', { email, password })).status).toBe(303);
  const { verifier, url } = asked(own);
  const { code } = answerOf((await visitor.open(url)).location);
  await visitor.open('/sign-out');
  expect((await visitor.post('/sign-out')).status).toBe(303);
  const late = await redeem({ ...own, code: code!, code_verifier: verifier });
  expect([late.status, late.body.error]).toEqual([400, 'invalid_grant']);
});

test('other faults are told to the client, with its state', async () => {
  for (const [change, error] of [
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ code_challenge: 'short' }, 'invalid_request'],
    [{ scope: 'everything' }, 'invalid_scope'],
  ] as const) {
    const { status, location } = await browser.open(asked(change).url);
    expect(status).toBe(303);
    expect(answerOf(location)).toMatchObject({ target: callback, error, state: 'a b&c' });
  }
  await browser.open(asked().url);
  const denied = await browser.post('/v1/auth/authorize', { decision: 'deny' });
  expect(answerOf(denied.location)).toMatchObject({ error: 'access_denied', state: 'a b&c' });
});

test('faults of a program that registered itself are told on our page, and nobody is sent away', async () => {
  const redirect_uri = 'https://anywhere.example.com/cb';
  const body = { client_name: 'Anything', redirect_uris: [redirect_uri] };
  const made = await workspace.call('POST', '/v1/auth/register', { body });
  const change = { client_id: made.body.client_id, redirect_uri };
  for (const [name, value] of [
    ['response_type', 'token'],
    ['code_challenge', 'short'],
    ['scope', 'everything'],
  ] as const) {
    const shown = await browser.open(asked({ ...change, [name]: value }).url);
    expect([shown.status, shown.location]).toEqual([400, undefined]);
    expect(shown.text).toContain('The program sent an invalid request');
  }
  expect((await browser.open(asked(change).url)).text).toContain('Approve this login?');
});

test('who is not signed in signs in first, and goes on to the request', async () => {
  const { url } = asked();
  const fresh = browserOf(workspace);
  const sent = await fresh.open(url);
  expect([sent.status, sent.location]).toEqual([303, `/sign-in?next=${encodeURIComponent(url)}`]);
  await fresh.open(sent.location!);
  const signedIn = await fresh.post('/sign-in', { email, password });
  expect([signedIn.status, signedIn.location]).toEqual([303, url]);
  expect((await fresh.open(url)).text).toContain('Approve this login?');
  const forged = await fresh.forge('/v1/auth/authorize', { decision: 'approve' });
  expect(forged.status).toBe(403);
});

test('who signs in first goes on to the request whatever characters its state has', async () => {
  const state = `{"a":"it's (1*2)!",b@c}$;/?`;
  const { url } = asked({ state: 'kept' });
  // As `encodeURIComponent` leaves them, and as RFC 3986 allows them in a query.
  for (const written of [encodeURIComponent(state), "it's(1*2)!,b@c$;/?"]) {
    const fresh = browserOf(workspace);
    const sent = await fresh.open(url.replace('state=kept', `state=${written}`));
    await fresh.open(sent.location!);
    const signedIn = await fresh.post('/sign-in', { email, password });
    expect([signedIn.status, signedIn.location?.startsWith('/v1/auth/authorize?')], written).toEqual([
      303,
      true,
    ]);
    await fresh.open(signedIn.location!);
    const back = await fresh.post('/v1/auth/authorize', { decision: 'approve' });
    expect(answerOf(back.location)['state']).toBe(decodeURIComponent(written));
  }
});

test('a parameter without a value is left out', async () => {
  const page = await browser.open(asked({ resource: '', scope: '', state: '' }).url);
  expect([page.status, page.text.includes('Approve this login?')]).toEqual([200, true]);
  const { location } = await browser.post('/v1/auth/authorize', { decision: 'approve' });
  expect(Object.keys(answerOf(location)).sort()).toEqual(['code', 'iss', 'target']);
});

test('a link from another site loads the page again, so that cookies come along', async () => {
  const linked = browserOf(workspace, { 'sec-fetch-site': 'cross-site' });
  const { url } = asked();
  const page = await linked.open(url);
  expect(page.status).toBe(200);
  expect(page.text).toContain('<meta http-equiv="refresh" content="0; url=/v1/auth/authorize?');
});

test('the token endpoint takes client credentials too, and either token of a login revokes it', async () => {
  const { clientId: client_id, clientSecret: client_secret } = client;
  const machine = await form('/v1/auth/token', {
    grant_type: 'client_credentials',
    client_id,
    client_secret,
  });
  expect(machine.status).toBe(200);
  expect(machine.body).not.toHaveProperty('refresh_token');
  expect((await form('/v1/auth/token', { grant_type: 'password', client_id: 'cli' })).body.error).toBe(
    'unsupported_grant_type',
  );
  for (const kind of ['access_token', 'refresh_token'] as const) {
    const { verifier, code } = await approved();
    const { body } = await redeem({ code, code_verifier: verifier });
    const revoked = await form('/v1/auth/revoke', { token: body[kind], client_id: 'cli' });
    expect([revoked.status, revoked.body]).toEqual([200, {}]);
    expect((await meOf(body.access_token)).body.code).toBe('invalid_token');
    const refreshed = await form('/v1/auth/token', {
      grant_type: 'refresh_token',
      client_id: 'cli',
      refresh_token: body.refresh_token,
    });
    expect(refreshed.body.error).toBe('invalid_grant');
  }
  expect((await form('/v1/auth/revoke', { token: 'unknown', client_id: 'cli' })).status).toBe(200);
  expect((await form('/v1/auth/revoke', { client_id: 'cli' })).body.error).toBe('invalid_request');
  const wrong = await form('/v1/auth/revoke', { token: 'x', client_id, client_secret: 'wrong' });
  expect([wrong.status, wrong.body.error]).toEqual([401, 'invalid_client']);
});

test('whoever has a token revokes it, but no other client does', async () => {
  const credentials = { client_id: client.clientId, client_secret: client.clientSecret };
  const revoke = (token: string, fields: Record<string, string> = {}) =>
    form('/v1/auth/revoke', { token, ...fields });
  const { verifier, code } = await approved();
  const login = (await redeem({ code, code_verifier: verifier })).body;
  for (const token of [login.access_token, login.refresh_token]) {
    for (const other of [{ client_id: 'console' }, { client_id: 'nobody' }, credentials]) {
      const refused = await revoke(token, other);
      expect([refused.status, refused.body.error]).toEqual([400, 'invalid_grant']);
    }
  }
  expect((await meOf(login.access_token)).status).toBe(200);
  expect((await revoke(login.access_token)).status).toBe(200);
  expect((await meOf(login.access_token)).status).toBe(401);

  const machine = (await form('/v1/auth/m2m/token', credentials)).body.access_token;
  const wrong = await revoke(machine, { ...credentials, client_secret: 'wrong' });
  expect([wrong.status, wrong.body.error]).toEqual([401, 'invalid_client']);
  const program = await revoke(machine, { client_id: 'cli' });
  expect([program.status, program.body.error]).toEqual([400, 'invalid_grant']);
  const other = await workspace.organization();
  const theirs = await revoke(machine, { client_id: other.clientId, client_secret: other.clientSecret });
  expect([theirs.status, theirs.body.error]).toEqual([400, 'invalid_grant']);
  expect((await meOf(machine)).status).toBe(200);
  const ways: Record<string, string>[] = [{}, { client_id: client.clientId }, credentials];
  for (const fields of ways) {
    const token = (await form('/v1/auth/m2m/token', credentials)).body.access_token;
    expect((await revoke(token, fields)).status).toBe(200);
    expect((await meOf(token)).status).toBe(401);
    // As an unknown token is.
    expect((await revoke(token, fields)).status).toBe(200);
  }
});

test('a program registers itself and signs a person in; its loopback address has any port', async () => {
  const register = (body: object) => workspace.call('POST', '/v1/auth/register', { body });
  const made = await register({ client_name: 'Notebook', redirect_uris: ['http://127.0.0.1/cb'] });
  expect(made.status, made.text).toBe(201);
  const change = { client_id: made.body.client_id, redirect_uri: 'http://127.0.0.1:5555/cb' };
  const { verifier, url } = asked(change);
  expect((await browser.open(url)).text).toContain('Notebook');
  const { location } = await browser.post('/v1/auth/authorize', { decision: 'approve' });
  const tokens = await redeem({ ...change, code: answerOf(location)['code']!, code_verifier: verifier });
  expect(tokens.status).toBe(200);
  const elsewhere = await browser.open(asked({ ...change, redirect_uri: 'http://127.0.0.1:5555/other' }).url);
  expect(elsewhere.status).toBe(400);
  for (const [body, error] of [
    [{ redirect_uris: ['http://example.com/cb'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['https://a.example.com/\r\nX: y'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['https://аррӏе.com/cb'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['https:a.example.com'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['https://*.example.com/cb'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['https://../cb'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['https://-.-/cb'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['myapp:/cb'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['a.1.2:/cb'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['com.example+x.-app:/cb'] }, 'invalid_redirect_uri'],
    [
      { client_name: 'moc.\u202ekoobeton', redirect_uris: ['https://a.example.com/'] },
      'invalid_client_metadata',
    ],
    [
      { redirect_uris: ['https://a.example.com/'], token_endpoint_auth_method: 'client_secret_post' },
      'invalid_client_metadata',
    ],
    [{ redirect_uris: [] }, 'invalid_request'],
  ] as const) {
    const refused = await register(body);
    expect([refused.status, refused.body.error]).toEqual([400, error]);
  }
  const form = {
    raw: { text: `client_id=${made.body.client_id}`, contentType: 'application/x-www-form-urlencoded' },
  };
  const device = await workspace.call('POST', '/v1/auth/device/code', form);
  expect([device.status, device.body.error]).toEqual([400, 'unauthorized_client']);
});

test('who registered itself is marked, kept only by approval and use, and few come from one network', async () => {
  const { catalogPool } = workspace.deps.lake;
  await catalogPool.query('DELETE FROM public_clients');
  const redirect_uris = ['http://127.0.0.1/cb'];
  const register = (body: object) =>
    workspace.call('POST', '/v1/auth/register', { body: { redirect_uris, ...body } });
  // Some with letters of Cyrillic or Greek that look like those of Latin.
  for (const client_name of [
    ...['The  Command LINE', 'console', 'the console of this service', 'the-command-line', 'CONSOLE.', 'Ⓒli'],
    ...['соnsole', 'сonsоle', 'Notebоok', 'Ναme', 'thе cоmmand line'],
  ]) {
    const refused = await register({ client_name });
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_client_metadata']);
  }
  for (const client_name of ['Блокнот 2', 'ノート Book 笔记', 'דפדפן', 'Cahier d’été'])
    expect((await register({ client_name })).status, client_name).toBe(201);
  const made = await register({ client_name: 'Notebook' });
  const change = { client_id: made.body.client_id, redirect_uri: 'http://127.0.0.1:5555/cb' };
  const daysUnused = async () => {
    const { rows } = await catalogPool.query(
      'SELECT round(extract(epoch FROM now() - last_used_at) / 86400)::int AS days FROM public_clients WHERE id = $1',
      [made.body.client_id],
    );
    return rows[0].days;
  };
  const age = () => catalogPool.query("UPDATE public_clients SET last_used_at = now() - interval '9 days'");
  await age();
  expect((await browser.open(asked(change).url)).text).toContain('calls itself “Notebook”');
  expect(await daysUnused()).toBe(9);
  const { location } = await browser.post('/v1/auth/authorize', { decision: 'approve' });
  expect(await daysUnused()).toBe(0);
  await age();
  const code = answerOf(location)['code']!;
  expect((await redeem({ ...change, code, code_verifier: 'x'.repeat(43) })).status).toBe(400);
  expect(await daysUnused()).toBe(9);
  const second = await approved(change);
  await age();
  expect((await redeem({ ...change, code: second.code, code_verifier: second.verifier })).status).toBe(200);
  expect(await daysUnused()).toBe(0);
  const answers = await Promise.all(Array.from({ length: 25 }, () => register({})));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(15);
  expect(answers.find(({ status }) => status !== 201)?.body.code).toBe('limit_reached');
  await catalogPool.query("UPDATE public_clients SET address_group = 'elsewhere'");
  expect((await register({})).status).toBe(201);
});

test('the metadata names what there is', async () => {
  const { body } = await workspace.call('GET', '/.well-known/oauth-authorization-server');
  const { issuer } = body;
  expect(body).toMatchObject({
    authorization_endpoint: `${issuer}/v1/auth/authorize`,
    token_endpoint: `${issuer}/v1/auth/token`,
    device_authorization_endpoint: `${issuer}/v1/auth/device/code`,
    revocation_endpoint: `${issuer}/v1/auth/revoke`,
    registration_endpoint: `${issuer}/v1/auth/register`,
    code_challenge_methods_supported: ['S256'],
    response_types_supported: ['code'],
  });
});

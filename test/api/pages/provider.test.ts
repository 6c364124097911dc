import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { browserOf, type PageAnswer, refreshOf } from '../../support/browser.ts';
import { expectEventually } from '../../support/eventually.ts';
import {
  type Claims,
  type OidcProvider,
  oidcClient,
  signInAtProvider,
  startOidcProvider,
} from '../../support/oidc-provider.ts';
import { type TestClient, useWorkspace } from '../../support/workspace.ts';

let provider: OidcProvider;
beforeAll(async () => {
  provider = await startOidcProvider();
});
afterAll(() => provider.stop());

const workspace = useWorkspace({}, () => ({
  OIDC_ISSUER: provider.issuer,
  OIDC_CLIENT_ID: oidcClient.id,
  OIDC_CLIENT_SECRET: oidcClient.secret,
  OIDC_LABEL: 'Example & Sons',
}));

let client: TestClient;
beforeAll(async () => {
  client = await workspace.organization('Bakery');
});

const run = (statement: string, values: unknown[] = []) =>
  workspace.deps.lake.catalogPool.query(statement, values);
const newBrowser = () => browserOf(workspace);
type Browser = ReturnType<typeof newBrowser>;

const claimsOf = (sub: string, change: Partial<Claims> = {}): Claims => ({
  sub,
  email: `${sub}@example.com`,
  email_verified: true,
  name: `Name of ${sub}`,
  ...change,
});

/** Presses the button of a page, and signs in at the provider; the address that leads back. */
async function goThrough(browser: Browser, page: string, claims: Claims): Promise<string> {
  expect((await browser.open(page)).status).toBe(200);
  const sent = await browser.submit();
  expect(sent.status, sent.text).toBe(200);
  const url = refreshOf(sent)!;
  expect(url.startsWith(`${provider.issuer}/`)).toBe(true);
  return signInAtProvider(browser, url, claims);
}

async function signIn(claims: Claims, { browser = newBrowser(), next = '' } = {}) {
  const callback = await goThrough(browser, `/sign-in?next=${encodeURIComponent(next)}`, claims);
  return { browser, callback, answer: await browser.arrive(callback) };
}

async function openLink(path: string, claims: Claims) {
  const browser = newBrowser();
  return { browser, answer: await browser.arrive(await goThrough(browser, path, claims)) };
}

const pathOf = (url: string) => new URL(url).pathname;
async function invited(email: string, role = 'member', by: TestClient = client): Promise<string> {
  const { body } = await by.call('POST', '/v1/invitations', { body: { email, role } });
  return pathOf(body.data.url);
}

/** Somebody with an account. */
async function member(sub: string, role = 'member', of: TestClient = client) {
  const claims = claimsOf(sub);
  const { answer, browser } = await openLink(await invited(claims.email!, role, of), claims);
  expect(answer.status, answer.text).toBe(200);
  return { claims, browser, id: await idOf(claims.email!) };
}

async function idOf(email: string): Promise<string> {
  const { rows } = await run('SELECT id FROM users WHERE email = $1 AND removed_at IS NULL', [email]);
  return rows[0].id;
}

const refused = ({ status, text, headers }: PageAnswer, expected: number, words: string) => {
  expect([status, text.includes(words)], text).toEqual([expected, true]);
  expect(String(headers['set-cookie'])).not.toContain('wps_');
};

/** Who the service says is signed in. */
const shown = async (browser: Browser) => (await browser.open('/sign-in')).text;

test('a provider that does not answer is told on the page, stops nothing, and is asked again', async () => {
  await provider.setDown(true);
  const browser = newBrowser();
  await browser.open('/sign-in');
  const answer = await browser.submit();
  refused(answer, 503, 'Example &amp; Sons does not answer as it should.');
  expect(answer.headers['retry-after']).toBe('10');
  expect((await workspace.call('GET', '/healthz')).status).toBe(200);
  expect((await client.call('GET', '/v1/me')).status).toBe(200);
  await provider.setDown(false);
  await browser.open('/sign-in');
  const sent = await browser.submit();
  expect(sent.status).toBe(200);
  await provider.setDown(true);
  refused(await browser.arrive('/sign-in/oidc/callback?code=x'), 400, 'Begin again');
  await browser.open('/sign-in');
  const { searchParams } = new URL(refreshOf(await browser.submit())!);
  const back = new URLSearchParams({ code: 'x', state: searchParams.get('state')!, iss: provider.issuer });
  refused(await browser.arrive(`/sign-in/oidc/callback?${back}`), 503, 'does not answer');
  await provider.setDown(false);
});

test('the page has a button and takes no password', async () => {
  const browser = newBrowser();
  const page = await browser.open('/sign-in?next=/device');
  expect(page.text).toContain('Sign in with Example &amp; Sons');
  expect(page.text).not.toContain('type="password"');
  const answer = await browser.post('/sign-in', {
    email: 'a@example.com',
    password: 'correct horse battery',
  });
  refused(answer, 403, 'Passwords are not used here');
  expect((await browser.forge('/sign-in/oidc', {})).status).toBe(403);
  await browser.open('/sign-in');
  const url = new URL(refreshOf(await browser.submit())!);
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_id: oidcClient.id,
    redirect_uri: 'http://localhost/sign-in/oidc/callback',
    response_type: 'code',
    scope: 'openid email profile',
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
  });
});

test('the owner’s address makes an account of who signs in at the provider', async () => {
  const other = await workspace.organization();
  const path = `/owner/${other.ownerToken}`;
  const page = await newBrowser().open(path);
  expect(page.text).toContain('Become the owner');
  expect(page.text).not.toContain('type="password"');
  const { browser, answer } = await openLink(path, claimsOf('olga', { name: undefined as never }));
  expect([answer.status, refreshOf(answer)]).toEqual([200, '/sign-in']);
  expect(await shown(browser)).toContain('olga@example.com (olga@example.com)');
  expect((await newBrowser().open(path)).status).toBe(404);
  const { items } = (await other.call('GET', '/v1/members')).body;
  expect(items).toMatchObject([{ email: 'olga@example.com', role: 'owner' }]);
});

test('who was invited opens the account with the invited e-mail, in any case, and once', async () => {
  const path = await invited('Grace@Example.com', 'admin');
  expect((await newBrowser().open(path)).text).toContain('<strong>Grace@Example.com</strong>');
  for (const [change, words] of [
    [{ sub: 'mallory', email: 'mallory@example.com' }, 'The invitation is for another e-mail'],
    [{ email_verified: false }, 'no e-mail of yours that it has verified'],
  ] as const) {
    const { answer } = await openLink(path, claimsOf('grace', change));
    refused(answer, 403, words);
  }
  const two = [newBrowser(), newBrowser()];
  const callbacks: string[] = [];
  for (const browser of two) callbacks.push(await goThrough(browser, path, claimsOf('grace')));
  const answers = await Promise.all(two.map((browser, at) => browser.arrive(callbacks[at]!)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => [403, 404, 409].includes(status))).toHaveLength(1);
  const winner = two[answers.findIndex(({ status }) => status === 200)]!;
  expect(await shown(winner)).toContain('Name of grace (Grace@Example.com) of Bakery');
  expect((await newBrowser().open(path)).status).toBe(404);
  const { answer: again } = await openLink(await invited('grace.2@example.com'), {
    ...claimsOf('grace'),
    email: 'grace.2@example.com',
  });
  refused(again, 403, 'A person belongs to one organization');
});

test('a person is known by the subject, whatever the e-mail is by now; nobody else inherits the e-mail', async () => {
  const { claims } = await member('joan');
  const changed = { ...claims, email: 'joan.married@example.com', email_verified: false };
  const { browser, answer } = await signIn(changed);
  expect([answer.status, refreshOf(answer)]).toEqual([200, '/sign-in']);
  expect(await shown(browser)).toContain('Name of joan (joan@example.com)');
  const heir = await signIn({ ...claims, sub: 'another joan' });
  refused(heir.answer, 403, 'has no account here');
});

test('an account with a password is found by the verified e-mail once, and by the subject from then on', async () => {
  const { id } = await member('pat');
  await run('DELETE FROM oidc_subjects WHERE user_id = $1', [id]);
  refused((await signIn(claimsOf('pat'))).answer, 403, 'has no account here');
  await run("UPDATE users SET password_hash = 'x' WHERE id = $1", [id]);
  refused((await signIn(claimsOf('pat', { email_verified: false }))).answer, 403, 'Verify your e-mail');
  const first = await Promise.all([
    signIn(claimsOf('pat')),
    signIn(claimsOf('pat', { email: 'PAT@example.com' })),
  ]);
  expect(first.map(({ answer }) => answer.status)).toEqual([200, 200]);
  refused((await signIn(claimsOf('pat', { sub: 'pat again' }))).answer, 403, 'has no account here');
  // After a change of the provider, the e-mail counts once more.
  await run("UPDATE oidc_subjects SET issuer = 'https://before.example.com' WHERE user_id = $1", [id]);
  const { browser, answer } = await signIn(claimsOf('pat', { sub: 'pat at the new one' }));
  expect(answer.status).toBe(200);
  expect(await shown(browser)).toContain('Name of pat');
});

test('an e-mail that is not verified, is missing or is nobody’s signs nobody in, and makes nobody', async () => {
  const people = async () => (await run('SELECT count(*) FROM users')).rows[0].count;
  const before = await people();
  const stranger = claimsOf('stranger');
  refused((await signIn(stranger)).answer, 403, 'stranger@example.com, as whom Example &amp; Sons knows you');
  refused((await signIn({ ...stranger, email_verified: false })).answer, 403, 'Verify your e-mail there');
  refused((await signIn({ sub: 'nameless' })).answer, 403, 'Verify your e-mail there');
  // The owner who has not opened the owner’s address yet is nobody.
  const placeholder = await signIn(claimsOf('root', { email: 'owner@localhost.example' }));
  refused(placeholder.answer, 403, 'has no account here');
  expect(await people()).toBe(before);
});

test('a sign-in is finished once, and only by the browser that began it', async () => {
  const { claims } = await member('rosa');
  const browser = newBrowser();
  const callback = await goThrough(browser, '/sign-in', claims);
  const progress = browser.cookies.get('sign-in')!;
  refused(await newBrowser().arrive(callback), 400, 'begun in another browser');
  const cookieLine = (answer: PageAnswer) => String(answer.headers['set-cookie']);
  const answer = await browser.arrive(callback);
  expect(answer.status).toBe(200);
  expect(cookieLine(answer)).toMatch(/session=wps_[^;]+; Path=\/; HttpOnly; SameSite=Strict/);
  expect(browser.cookies.has('sign-in')).toBe(false);
  refused(await browser.arrive(callback), 400, 'finished already');
  // With its cookie put back: the provider redeems a code once.
  const replayed = newBrowser();
  replayed.cookies.set('sign-in', progress);
  replayed.cookies.lax.add('sign-in');
  refused(await replayed.arrive(callback), 400, 'finished already');
});

test('another state, issuer, cookie or code is refused', async () => {
  const { claims } = await member('tess');
  const tampered = async (change: (url: URL, browser: Browser) => void) => {
    const browser = newBrowser();
    const url = new URL(await goThrough(browser, '/sign-in', claims));
    change(url, browser);
    return browser.arrive(url.href);
  };
  const changes: ((url: URL, browser: Browser) => void)[] = [
    (url) => url.searchParams.set('state', 'x'.repeat(43)),
    (url) => url.searchParams.delete('state'),
    (url) => url.searchParams.append('state', url.searchParams.get('state')!),
    (url) => url.searchParams.set('code', 'x'.repeat(43)),
    (url) => url.searchParams.set('iss', 'https://evil.example.com'),
    (_url, { cookies }) => cookies.set('sign-in', `${cookies.get('sign-in')!.slice(0, -4)}AAAA`),
    (_url, { cookies }) =>
      cookies.set('sign-in', workspace.deps.cipher.seal('{"is":"something else"}').toString('base64url')),
  ];
  for (const change of changes) refused(await tampered(change), 400, 'Begin again');
  // The code of one sign-in with the state of another: its verifier and nonce are not those of the code.
  const [first, second] = [newBrowser(), newBrowser()];
  const stolen = new URL(await goThrough(first, '/sign-in', claims)).searchParams.get('code')!;
  const url = new URL(await goThrough(second, '/sign-in', claims));
  url.searchParams.set('code', stolen);
  refused(await second.arrive(url.href), 400, 'Begin again');
});

test('a person who is refused at the provider is told', async () => {
  const browser = newBrowser();
  await browser.open('/sign-in');
  const { searchParams } = new URL(refreshOf(await browser.submit())!);
  const back = new URLSearchParams({
    error: 'access_denied',
    state: searchParams.get('state')!,
    iss: provider.issuer,
  });
  refused(await browser.arrive(`/sign-in/oidc/callback?${back}`), 403, 'did not sign you in');
});

test('the session before ends, and the cookie of a sign-in is not the session’s', async () => {
  const { browser, claims } = await member('vera');
  const session = browser.cookies.get('session')!;
  const stale = newBrowser();
  stale.cookies.set('session', session);
  expect(await shown(stale)).toContain('Name of vera');
  // The form of a page that was open before the person was signed in.
  const page = newBrowser();
  await page.open('/sign-in');
  page.cookies.set('session', session);
  const callback = await signInAtProvider(page, refreshOf(await page.submit())!, claims);
  expect((await page.arrive(callback)).status).toBe(200);
  expect(page.cookies.get('session')).not.toBe(session);
  expect(await shown(stale)).toContain('Sign in with');
  expect(await shown(page)).toContain('Name of vera');
});

test('a sign-in leads on to the device page and to a program’s request, and nowhere else', async () => {
  const { claims } = await member('dora');
  const verifier = randomBytes(32).toString('base64url');
  const request = `/v1/auth/authorize?${new URLSearchParams({
    response_type: 'code',
    client_id: 'cli',
    redirect_uri: 'http://127.0.0.1:49152/callback',
    state: 'a b&c',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })}`;
  for (const next of ['/device?user_code=BCDF-GHJK', request]) {
    const { answer, browser } = await signIn(claims, { next });
    expect(refreshOf(answer)).toBe(next);
    expect((await browser.open(next)).location).toBe(undefined);
  }
  for (const next of [
    'https://evil.example.com',
    '//evil.example.com/device',
    '/\\evil',
    'javascript:alert(1)',
  ]) {
    expect(refreshOf((await signIn(claims, { next })).answer)).toBe('/sign-in');
    const browser = newBrowser();
    await browser.open('/sign-in');
    const url = refreshOf(await browser.post('/sign-in/oidc', { next }))!;
    const callback = await signInAtProvider(browser, url, claims);
    expect(refreshOf(await browser.arrive(callback))).toBe('/sign-in');
  }
  // Too long for a cookie: the person is signed in.
  const { answer, browser } = await signIn(claims, { next: `${request}&x=${'y'.repeat(3_000)}` });
  expect(refreshOf(answer)).toBe('/sign-in');
  expect(await shown(browser)).toContain('Name of dora');
});

test('who was removed is out, and may be invited again as another person', async () => {
  const { claims, browser, id } = await member('rita');
  const { claims: owner } = await member('otto', 'admin');
  const callback = await goThrough(newBrowser(), '/sign-in', claims);
  expect(callback).toContain('code=');
  await run("UPDATE users SET role = 'owner' WHERE email = $1", [owner.email]);
  expect((await client.call('DELETE', `/v1/members/${id}`)).status).toBe(200);
  expect(await shown(browser)).toContain('Sign in with');
  refused((await signIn(claims)).answer, 403, 'has no account here');
  const { answer } = await openLink(await invited(claims.email!), claims);
  expect(answer.status, answer.text).toBe(200);
  expect(await idOf(claims.email!)).not.toBe(id);
});

test('an owner without a password counts as one who can sign in, and the last one stays', async () => {
  const other = await workspace.organization();
  await openLink(`/owner/${other.ownerToken}`, claimsOf('first owner', { email: 'first@example.com' }));
  const second = await member('second', 'admin', other);
  await run("UPDATE users SET role = 'owner' WHERE id = $1", [second.id]);
  const first = await idOf('first@example.com');
  const token = `wat_${randomBytes(32).toString('base64url')}`;
  await run(
    `INSERT INTO access_tokens (organization_id, id, token_hash, user_id, scopes, expires_at)
     VALUES ($1, 'tok_1', $2, $3, '{agent:read,agent:write}', now() + interval '1 hour')`,
    [other.organizationId, createHash('sha256').update(token).digest(), second.id],
  );
  const call = (method: 'PATCH' | 'DELETE', id: string, body?: object) =>
    workspace.call(method, `/v1/members/${id}`, {
      headers: { authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body }),
    });
  expect((await call('DELETE', first)).status).toBe(200);
  for (const last of [await call('PATCH', second.id, { role: 'member' }), await call('DELETE', second.id)])
    expect([last.status, last.body.code]).toEqual([409, 'conflict']);
});

test('there are no new passwords where there are none', async () => {
  const { id } = await member('nora');
  const answer = await client.call('POST', `/v1/members/${id}/password-reset`);
  expect([answer.status, answer.body.code]).toEqual([409, 'conflict']);
  expect((await newBrowser().open('/password/wal_unknown')).status).toBe(404);
});

test('a program signs a person in who signs in at the provider', async () => {
  const { claims } = await member('devi');
  const contentType = 'application/x-www-form-urlencoded';
  const form = (path: string, fields: Record<string, string>) =>
    workspace.call('POST', path, { raw: { text: new URLSearchParams(fields).toString(), contentType } });
  const { body: login } = await form('/v1/auth/device/code', { client_id: 'cli' });
  const { browser, answer } = await signIn(claims, { next: `/device?user_code=${login.user_code}` });
  expect((await browser.open(refreshOf(answer)!)).text).toContain('Approve this login?');
  expect((await browser.post('/device', { decision: 'approve' })).text).toContain('Approved');
  const { body: tokens } = await form('/v1/auth/device/token', {
    client_id: 'cli',
    device_code: login.device_code,
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
  });
  const me = () =>
    workspace.call('GET', '/v1/me', { headers: { authorization: `Bearer ${tokens.access_token}` } });
  await expectEventually(async () => (await me()).body.data?.email).toBe('devi@example.com');
});

import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { type PageAnswer, refreshOf } from '../../support/browser.ts';
import { expectEventually } from '../../support/eventually.ts';
import { oidcClient, signInAtProvider } from '../../support/oidc-provider.ts';
import { type LabBrowser, refused, useProviderLab } from './provider-lab.ts';

const { workspace, provider, client, newBrowser, goThrough, signIn, member, shown } = useProviderLab();

test('a provider that does not answer is told on the page, stops nothing, and is asked again', async () => {
  await provider().setDown(true);
  const browser = newBrowser();
  await browser.open('/sign-in');
  const answer = await browser.submit();
  refused(answer, 503, 'answer as expected.');
  expect(answer.headers['retry-after']).toBe('10');
  expect((await workspace.call('GET', '/healthz')).status).toBe(200);
  expect((await client().call('GET', '/v1/me')).status).toBe(200);
  await provider().setDown(false);
  await browser.open('/sign-in');
  const sent = await browser.submit();
  expect(sent.status).toBe(200);
  await provider().setDown(true);
  refused(await browser.arrive('/sign-in/oidc/callback?code=x'), 400, 'Start again');
  await browser.open('/sign-in');
  const { searchParams } = new URL(refreshOf(await browser.submit())!);
  const back = new URLSearchParams({ code: 'x', state: searchParams.get('state')!, iss: provider().issuer });
  refused(await browser.arrive(`/sign-in/oidc/callback?${back}`), 503, 'answer as expected');
  await provider().setDown(false);
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
  refused(answer, 403, 'use passwords');
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

test('a sign-in is finished once, and only by the browser that began it', async () => {
  const { claims } = await member('rosa');
  const browser = newBrowser();
  const callback = await goThrough(browser, '/sign-in', claims);
  const progress = browser.cookies.get('sign-in')!;
  refused(await newBrowser().arrive(callback), 400, 'started in another browser');
  const cookieLine = (answer: PageAnswer) => String(answer.headers['set-cookie']);
  const answer = await browser.arrive(callback);
  expect(answer.status).toBe(200);
  expect(cookieLine(answer)).toMatch(/session=wps_[^;]+; Path=\/; HttpOnly; SameSite=Strict/);
  expect(browser.cookies.has('sign-in')).toBe(false);
  refused(await browser.arrive(callback), 400, 'already finished');
  // With its cookie put back: the provider redeems a code once.
  const replayed = newBrowser();
  replayed.cookies.set('sign-in', progress);
  replayed.cookies.lax.add('sign-in');
  refused(await replayed.arrive(callback), 400, 'already finished');
});

test('another state, issuer, cookie or code is refused', async () => {
  const { claims } = await member('tess');
  const tampered = async (change: (url: URL, browser: LabBrowser) => void) => {
    const browser = newBrowser();
    const url = new URL(await goThrough(browser, '/sign-in', claims));
    change(url, browser);
    return browser.arrive(url.href);
  };
  const changes: ((url: URL, browser: LabBrowser) => void)[] = [
    (url) => url.searchParams.set('state', 'x'.repeat(43)),
    (url) => url.searchParams.delete('state'),
    (url) => url.searchParams.append('state', url.searchParams.get('state')!),
    (url) => url.searchParams.set('code', 'x'.repeat(43)),
    (url) => url.searchParams.set('iss', 'https://evil.example.com'),
    (_url, { cookies }) => cookies.set('sign-in', `${cookies.get('sign-in')!.slice(0, -4)}AAAA`),
    (_url, { cookies }) =>
      cookies.set('sign-in', workspace.deps.cipher.seal('{"is":"something else"}').toString('base64url')),
  ];
  for (const change of changes) refused(await tampered(change), 400, 'Start again');
  // The code of one sign-in with the state of another: its verifier and nonce are not those of the code.
  const [first, second] = [newBrowser(), newBrowser()];
  const stolen = new URL(await goThrough(first, '/sign-in', claims)).searchParams.get('code')!;
  const url = new URL(await goThrough(second, '/sign-in', claims));
  url.searchParams.set('code', stolen);
  refused(await second.arrive(url.href), 400, 'Start again');
});

test('a person who is refused at the provider is told', async () => {
  const browser = newBrowser();
  await browser.open('/sign-in');
  const { searchParams } = new URL(refreshOf(await browser.submit())!);
  const back = new URLSearchParams({
    error: 'access_denied',
    state: searchParams.get('state')!,
    iss: provider().issuer,
  });
  refused(await browser.arrive(`/sign-in/oidc/callback?${back}`), 403, 'sign you in');
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

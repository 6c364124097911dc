import { expect, test } from 'vitest';
import { nextPage } from '../../../api/pages/next-page.ts';
import { browserOf } from '../../support/browser.ts';
import { useOwnWorkspace } from '../../support/workspace.ts';

const workspace = useOwnWorkspace({ trustedProxies: ['127.0.0.1'] });
const password = 'correct horse battery';

const from = (address: string) => browserOf(workspace, { 'x-forwarded-for': address });

/** An owner with an account, and the browser in which it was made. */
async function owner(email: string, address: string) {
  const client = await workspace.organization();
  const browser = from(address);
  const url = `/owner/${client.ownerToken}`;
  await browser.open(url);
  const made = await browser.post(url, { name: 'Ada', email, password });
  expect(made.status, made.text).toBe(303);
  return { client, browser, url };
}

async function signIn(browser: ReturnType<typeof from>, email: string, given: string, next = '/device') {
  await browser.open(`/sign-in?next=${encodeURIComponent(next)}`);
  return browser.post('/sign-in', { email, password: given });
}

test('the address of the first owner works once', async () => {
  const { browser, url } = await owner('one@example.com', '203.0.113.1');
  expect((await browser.open('/sign-in')).text).toContain("You're signed in as Ada (one@example.com)");
  const again = from('203.0.113.1');
  expect((await again.open(url)).status).toBe(404);
  expect((await again.open('/owner/wal_unknown')).status).toBe(404);
});

test('of two uses of an owner’s address at once one makes the account', async () => {
  const client = await workspace.organization();
  const url = `/owner/${client.ownerToken}`;
  const browsers = [from('203.0.113.2'), from('203.0.113.3')];
  const answers = await Promise.all(
    browsers.map(async (browser, at) => {
      await browser.open(url);
      return browser.post(url, { name: 'Ada', email: `race${at}@example.com`, password });
    }),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([303, 409]);
});

test('an account’s fields are checked', async () => {
  const client = await workspace.organization();
  const browser = from('203.0.113.5');
  const url = `/owner/${client.ownerToken}`;
  const right = { name: 'Ada', email: 'new@example.com', password };
  for (const [change, fault] of [
    [{ name: ' ' }, 'Enter a name'],
    [{ email: 'nobody' }, 'Enter an email address'],
    [{ password: 'short' }, 'at least 10 characters'],
    [{ password: 'x'.repeat(201) }, 'up to 200 characters'],
  ] as const) {
    await browser.open(url);
    const answer = await browser.post(url, { ...right, ...change });
    expect(answer.status, fault).toBe(422);
    expect(answer.text).toContain(fault);
    expect(answer.text).not.toContain(password);
  }
});

test('a person signs in with e-mail in any case, and out again', async () => {
  await owner('two@example.com', '203.0.113.6');
  const browser = from('203.0.113.7');
  const answer = await signIn(browser, 'TWO@example.com', password);
  expect([answer.status, answer.location]).toEqual([303, '/device']);
  const session = browser.cookies.get('session')!;
  expect(session).toMatch(/^wps_/);
  expect((await browser.open('/device')).status).toBe(200);
  // A session from before a sign-in is never the one after it.
  await signIn(browser, 'two@example.com', password);
  expect(browser.cookies.get('session')).not.toBe(session);
  const stale = from('203.0.113.7');
  stale.cookies.set('session', session);
  expect((await stale.open('/device')).location).toBe('/sign-in?next=%2Fdevice');
  await browser.open('/sign-out');
  const current = browser.cookies.get('session')!;
  expect((await browser.post('/sign-out')).status).toBe(303);
  expect(browser.cookies.has('session')).toBe(false);
  stale.cookies.set('session', current);
  expect((await stale.open('/device')).status).toBe(303);
});

test('known and unknown accounts are refused alike, and slowed down alike', async () => {
  await owner('three@example.com', '203.0.113.8');
  const shape = async (email: string, address: string) => {
    const browser = from(address);
    const seen = [];
    for (let at = 0; at < 6; at += 1) {
      const { status, text } = await signIn(browser, email, 'wrong password');
      seen.push([status, text.replaceAll(/value="[^"]*"/g, '').replaceAll(/\d+ seconds/g, '')]);
    }
    return seen;
  };
  const known = await shape('three@example.com', '203.0.113.9');
  expect(known.map(([status]) => status)).toEqual([401, 401, 401, 401, 401, 429]);
  expect(await shape('nobody@example.com', '203.0.113.10')).toEqual(known);
  // The right password has to wait too, from wherever; afterwards it counts.
  expect((await signIn(from('203.0.113.11'), 'three@example.com', password)).status).toBe(429);
  const { rowCount } = await workspace.deps.lake.catalogPool.query(
    "UPDATE sign_in_attempts SET last_at = now() - interval '20 seconds'",
  );
  expect(rowCount).toBeGreaterThan(1);
  expect((await signIn(from('203.0.113.11'), 'three@example.com', password)).status).toBe(303);
});

test('other spellings of an e-mail are counted as the same account', async () => {
  await owner('pippi.viii@example.com', '203.0.113.20');
  for (let at = 0; at < 5; at += 1)
    await signIn(from('203.0.113.21'), 'pippi.viii@example.com', 'wrong password');
  for (const email of ['PIPPI.VIII@example.com', 'pİppi.viii@example.com'])
    expect((await signIn(from('203.0.113.22'), email, password)).status, email).not.toBe(303);
});

test('an e-mail with a NUL is nobody’s', async () => {
  const answer = await signIn(from('203.0.113.23'), 'a\u0000b@example.com', password);
  expect(answer.status).toBe(401);
});

test('who signs in does not keep the failures of their network alive, nor does who was refused add to them', async () => {
  const { catalogPool } = workspace.deps.lake;
  await owner('five@example.com', '203.0.113.24');
  const address = '203.0.113.25';
  for (let at = 0; at < 19; at += 1) await signIn(from(address), `typo${at}@example.com`, 'wrong password');
  for (let at = 0; at < 5; at += 1) await signIn(from('203.0.113.26'), 'six@example.com', 'wrong password');
  // Refused for the account: it does not count for the network.
  expect((await signIn(from(address), 'six@example.com', password)).status).toBe(429);
  await catalogPool.query("UPDATE sign_in_attempts SET last_at = last_at - interval '800 seconds'");
  expect((await signIn(from(address), 'five@example.com', password)).status).toBe(303);
  await catalogPool.query("UPDATE sign_in_attempts SET last_at = last_at - interval '101 seconds'");
  for (let at = 0; at < 3; at += 1)
    expect((await signIn(from(address), 'five@example.com', password)).status).toBe(303);
});

test('an address that tries many accounts is slowed down, also by tries at once', async () => {
  const browsers = Array.from({ length: 30 }, () => from('203.0.113.12'));
  const answers = await Promise.all(
    browsers.map((browser, at) => signIn(browser, `guess${at}@example.com`, 'wrong password')),
  );
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(10);
  expect(Number(refused[0]!.headers['retry-after'])).toBeGreaterThan(0);
});

test('forms from elsewhere are refused', async () => {
  const { browser } = await owner('four@example.com', '203.0.113.13');
  await browser.open('/sign-out');
  expect((await browser.forge('/sign-out', {})).status).toBe(403);
  expect((await browser.forge('/device', { decision: 'approve', user_code: 'BBBB-BBBB' })).status).toBe(403);
  const other = from('203.0.113.14');
  const { text } = await other.open('/sign-in');
  const [, token] = /name="form_token" value="([^"]+)"/.exec(text)!;
  // A token belongs to the cookie it was made with.
  expect((await browser.forge('/sign-out', { form_token: token! })).status).toBe(403);
  expect((await browser.open('/sign-in')).text).toContain("You're signed in");
});

test('only pages of this service follow a sign-in', () => {
  for (const next of ['/device', '/device?user_code=BCDF-GHJK', '/console/'])
    expect(nextPage(next)).toBe(next);
  for (const next of [
    undefined,
    '',
    'https://evil.example',
    '//evil.example/device',
    '/\\evil.example',
    '/device/../x',
    '/device?user_code=x&next=//evil',
    '/device\n',
    'javascript:alert(1)',
  ])
    expect(nextPage(next)).toBe('/sign-in');
});

test('pages run no scripts, and are neither framed, cached nor told to others', async () => {
  const answer = await from('203.0.113.15').open('/sign-in');
  expect(answer.headers).toMatchObject({
    'cache-control': 'no-store',
    'content-type': 'text/html; charset=utf-8',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  });
  const policy = String(answer.headers['content-security-policy']);
  expect(policy).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; frame-ancestors 'none'/,
  );
  expect(answer.text).not.toMatch(/<script|style="|onclick/);
  const [cookie] = [answer.headers['set-cookie']].flat();
  expect(cookie).toMatch(/HttpOnly; SameSite=Strict/);
});

test('attempts of the same moment do not wait for each other while they are free', async () => {
  await owner('moment@example.com', '203.0.113.90');
  // As it looks to whoever began earlier, and waited for the row until another attempt was counted.
  const { catalogPool } = workspace.deps.lake;
  expect((await signIn(from('203.0.113.91'), 'moment@example.com', 'wrong password')).status).toBe(401);
  await catalogPool.query("UPDATE sign_in_attempts SET last_at = now() + interval '1 second'");
  expect((await signIn(from('203.0.113.91'), 'moment@example.com', password)).status).toBe(303);
});

test('strangers who guess do not lock out who has signed in from there before', async () => {
  await owner('seven@example.com', '203.0.113.30');
  const home = '203.0.113.31';
  const stranger = '203.0.113.32';
  expect((await signIn(from(home), 'seven@example.com', password)).status).toBe(303);
  for (let at = 0; at < 5; at += 1) await signIn(from(stranger), 'seven@example.com', 'wrong password');
  for (let at = 0; at < 2; at += 1) {
    expect((await signIn(from('203.0.113.33'), 'seven@example.com', password)).status).toBe(429);
    // What strangers did is not forgotten by this.
    expect((await signIn(from(home), 'seven@example.com', password)).status).toBe(303);
  }
  const guesses = [];
  for (let at = 0; at < 6; at += 1)
    guesses.push((await signIn(from(home), 'seven@example.com', 'wrong password')).status);
  expect(guesses).toEqual([401, 401, 401, 401, 401, 429]);
  expect((await signIn(from(home), 'seven@example.com', password)).status).toBe(429);
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendForm } from '../../support/approvals.ts';
import { type Browser, browserOf } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { startSmtpServer, type TestSmtpServer } from '../../support/smtp-server.ts';
import { type TestClient, useOwnWorkspace } from '../../support/workspace.ts';

let mailServer!: TestSmtpServer;
beforeAll(async () => {
  mailServer = await startSmtpServer();
});
afterAll(() => mailServer.close());

const workspace = useOwnWorkspace({ trustedProxies: ['127.0.0.1'] }, () => ({
  SMTP_URL: mailServer.url,
  SMTP_FROM: 'workspace@example.com',
}));
const password = 'correct horse battery';

let bakery!: TestClient;
let mill!: TestClient;
beforeAll(async () => {
  [bakery, mill] = [await workspace.organization('Bakery'), await workspace.organization('Mill')];
});

let addresses = 0;
/** Attempts to sign in are counted by address. */
function newBrowser(): Browser {
  addresses += 1;
  return browserOf(workspace, { 'x-forwarded-for': `198.51.100.${addresses}` });
}

const pathOf = (url: string) => new URL(url).pathname;

async function invited(by: TestClient, email: string): Promise<string> {
  const { status, body } = await by.call('POST', '/v1/invitations', { body: { email, role: 'member' } });
  expect(status).toBe(201);
  return pathOf(body.data.url);
}

/** The address in a mail to somebody, counted from 1. */
async function mailed(to: string, nth = 1): Promise<string> {
  const sent = () => mailServer.mails.filter((mail) => mail.to?.[0]?.address === to);
  const mails = await eventually(
    async () => sent(),
    (found) => found.length >= nth,
  );
  return pathOf(mails[nth - 1]!.text!.split('\n')[0]!);
}

async function joined(path: string, given = password, browser = newBrowser()) {
  await browser.open(path);
  return { browser, answer: await browser.post(path, { name: 'Grace', password: given }) };
}

async function signedIn(email: string, given = password, next = '') {
  const browser = newBrowser();
  await browser.open(`/sign-in?next=${encodeURIComponent(next)}`);
  return { browser, answer: await browser.post('/sign-in', { email, password: given }) };
}

const shown = async (browser: Browser) => (await browser.open('/sign-in')).text;

/** Whom a program acts for that the person of a browser approves. */
async function approved(browser: Browser, chosen: Record<string, string> = {}) {
  const { body } = await sendForm(workspace, '/v1/auth/device/code', { client_id: 'cli' });
  const page = await browser.open(`/device?user_code=${body.user_code}`);
  const decided = await browser.post('/device', { decision: 'approve', ...chosen });
  expect(decided.text).toContain('The program is signed in');
  const { device_code } = body;
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
  const fields = { grant_type, device_code, client_id: 'cli' };
  const tokens = (await sendForm(workspace, '/v1/auth/device/token', fields)).body;
  const call: TestClient['call'] = (method, path, options = {}) =>
    workspace.call(method, path, {
      ...options,
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
  return { page, call, me: (await call('GET', '/v1/me')).body.data };
}

const memberOf = async (of: TestClient, email: string) =>
  (await of.call('GET', '/v1/members')).body.items.find(
    (member: { email: string }) => member.email === email,
  );

test('an account is a member of several organizations; sessions and tokens are of one', async () => {
  const email = 'grace@example.com';
  await joined(await invited(bakery, email));
  // Another spelling of the address, and the password of the account.
  const second = await joined(await invited(mill, 'Grace@Example.com'));
  expect(second.answer.status).toBe(303);
  expect(await shown(second.browser)).toContain('of Mill');

  const { browser, answer } = await signedIn(email);
  expect(answer.location).toBe('/sign-in/organization?next=%2Fsign-in');
  const choice = await browser.open(answer.location!);
  for (const name of ['Bakery', 'Mill']) expect(choice.text).toContain(name);
  const before = browser.cookies.get('session')!;
  const chosen = await browser.submit({ organization_id: bakery.organizationId });
  expect([chosen.status, chosen.location]).toEqual([303, '/sign-in']);
  expect(await shown(browser)).toContain('of Bakery');
  const stale = newBrowser();
  stale.cookies.set('session', before);
  expect(await shown(stale)).not.toContain("You're signed in");

  // The page of approval asks for which organization the program acts.
  const inBakery = await approved(browser);
  const inMill = await approved(browser, { organization_id: mill.organizationId });
  expect(inMill.page.text).toContain('<select id="organization_id"');
  expect(inBakery.me).toMatchObject({ email, organizationId: bakery.organizationId });
  expect(inMill.me).toMatchObject({ email: 'Grace@Example.com', organizationId: mill.organizationId });
  expect(inMill.me.id).not.toBe(inBakery.me.id);
  // A token of one organization sees nothing of the other, and a role counts where it was given.
  await bakery.call('PATCH', `/v1/members/${inBakery.me.id}`, { body: { role: 'admin' } });
  const other = await bakery.call('POST', '/v1/projects', { body: { name: 'Bread' } });
  expect((await inMill.call('GET', `/v1/projects/${other.body.data.id}`)).status).toBe(404);
  expect((await inMill.call('GET', '/v1/audit-events')).body.code).toBe('admin_required');

  // One organization removes the person; the other goes on.
  expect((await mill.call('DELETE', `/v1/members/${inMill.me.id}`)).status).toBe(200);
  await eventually(
    () => inMill.call('GET', '/v1/me'),
    ({ status }) => status === 401,
  );
  expect((await inBakery.call('GET', '/v1/me')).status).toBe(200);
  expect((await signedIn(email)).answer.location).toBe('/sign-in');
});

test('no organization is chosen that the person is no member of', async () => {
  const email = 'heidi@example.com';
  await joined(await invited(bakery, email));
  const { browser } = await signedIn(email);
  await browser.open('/sign-in/organization');
  const refused = await browser.post('/sign-in/organization', { organization_id: mill.organizationId });
  expect([refused.status, refused.text.includes('You are not a member')]).toEqual([422, true]);
  const { body } = await sendForm(workspace, '/v1/auth/device/code', { client_id: 'cli' });
  await browser.open(`/device?user_code=${body.user_code}`);
  const decided = await browser.post('/device', {
    ...{ decision: 'approve', organization_id: mill.organizationId },
  });
  expect(decided.text).toContain('Approve this login?');
});

test('an invitation says the same of known and unknown addresses, and takes no account over', async () => {
  const email = 'ivy@example.com';
  await joined(await invited(bakery, email));
  const answers = [];
  const pages = [];
  for (const to of [email, 'nobody.yet@example.com']) {
    const { status, body } = await mill.call('POST', '/v1/invitations', {
      body: { email: to, role: 'member' },
    });
    answers.push([status, Object.keys(body.data)]);
    const { text } = await newBrowser().open(pathOf(body.data.url));
    pages.push(text.replaceAll(to, '…').replaceAll(/wal_[\w-]+|value="[^"]*"/g, ''));
  }
  expect(answers[0]).toEqual(answers[1]);
  expect(pages[0]).toBe(pages[1]);
  // Whoever made the invitation opens it, with a password of their own.
  const { answer } = await joined(await invited(mill, email), 'a password of the inviter');
  expect(answer.status).toBe(303);
  const own = await signedIn(email);
  expect(own.answer.location).toBe('/sign-in');
  expect(await shown(own.browser)).toContain('of Bakery');
  const theirs = await signedIn(email, 'a password of the inviter');
  expect(await shown(theirs.browser)).toContain('of Mill');
  expect((await theirs.browser.open('/sign-in/organization')).text).not.toContain('Bakery');
});

test('a new password that an administrator was shown counts in that organization alone', async () => {
  const email = 'judy@example.com';
  await joined(await invited(bakery, email));
  await joined(await invited(mill, email));
  const { browser } = await signedIn(email);
  const kept = await approved(browser, { organization_id: bakery.organizationId });
  const ended = await approved(browser, { organization_id: mill.organizationId });
  const { id } = await memberOf(mill, email);
  const reset = await mill.call('POST', `/v1/members/${id}/password-reset`);
  const path = pathOf(reset.body.data.url);
  const admin = newBrowser();
  await admin.open(path);
  const given = 'a password of the administrator';
  expect((await admin.post(path, { password: given })).status).toBe(303);
  expect(await shown(admin)).toContain('of Mill');
  expect((await admin.open('/sign-in/organization')).text).not.toContain('Bakery');
  expect((await kept.call('GET', '/v1/me')).status).toBe(200);
  await eventually(
    () => ended.call('GET', '/v1/me'),
    ({ status }) => status === 401,
  );
  expect(await shown((await signedIn(email)).browser)).toContain('of Bakery');
  expect(await shown((await signedIn(email, given)).browser)).toContain('of Mill');
});

test('the mailed link proves an address: its account is one from then on', async () => {
  const email = 'kim@example.com';
  const shownPath = await invited(bakery, email);
  const mailedPath = await mailed(email);
  expect(mailedPath.startsWith(`${shownPath}.wal_`)).toBe(true);
  expect((await newBrowser().open(`${mailedPath}x`)).status).toBe(404);
  expect((await joined(mailedPath)).answer.status).toBe(303);
  expect((await newBrowser().open(shownPath)).status).toBe(404);
  await invited(mill, email);
  const again = await mailed(email, 2);
  const wrong = await joined(again, 'not the right password');
  expect(wrong.answer.status).toBe(422);
  expect(wrong.answer.text).toContain('You already have an account with this email');
  expect((await joined(again, password, wrong.browser)).answer.status).toBe(303);

  // A new password by mail counts everywhere, and ends what was begun with the old one.
  const { browser } = await signedIn(email);
  const tokens = await approved(browser, { organization_id: bakery.organizationId });
  const { id } = await memberOf(mill, email);
  await mill.call('POST', `/v1/members/${id}/password-reset`);
  const path = await mailed(email, 3);
  expect(path).toMatch(/^\/password\//);
  const fresh = newBrowser();
  await fresh.open(path);
  expect((await fresh.post(path, { password: 'another good password' })).status).toBe(303);
  await eventually(
    () => tokens.call('GET', '/v1/me'),
    ({ status }) => status === 401,
  );
  expect((await signedIn(email)).answer.status).toBe(401);
  const { answer } = await signedIn(email, 'another good password');
  expect(answer.location).toBe('/sign-in/organization?next=%2Fsign-in');
});

test('who is signed in joins without a password', async () => {
  const email = 'lena@example.com';
  const { browser } = await joined(await invited(bakery, email));
  const path = await invited(mill, email);
  const page = await browser.open(path);
  expect(page.text).toContain("You're signed in as Grace (lena@example.com)");
  expect(page.text).not.toContain('type="password"');
  expect((await browser.submit({ decision: 'join' })).status).toBe(303);
  expect(await shown(browser)).toContain('of Mill');
  expect((await browser.open('/sign-in/organization')).text).toContain('Bakery');
  // Not with somebody else's invitation.
  const foreign = await invited(mill, 'somebody.else@example.com');
  expect((await browser.open(foreign)).text).toContain('type="password"');
  expect((await browser.post(foreign, { decision: 'join' })).status).toBe(422);
});

test('of two who join with the same mailed address at once, one has the address', async () => {
  const email = 'max@example.com';
  await invited(bakery, email);
  const one = await mailed(email);
  await invited(mill, email);
  const other = await mailed(email, 2);
  const answers = await Promise.all([one, other].map((path) => joined(path)));
  for (const { answer } of answers) expect([303, 422]).toContain(answer.status);
  const { rows } = await workspace.deps.lake.catalogPool.query(
    'SELECT count(*) FROM accounts WHERE email = $1 AND proven_at IS NOT NULL',
    [email],
  );
  expect(rows).toEqual([{ count: 1 }]);
});

test('passwords that are tried by invitations are counted, and slow nobody else down', async () => {
  const email = 'nora@example.com';
  await joined(await invited(bakery, email));
  for (let at = 0; at < 4; at += 1) {
    const { answer } = await joined(await invited(mill, email), `guess number ${at}`);
    expect(answer.status).toBe(303);
    await mill.call('DELETE', `/v1/members/${(await memberOf(mill, email)).id}`);
  }
  // The fifth, with the one that opened the account. The right one waits too, at links alone.
  const path = await invited(mill, email);
  expect((await joined(path)).answer.status).toBe(429);
  expect((await signedIn(email)).answer.status).toBe(303);
  expect((await joined(await invited(mill, 'olga@example.com'))).answer.status).toBe(303);
  await workspace.deps.lake.catalogPool.query(
    "UPDATE sign_in_attempts SET last_at = now() - interval '1 hour'",
  );
  expect((await joined(path)).answer.status).toBe(303);
});

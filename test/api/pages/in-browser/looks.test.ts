import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInChromium } from '../../../support/chromium.ts';
import { inspect } from './inspect.ts';
import { authorization, expectTitle, password, useBrowserLab } from './lab.ts';

const longName = 'Hubert Blaine Wolfeschlegelsteinhausenbergerdorffwelchevoralternwarengewissenhaftschafers';

describeInChromium('what the pages look like', () => {
  const lab = useBrowserLab();
  const callback = 'http://127.0.0.1:49152/callback';

  test('every page is accessible in light and dark colours, and fits a narrow window', async () => {
    const page = await lab.newPage({ javaScriptEnabled: true });
    const elsewhere: string[] = [];
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== lab.origin()) elsewhere.push(request.url());
    });
    const see = (name: string) => inspect(page, name);
    const email = 'a.very.long.address.of.somebody.who.bakes.bread@a.subdomain.of.the.bakery.example.com';
    await seeLinks(page, email, see);
    await seeSignIn(page, email, see);
    await seePrograms(page, see);
    expect(elsewhere).toEqual([]);
  });

  async function seeLinks(page: Page, email: string, see: (name: string) => Promise<void>) {
    await lab.owner(page, `first.${email}`);
    await page.context().clearCookies();
    const { ownerToken } = await lab.workspace.organization('Bakery & Sons');
    await page.goto(`/owner/${ownerToken}`);
    await see('owner');
    await page.getByLabel('Name').fill(longName);
    await page.getByLabel('Email').fill('grace@localhost');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button').click();
    await page.getByText('Enter an email address.').waitFor();
    await see('owner-fault');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button').click();
    await expectTitle(page, 'Signed in');
    const { body } = await lab.client().call('POST', '/v1/invitations', { body: { email, role: 'member' } });
    await page.goto(new URL(body.data.url).pathname);
    await see('invitation-signed-in');
    await page.context().clearCookies();
    await page.reload();
    await see('invitation');
    await page.getByLabel('Name').fill(longName);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button').click();
    await expectTitle(page, 'Signed in');
    await see('signed-in');
    await page.goto('/sign-in/organization');
    await see('organizations');
    const { rows } = await lab.workspace.deps.lake.catalogPool.query(
      'SELECT id FROM users WHERE email = $1 AND organization_id = $2',
      [email, lab.client().organizationId],
    );
    const reset = await lab.client().call('POST', `/v1/members/${rows[0].id}/password-reset`);
    await page.goto(new URL(reset.body.data.url).pathname);
    await see('password');
    await page.goto('/owner/wal_unknown');
    await see('link-not-usable');
  }

  async function seeSignIn(page: Page, email: string, see: (name: string) => Promise<void>) {
    await page.goto('/sign-in?next=/device');
    await see('signed-in-continue');
    await page.goto('/sign-out');
    await see('sign-out');
    await page.context().clearCookies();
    await page.getByRole('button').click();
    await expectTitle(page, 'The form was rejected');
    await see('form-refused');
    await page.goto('/sign-in');
    await see('sign-in');
    for (let attempt = 0; attempt < 6; attempt += 1) {
      await lab.signIn(page, `first.${email}`, 'not the password');
      await page.locator('.fault, h1:has-text("Too many")').waitFor();
      if (attempt === 0) await see('sign-in-fault');
    }
    await see('sign-in-too-often');
    await page.goto('/sign-in');
    await lab.signIn(page, email);
    await expectTitle(page, 'Choose an organization');
    await page.getByRole('button').first().click();
    await expectTitle(page, 'Signed in');
  }

  async function seePrograms(page: Page, see: (name: string) => Promise<void>) {
    await page.goto('/device');
    await see('device');
    await page.getByRole('textbox').fill('BBBB-BBBB');
    await page.getByRole('button').click();
    await page.getByText('There is no login with this code.').waitFor();
    await see('device-fault');
    for (const [button, title] of [
      ['Approve', 'Approved'],
      ['Deny', 'Denied'],
    ] as const) {
      const { body } = await lab.post('/v1/auth/device/code', { client_id: 'cli' });
      await page.goto(body.verification_uri_complete);
      await see('device-decision');
      await page.getByRole('button', { name: button }).click();
      await expectTitle(page, title);
      await see(`device-${title.toLowerCase()}`);
    }
    const { body } = await registered(`The ${'very '.repeat(10)}long name`, 'com.example.program:/callback');
    await page.goto(authorization({ redirect_uri: callback }).path);
    await expectTitle(page, 'Approve this login?');
    await see('authorize');
    const own = { redirect_uri: 'com.example.program:/callback', client_id: body.client_id };
    await page.goto(authorization({ ...own, scope: 'tables:append' }).path);
    await expectTitle(page, 'Approve this login?');
    await see('authorize-registered');
    await page.goto(authorization({ redirect_uri: callback, client_id: 'nobody' }).path);
    await see('authorize-fault');
  }

  async function registered(client_name: string, redirectUri: string) {
    const answer = await lab.workspace.call('POST', '/v1/auth/register', {
      body: { client_name, redirect_uris: [redirectUri] },
    });
    expect(answer.status, answer.text).toBe(201);
    return answer;
  }

  /** What the keyboard reaches from the page's beginning, in order; each is seen to have the focus. */
  async function walked(page: Page): Promise<string[]> {
    const reached: string[] = [];
    for (;;) {
      await page.keyboard.press('Tab');
      if ((await page.locator(':focus').count()) === 0) return reached;
      const [name, outline] = await page.evaluate<[string, string]>(`(() => {
        const { activeElement: element } = document;
        const { outlineStyle, outlineWidth } = getComputedStyle(element);
        return [element.labels[0]?.textContent ?? element.textContent, outlineStyle + ' ' + outlineWidth];
      })()`);
      expect(outline).toBe('solid 3px');
      reached.push(name);
    }
  }

  test('the keyboard alone is enough to sign in and to approve', async () => {
    const page = await lab.newPage();
    await lab.owner(page, 'keys@example.com');
    await page.context().clearCookies();
    const { body } = await lab.post('/v1/auth/device/code', { client_id: 'cli' });
    await page.goto(body.verification_uri_complete);
    expect(await walked(page)).toEqual(['Email', 'Password', 'Sign in']);
    await page.keyboard.press('Tab');
    await page.keyboard.type('keys@example.com');
    await page.keyboard.press('Tab');
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');
    await expectTitle(page, 'Approve this login?');
    expect(await walked(page)).toEqual(['Approve', 'Deny']);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await expectTitle(page, 'Approved');
  });
});

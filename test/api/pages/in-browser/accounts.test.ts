import { expect, test } from 'vitest';
import { describeInChromium } from '../../../support/chromium.ts';
import { expectTitle, focusedField, password, textOf, useBrowserLab, watchCaching } from './lab.ts';

describeInChromium('accounts, in a browser without scripts', () => {
  const lab = useBrowserLab();

  test('the owner makes an account, signs out and signs in again', async () => {
    const page = await lab.newPage();
    const isNothingKept = watchCaching(page);
    const { ownerToken } = await lab.workspace.organization('Bakery & Sons');
    await page.goto(`/owner/${ownerToken}`);
    await page.getByLabel('Name').fill('Ada Lovelace');
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await expectTitle(page, 'Signed in');
    expect(await textOf(page)).toContain(
      "You're signed in as Ada Lovelace (ada@example.com) of Bakery & Sons.",
    );
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expectTitle(page, 'Sign in');
    await lab.signIn(page, 'ADA@example.com');
    await expectTitle(page, 'Signed in');
    await page.goto('/sign-out');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expectTitle(page, 'Sign in');
    isNothingKept();
  });

  test('a wrong password is told at the password, which has the focus', async () => {
    const page = await lab.newPage();
    await lab.owner(page, 'wrong@example.com');
    await page.context().clearCookies();
    await page.goto('/sign-in');
    await lab.signIn(page, 'wrong@example.com', 'not the password');
    const fault = "The email or password isn't right.";
    await page.getByText(fault).waitFor();
    expect(await page.title()).toBe('Error: Sign in');
    expect(await focusedField(page)).toEqual({ id: 'password', isInvalid: true, description: fault });
    const email = page.getByLabel('Email');
    expect(await email.inputValue()).toBe('wrong@example.com');
    expect(await email.getAttribute('aria-describedby')).toBe('fault');
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');
    await expectTitle(page, 'Signed in');
  });

  test('a fault of a new account is told at the field that it is about', async () => {
    const page = await lab.newPage();
    const { ownerToken } = await lab.workspace.organization();
    await page.goto(`/owner/${ownerToken}`);
    await page.getByLabel('Name').fill('Grace');
    // Browsers take it for an e-mail, the service does not.
    await page.getByLabel('Email').fill('grace@localhost');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Create account' }).click();
    const fault = 'Enter an email address.';
    await page.getByText(fault).waitFor();
    expect(await focusedField(page)).toEqual({ id: 'email', isInvalid: true, description: fault });
    await page.getByLabel('Email').fill('ada@example.com');
    await page.locator('#password').evaluate((field) => field.setAttribute('minlength', '1'));
    await page.getByLabel('Password').fill('short');
    await page.getByRole('button', { name: 'Create account' }).click();
    const short = 'Choose a password of at least 10 characters.';
    await page.getByText(short).waitFor();
    expect(await focusedField(page)).toEqual({
      id: 'password',
      isInvalid: true,
      description: `${short} At least 10 characters.`,
    });
  });

  test('who founds a second organization adds it to their account, and chooses at sign-in', async () => {
    const page = await lab.newPage();
    await lab.owner(page, 'founder@example.com');
    await page.context().clearCookies();
    const { ownerToken } = await lab.workspace.organization('Mill & Co');
    await page.goto(`/owner/${ownerToken}`);
    await page.getByLabel('Name').fill('Ada Lovelace');
    await page.getByLabel('Email').fill('founder@example.com');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await expectTitle(page, 'Signed in');
    expect(await textOf(page)).toContain('of Mill & Co.');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await lab.signIn(page, 'founder@example.com');
    await expectTitle(page, 'Choose an organization');
    await page.getByRole('button', { name: 'Bakery & Sons' }).click();
    await expectTitle(page, 'Signed in');
    expect(await textOf(page)).toContain('of Bakery & Sons.');
    await page.getByRole('link', { name: 'Switch to another organization' }).click();
    await page.getByRole('button', { name: 'Mill & Co' }).click();
    await expectTitle(page, 'Signed in');
    expect(await textOf(page)).toContain('of Mill & Co.');
  });

  test('an invitation makes an account, and a password is replaced', async () => {
    const { body } = await lab.client().call('POST', '/v1/invitations', {
      body: { email: 'grace@example.com', role: 'member' },
    });
    const page = await lab.newPage();
    const isNothingKept = watchCaching(page);
    await page.goto(new URL(body.data.url).pathname);
    expect(await page.getByLabel('Email').inputValue()).toBe('grace@example.com');
    await page.getByLabel('Name').fill('Grace');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await expectTitle(page, 'Signed in');

    const { rows } = await lab.workspace.deps.lake.catalogPool.query(
      "SELECT id FROM users WHERE email = 'grace@example.com'",
    );
    const reset = await lab.client().call('POST', `/v1/members/${rows[0].id}/password-reset`);
    await page.goto(new URL(reset.body.data.url).pathname);
    await expectTitle(page, 'Choose a new password');
    expect(await page.getByLabel('Email').inputValue()).toBe('grace@example.com');
    await page.getByLabel('Password').fill('another long password');
    await page.getByRole('button', { name: 'Set password' }).click();
    await expectTitle(page, 'Signed in');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await lab.signIn(page, 'grace@example.com', 'another long password');
    await expectTitle(page, 'Signed in');
    await page.goto(new URL(reset.body.data.url).pathname);
    await expectTitle(page, "This link doesn't work");
    isNothingKept();
  });

  test('after a sign-out the back button shows nothing of the person', async () => {
    const page = await lab.newPage();
    await lab.owner(page, 'back@example.com');
    await page.goto('/sign-in');
    await page.goto('/device');
    await page.goto('/sign-in');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expectTitle(page, 'Sign in');
    for (const _ of [1, 2, 3]) {
      await page.goBack({ waitUntil: 'commit' });
      await page.locator('h1').waitFor();
      expect(await textOf(page)).not.toContain('back@example.com');
    }
  });
});

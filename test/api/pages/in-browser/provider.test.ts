import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { choosePorts, isPortFree } from '../../../../local/ports.ts';
import { describeInChromium } from '../../../support/chromium.ts';
import { type OidcProvider, oidcClient, startOidcProvider } from '../../../support/oidc-provider.ts';
import { useOwnWorkspace } from '../../../support/workspace.ts';
import { claimsOf } from '../provider-lab.ts';
import { inspect } from './inspect.ts';
import { authorization, expectTitle, textOf, useBrowserLab } from './lab.ts';

describeInChromium('sign-in at a provider, which is another site, in a browser', () => {
  let provider!: OidcProvider;
  let port: number;
  beforeAll(async () => {
    ({ port } = await choosePorts(['port'], {}, isPortFree));
    provider = await startOidcProvider({ redirectUri: `${service()}/sign-in/oidc/callback` });
  });
  afterAll(() => provider?.stop());
  const workspace = useOwnWorkspace({}, () => ({
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: oidcClient.id,
    OIDC_CLIENT_SECRET: oidcClient.secret,
    OIDC_LABEL: 'Example & Sons',
  }));
  const lab = useBrowserLab(workspace, { port: () => port });
  /** Another site than that of the provider, which is at 127.0.0.1. */
  const service = () => `http://localhost:${port}`;

  async function newPage(options = {}): Promise<Page> {
    const page = await lab.newPage({ baseURL: service(), ...options });
    // The provider's own pages ask for fonts of the internet.
    await page.context().route(
      ({ hostname }) => !['localhost', '127.0.0.1'].includes(hostname),
      (route) => route.abort(),
    );
    return page;
  }

  const button = (page: Page) => page.getByRole('button', { name: 'Sign in with Example & Sons' });

  /** From the button, through the provider's pages, until the service answers. */
  async function goThrough(page: Page, claims: object): Promise<void> {
    await button(page).click();
    await page.getByPlaceholder('Enter any login').fill(JSON.stringify(claims));
    await page.getByPlaceholder('and password').fill('any');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL((url) => url.origin === service());
  }

  async function member(page: Page, sub: string) {
    const claims = claimsOf(sub);
    const { body } = await lab.client().call('POST', '/v1/invitations', {
      body: { email: claims.email, role: 'member' },
    });
    await page.goto(new URL(body.data.url).pathname);
    expect(await textOf(page)).toContain(`The invitation is for ${claims.email}.`);
    await goThrough(page, claims);
    await expectTitle(page, 'Signed in');
    return claims;
  }

  test('who was invited signs in there, and is signed in here', async () => {
    const page = await newPage();
    const { email } = await member(page, 'grace');
    expect(await textOf(page)).toContain(`You're signed in as Name of grace (${email})`);
  });

  test('a program’s request goes on after the sign-in', async () => {
    const claims = await member(await newPage(), 'ada');
    const page = await newPage();
    await page.goto(authorization({ redirect_uri: 'http://127.0.0.1:49152/callback' }).path);
    await expectTitle(page, 'Sign in');
    await goThrough(page, claims);
    await expectTitle(page, 'Approve this login?');
    expect(await textOf(page)).toContain(`Name of ada (${claims.email})`);
  });

  test('its pages are accessible in light and dark colours, and fit a narrow window', async () => {
    const page = await newPage({ javaScriptEnabled: true });
    const see = (name: string) => inspect(page, `provider-${name}`);
    await page.goto('/sign-in');
    await see('sign-in');
    const { body } = await lab.client().call('POST', '/v1/invitations', {
      body: { email: 'invited.to.look@example.com', role: 'member' },
    });
    await page.goto(new URL(body.data.url).pathname);
    await see('invitation');
    await goThrough(page, claimsOf('somebody.else'));
    await expectTitle(page, 'Not signed in');
    await see('refused');
    await page.goto('/sign-in/oidc/callback');
    await expectTitle(page, 'Not signed in');
    await see('not-begun');
  });
});

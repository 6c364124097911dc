import { afterAll, beforeAll, expect } from 'vitest';
import { browserOf, type PageAnswer, refreshOf } from '../../support/browser.ts';
import {
  type Claims,
  type OidcProvider,
  oidcClient,
  signInAtProvider,
  startOidcProvider,
} from '../../support/oidc-provider.ts';
import { type TestClient, useOwnWorkspace } from '../../support/workspace.ts';

export const claimsOf = (sub: string, change: Partial<Claims> = {}): Claims => ({
  sub,
  email: `${sub}@example.com`,
  email_verified: true,
  name: `Name of ${sub}`,
  ...change,
});

export function refused({ status, text, headers }: PageAnswer, expected: number, words: string): void {
  expect([status, text.includes(words)], text).toEqual([expected, true]);
  expect(String(headers['set-cookie'])).not.toContain('wps_');
}

/** A service where people sign in at a provider, which has a process of its own. */
export function useProviderLab() {
  let provider!: OidcProvider;
  beforeAll(async () => {
    provider = await startOidcProvider();
  });
  afterAll(() => provider.stop());
  const workspace = useOwnWorkspace({}, () => ({
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: oidcClient.id,
    OIDC_CLIENT_SECRET: oidcClient.secret,
    OIDC_LABEL: 'Example & Sons',
  }));
  let client!: TestClient;
  beforeAll(async () => {
    client = await workspace.organization('Bakery');
  });

  const run = (statement: string, values: unknown[] = []) =>
    workspace.deps.lake.catalogPool.query(statement, values);
  const newBrowser = () => browserOf(workspace);
  type Browser = ReturnType<typeof newBrowser>;

  /** Presses the button of a page, and signs in at the provider; the address that leads back. */
  async function goThrough(browser: Browser, page: string, claims: Claims): Promise<string> {
    expect((await browser.open(page)).status).toBe(200);
    const sent = await browser.submit();
    expect(sent.status, sent.text).toBe(200);
    const url = refreshOf(sent)!;
    expect(url.startsWith(`${provider.issuer}/`)).toBe(true);
    return signInAtProvider(browser, url, claims);
  }

  async function signIn(claims: Claims, { next = '' } = {}) {
    const browser = newBrowser();
    const callback = await goThrough(browser, `/sign-in?next=${encodeURIComponent(next)}`, claims);
    return { browser, answer: await browser.arrive(callback) };
  }

  async function openLink(path: string, claims: Claims) {
    const browser = newBrowser();
    return { browser, answer: await browser.arrive(await goThrough(browser, path, claims)) };
  }

  async function invited(email: string, role = 'member', by: TestClient = client): Promise<string> {
    const { body } = await by.call('POST', '/v1/invitations', { body: { email, role } });
    return new URL(body.data.url).pathname;
  }

  async function idOf(email: string): Promise<string> {
    const { rows } = await run('SELECT id FROM users WHERE email = $1 AND removed_at IS NULL', [email]);
    return rows[0].id;
  }

  /** Somebody with an account. */
  async function member(sub: string, role = 'member', of: TestClient = client) {
    const claims = claimsOf(sub);
    const { answer, browser } = await openLink(await invited(claims.email!, role, of), claims);
    expect(answer.status, answer.text).toBe(200);
    return { claims, browser, id: await idOf(claims.email!) };
  }

  /** Who the service says is signed in. */
  const shown = async (browser: Browser) => (await browser.open('/sign-in')).text;

  return {
    workspace,
    provider: () => provider,
    client: () => client,
    ...{ run, newBrowser, goThrough, signIn, openLink, invited, idOf, member, shown },
  };
}

export type LabBrowser = ReturnType<ReturnType<typeof useProviderLab>['newBrowser']>;

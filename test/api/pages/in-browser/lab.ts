import { createHash, randomBytes } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { useChromium } from '../../../support/chromium.ts';
import { type TestClient, useOwnWorkspace, type Workspace } from '../../../support/workspace.ts';

export const password = 'correct horse battery';

/** A server of another program or site, on a free port of loopback. */
export async function startSite(answer: RequestListener, certificate?: { key: string; cert: string }) {
  const server = certificate === undefined ? createServer(answer) : createHttpsServer(certificate, answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A page of another site: `localhost` is another site than 127.0.0.1, on any port. */
export async function startForeignSite(body: () => string) {
  const site = await startSite((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(`<!doctype html><title>Elsewhere</title>${body()}`);
  });
  return { url: `http://localhost:${site.port}/`, stop: site.stop };
}

/** What a program sends a browser to, with the verifier that redeems the code. */
export function authorization(change: Record<string, string>) {
  const verifier = randomBytes(32).toString('base64url');
  const parameters = new URLSearchParams({
    response_type: 'code',
    client_id: 'cli',
    state: 'a b&c',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...change,
  });
  return { verifier, path: `/v1/auth/authorize?${parameters}` };
}

export type BrowserLab = ReturnType<typeof useBrowserLab>;

/** Attempts to sign in are counted by address, and each context of this process has its own. */
let addresses = 0;

/** A service that listens on a free port, and a browser. */
export function useBrowserLab(
  workspace: Workspace = useOwnWorkspace({ trustedProxies: ['127.0.0.1'] }),
  { port = () => 0 }: { port?: () => number } = {},
) {
  const chromium = useChromium();
  let origin = '';
  let client!: TestClient;
  beforeAll(async () => {
    origin = await workspace.listen(port());
    client = await workspace.organization('Bakery & Sons');
  });

  /** Scripts are off. */
  async function newContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    addresses += 1;
    const extraHTTPHeaders = {
      'x-forwarded-for': `198.18.${Math.floor(addresses / 250)}.${(addresses % 250) + 1}`,
    };
    return chromium.newContext({ baseURL: origin, extraHTTPHeaders, ...options });
  }
  const newPage = async (options: BrowserContextOptions = {}) => (await newContext(options)).newPage();

  /** A new organization, whose owner has an account and is signed in; `accounts.test.ts` has it done by hand. */
  async function owner(page: Page, email: string, name = 'Ada Lovelace') {
    const made = await workspace.organization('Bakery & Sons');
    const path = `/owner/${made.ownerToken}`;
    const { request } = page.context();
    const form = await (await request.get(path)).text();
    const hidden = [...form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
    const fields = Object.fromEntries(hidden.map(([, field, value]) => [field!, value!]));
    const sent = await request.post(path, { form: { ...fields, name, email, password } });
    expect(await sent.text()).toContain('Signed in');
    return made;
  }

  /** Fills in the form of the page that is open. */
  async function signIn(page: Page, email: string, given = password) {
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(given);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  async function post(path: string, fields: Record<string, string>) {
    const response = await fetch(`${origin}${path}`, { method: 'POST', body: new URLSearchParams(fields) });
    // biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape.
    return { status: response.status, body: (await response.json()) as any };
  }

  async function me(token: string) {
    const response = await fetch(`${origin}/v1/me`, { headers: { authorization: `Bearer ${token}` } });
    return { status: response.status, text: await response.text() };
  }

  return {
    workspace,
    origin: () => origin,
    client: () => client,
    ...{ newContext, newPage, owner, signIn, post, me },
  };
}

/** Waits until a page with that heading is shown. */
export async function expectTitle(page: Page, title: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
}

/** What the page that is open says. */
export const textOf = async (page: Page) => (await page.locator('main').textContent()) ?? '';

/** Stops a site when the file's tests have ended. */
export function useSite<T extends { stop(): Promise<void> }>(start: () => Promise<T>): () => T {
  let site: T;
  beforeAll(async () => {
    site = await start();
  });
  afterAll(() => site.stop());
  return () => site;
}

/** What screen readers are told of the field that has the focus. */
export async function focusedField(page: Page) {
  const field = page.locator(':focus');
  const described = (await field.getAttribute('aria-describedby'))?.split(' ') ?? [];
  return {
    id: await field.getAttribute('id'),
    isInvalid: (await field.getAttribute('aria-invalid')) === 'true',
    description: (await Promise.all(described.map((id) => page.locator(`#${id}`).textContent()))).join(' '),
  };
}

/** That nothing which the service sent is kept by the browser. */
export function watchCaching(page: Page): () => void {
  const kept: string[] = [];
  page.on('response', (response) => {
    if (response.headers()['cache-control'] !== 'no-store')
      kept.push(`${response.status()} ${response.url()}`);
  });
  return () => expect(kept).toEqual([]);
}

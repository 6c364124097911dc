import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createIdentityProvider,
  type IdentityProvider,
  type OidcSettings,
  type SignInChecks,
} from '../../../../domain/workspace/people/identity-provider.ts';
import { browserOf } from '../../../support/browser.ts';
import {
  type OidcProvider,
  oidcClient,
  signInAtProvider,
  startOidcProvider,
} from '../../../support/oidc-provider.ts';

const redirectUri = 'https://workspace.example.com/sign-in/oidc/callback';
const closers: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closers) await close();
});

let server: OidcProvider;
beforeAll(async () => {
  server = await startOidcProvider({ redirectUri, tellsAllInIdToken: true });
  closers.push(server.stop);
});

function providerWith(change: Partial<OidcSettings> = {}): IdentityProvider {
  const provider = createIdentityProvider({
    issuer: new URL(server.issuer),
    clientId: oidcClient.publicId,
    clientSecret: undefined,
    scopes: 'openid email profile',
    label: 'Example',
    ...change,
  });
  closers.push(provider.close);
  return provider;
}

const ada = { sub: 'ada', email: 'ada@example.com', email_verified: true, name: ' Ada\tLovelace ' };

async function wayBack(provider: IdentityProvider, claims: object = ada) {
  const browser = browserOf({ call: () => Promise.reject(new Error('There is no service.')) });
  const { url, checks } = await provider.begin(redirectUri);
  return { callback: new URL(await signInAtProvider(browser, url, claims as typeof ada)), checks };
}

async function finished(
  provider: IdentityProvider,
  change: Partial<SignInChecks> = {},
  claims: object = ada,
) {
  const { callback, checks } = await wayBack(provider, claims);
  return provider.finish(callback, { ...checks, ...change });
}

test('a public client learns who somebody is from the ID token, by PKCE alone', async () => {
  expect(await finished(providerWith())).toEqual({
    issuer: server.issuer,
    subject: 'ada',
    email: 'ada@example.com',
    name: 'Ada Lovelace',
  });
});

test('an e-mail counts only where it is verified, and is one', async () => {
  const provider = providerWith();
  for (const change of [
    { email_verified: false },
    { email_verified: 'true' },
    { email_verified: undefined },
    { email: undefined },
    { email: 'nobody' },
    { email: 7 },
  ])
    expect((await finished(provider, {}, { ...ada, ...change })).email, JSON.stringify(change)).toBe(
      undefined,
    );
  expect((await finished(provider, {}, { ...ada, name: '\u0000' })).name).toBe(undefined);
});

test('another state, nonce or verifier than at the beginning is refused', async () => {
  const provider = providerWith();
  const other = 'x'.repeat(43);
  for (const change of [{ state: other }, { nonce: other }, { codeVerifier: other }])
    await expect(finished(provider, change)).rejects.toMatchObject({ fault: 'invalid' });
  const { callback, checks } = await wayBack(provider);
  await provider.finish(callback, checks);
  await expect(provider.finish(callback, checks)).rejects.toMatchObject({
    fault: 'invalid',
    answer: 'invalid_grant',
  });
});

test('a secret is sent as the provider takes it; a wrong one is a fault of the service, not of the person', async () => {
  const confidential = { clientId: oidcClient.id, clientSecret: oidcClient.secret };
  expect((await finished(providerWith(confidential))).subject).toBe('ada');
  await expect(finished(providerWith({ ...confidential, clientSecret: 'wrong' }))).rejects.toMatchObject({
    fault: 'unavailable',
  });
});

test('metadata of another issuer, too much of it, or none is no provider', async () => {
  const answers: Record<string, string> = {
    '/other': JSON.stringify({ issuer: server.issuer }),
    '/large': JSON.stringify({ issuer: 'x'.repeat(2_000_000) }),
    '/html': '<html>',
  };
  const http = createServer((request, response) => {
    const [path] = request.url!.split('/.well-known/');
    response.setHeader('content-type', 'application/json').end(answers[path!]);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  closers.push(() => http.close());
  const { port } = http.address() as AddressInfo;
  for (const path of Object.keys(answers)) {
    const provider = providerWith({ issuer: new URL(`http://127.0.0.1:${port}${path}`) });
    await expect(provider.begin(redirectUri)).rejects.toMatchObject({ fault: 'unavailable' });
  }
});

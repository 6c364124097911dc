import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { beforeAll, expect, test } from 'vitest';
import { type Browser, browserOf } from '../../support/browser.ts';
import { originOf } from '../../support/mcp.ts';
import { useOwnWorkspace } from '../../support/workspace.ts';

const workspace = useOwnWorkspace();
const callback = 'http://127.0.0.1:49152/callback';
let browser: Browser;

beforeAll(async () => {
  await workspace.listen();
  const { ownerToken } = await workspace.organization('Bakery');
  const host = new URL(originOf(workspace)).host;
  browser = browserOf(workspace, { host });
  await browser.open(`/owner/${ownerToken}`);
  const person = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' };
  expect((await browser.post(`/owner/${ownerToken}`, person)).status).toBe(303);
});

/** Keeps what a client keeps, and remembers where it would send the browser. */
function provider() {
  const kept: Record<string, unknown> = {};
  const keep = (name: string) => (value: unknown) => {
    kept[name] = value;
  };
  return {
    kept,
    redirectUrl: callback,
    clientMetadata: {
      client_name: 'An agent',
      redirect_uris: [callback],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => kept['client'] as never,
    saveClientInformation: keep('client'),
    tokens: () => kept['tokens'] as never,
    saveTokens: keep('tokens'),
    redirectToAuthorization: keep('url'),
    saveCodeVerifier: keep('verifier'),
    codeVerifier: () => kept['verifier'] as string,
  } satisfies OAuthClientProvider & { kept: Record<string, unknown> };
}

test('a client that knows only the address registers, sends its person to approve, and works', async () => {
  const authProvider = provider();
  const url = new URL(`${originOf(workspace)}/mcp`);
  const first = new StreamableHTTPClientTransport(url, { authProvider });
  await expect(new Client({ name: 'agent', version: '1' }).connect(first)).rejects.toThrow(UnauthorizedError);
  const asked = authProvider.kept['url'] as URL;
  expect(asked.searchParams.get('resource')).toBe(url.href);
  await browser.open(asked.pathname + asked.search);
  const { location } = await browser.post('/v1/auth/authorize', { decision: 'approve' });
  await first.finishAuth(new URL(location!).searchParams);
  const client = new Client({ name: 'agent', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(url, { authProvider }));
  const { structuredContent } = await client.callTool({ name: 'list_projects', arguments: {} });
  expect(structuredContent).toEqual({ items: [], nextCursor: null });
  await client.close();
});

test('a token for another service is not given', async () => {
  const form = {
    grant_type: 'refresh_token',
    client_id: 'cli',
    refresh_token: 'x',
    resource: 'https://other.example',
  };
  const { status, body } = await workspace.call('POST', '/v1/auth/token', {
    raw: { text: new URLSearchParams(form).toString(), contentType: 'application/x-www-form-urlencoded' },
  });
  expect([status, body.error]).toEqual([400, 'invalid_target']);
  const parameters = {
    response_type: 'code',
    client_id: 'cli',
    redirect_uri: callback,
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
    resource: 'https://other.example/mcp',
  };
  const { location } = await browser.open(`/v1/auth/authorize?${new URLSearchParams(parameters)}`);
  expect(new URL(location!).searchParams.get('error')).toBe('invalid_target');
});

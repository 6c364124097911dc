import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { parseAllowedNetworks } from '../../../data/outgoing/allowed-addresses.ts';
import { createTokenCache } from '../../../data/outgoing/client-credentials.ts';
import { createOutgoing } from '../../../data/outgoing/outgoing.ts';

const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function tokenServer(answer: (response: ServerResponse, n: number) => void) {
  const seen: { headers: IncomingHttpHeaders; form: Record<string, string> }[] = [];
  const server = createServer(async (request, response) => {
    seen.push({
      headers: request.headers,
      form: Object.fromEntries(new URLSearchParams(await text(request))),
    });
    answer(response, seen.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const outgoing = createOutgoing({ allowedPrivate: parseAllowedNetworks(`127.0.0.1:${port}`) });
  closers.push(async () => {
    await outgoing.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const credentials = {
    client_id: 'an id:',
    client_secret: 'ü/secret',
    token_url: `http://127.0.0.1:${port}/token`,
  };
  return { seen, outgoing, credentials };
}

const { signal } = new AbortController();

test('a token is asked for once, until shortly before it ends or the server does not take it', async () => {
  const { seen, outgoing, credentials } = await tokenServer((response, n) => {
    response.end(JSON.stringify({ access_token: `token-${n}`, token_type: 'Bearer', expires_in: 600 }));
  });
  let nowMs = 1_000_000;
  const cache = createTokenCache(() => nowMs);
  const ask = (key = 'one') => cache.token(key, outgoing, { ...credentials, scope: 'read' }, signal);
  expect([await ask(), await ask()]).toEqual(['token-1', 'token-1']);
  nowMs += 539_000;
  expect(await ask()).toBe('token-1');
  nowMs += 2_000;
  expect(await ask()).toBe('token-2');
  cache.forget('one');
  expect([await ask(), await ask('two')]).toEqual(['token-3', 'token-4']);
  expect(seen[0]!.form).toEqual({ grant_type: 'client_credentials', scope: 'read' });
  // RFC 6749, 2.3.1: form-encoded, then joined, then base64.
  const basic = Buffer.from('an+id%3A:%C3%BC%2Fsecret').toString('base64');
  expect(seen[0]!.headers.authorization).toBe(`Basic ${basic}`);
});

test('a refusal is told by its code, and nothing else that the server says', async () => {
  const refusals: [status: number, body: string, message: string][] = [
    [401, '{"error":"invalid_client","error_description":"ü/secret"}', '401 (invalid_client)'],
    [400, '{"error":"ü/secret"}', '400 and no token'],
    [302, '', '302 and no token'],
    [500, '<html>', '500 and no token'],
    [200, '<html>', 'no usable access token'],
    [200, '{"access_token":7}', 'no usable access token'],
    [200, '{"access_token":"two words"}', 'no usable access token'],
    [200, `{"access_token":"${'x'.repeat(70_000)}"}`, 'no usable access token'],
  ];
  for (const [status, body, message] of refusals) {
    const { outgoing, credentials } = await tokenServer((response) => {
      response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end(body);
    });
    const failed = createTokenCache().token('one', outgoing, credentials, signal);
    await expect(failed, body.slice(0, 80)).rejects.toMatchObject({
      stage: 'login',
      message: expect.stringContaining(message),
    });
    await expect(failed).rejects.not.toThrow('secret');
  }
});

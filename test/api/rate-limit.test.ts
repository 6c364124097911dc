import { expect, test } from 'vitest';
import { readApiConfig } from '../../api/config.ts';
import { useOwnWorkspace } from '../support/workspace.ts';

const perMinute = 60;
const workspace = useOwnWorkspace({ rateLimitPerMinute: perMinute, trustedProxies: ['127.0.0.1'] });

/** A call through the trusted proxy, for a client at this address. */
const from = (address: string, authorization?: string) =>
  workspace.call('GET', '/v1/me', {
    headers: { 'x-forwarded-for': address, ...(authorization === undefined ? {} : { authorization }) },
  });

/** Repeats until the first answer with this status, at most twice the limit. */
async function untilStatus(status: number, call: (index: number) => ReturnType<typeof from>) {
  for (let index = 0; index < 2 * perMinute; index += 1) {
    const answer = await call(index);
    if (answer.status === status) return { answer, served: index };
  }
  throw new Error(`No answer was ${status}.`);
}

test('bearers that nobody knows are limited by address, each new one too', async () => {
  const { answer, served } = await untilStatus(429, (index) =>
    from('198.51.100.1', `Bearer garbage${index}`),
  );
  expect(served).toBeGreaterThanOrEqual(perMinute);
  expect(answer.body.code).toBe('rate_limited');
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  for (const name of ['ratelimit', 'ratelimit-policy']) expect(answer.headers[name], name).toBeDefined();
  expect((await from('198.51.100.2', 'Bearer garbage')).status).toBe(401);
});

test('a client is known by itself: its address may be drained, and a fresh token is no fresh bucket', async () => {
  const [client, other] = [await workspace.organization(), await workspace.organization()];
  const bearer = async (scope?: string) => `Bearer ${await client.token(scope)}`;
  const address = '198.51.100.3';
  expect((await from(address, await bearer())).status).toBe(200);
  await untilStatus(429, () => from(address));
  // The token is valid, so the limit of its address no longer applies.
  const { served } = await untilStatus(429, async () => from(address, await bearer()));
  expect(served).toBeGreaterThanOrEqual(perMinute - 2);
  const remaining = async (authorization: string) =>
    Number(/r=(\d+)/.exec(String((await from('198.51.100.4', authorization)).headers['ratelimit']))?.[1]);
  expect(await remaining(await bearer('agent:read'))).toBeLessThan(perMinute / 2);
  expect(await remaining(`Bearer ${await other.token()}`)).toBe(perMinute - 1);
});

test('requests of known clients leave the bucket of their address full', async () => {
  const client = await workspace.organization();
  const address = '198.51.100.5';
  for (let index = 0; index < 5; index += 1) await from(address, `Bearer ${await client.token()}`);
  expect((await from(address)).headers['ratelimit']).toBe(`"default";r=${perMinute - 1};t=0`);
});

test('addresses of one /64 are one, and what a client says of itself counts only behind a trusted proxy', async () => {
  await untilStatus(429, (index) => from(`2001:db8:1:2::${index.toString(16)}`));
  expect((await from('2001:db8:1:3::1')).status).toBe(401);
  const answer = await workspace.app.inject({
    method: 'GET',
    url: '/healthz',
    remoteAddress: '192.0.2.1',
    headers: { 'x-forwarded-for': '2001:db8:1:2::1' },
  });
  expect(answer.statusCode).toBe(200);
});

test('the networks of trusted proxies are read from the environment, and nonsense ends the start', () => {
  const config = (list: string) => readApiConfig({ ...process.env, TRUSTED_PROXIES: list }).trustedProxies;
  expect(config('')).toEqual([]);
  expect(config('10.0.0.0/8, 192.0.2.1 fd00::/8')).toEqual(['10.0.0.0/8', '192.0.2.1', 'fd00::/8']);
  for (const wrong of ['proxy.internal', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0.0/0', '::/129'])
    expect(() => config(wrong), wrong).toThrow('an address or a network');
});

import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { parseAllowedNetworks } from '../../../../data/outgoing/allowed-addresses.ts';
import { createOutgoing, type OutgoingOptions } from '../../../../data/outgoing/outgoing.ts';
import { healthAddress, refuseUnreachable } from '../../../../domain/workspace/apps/address.ts';
import { createAppChecks } from '../../../../domain/workspace/apps/check.ts';
import { expectEventually } from '../../../support/eventually.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function served(listener: RequestListener) {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url!);
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, paths };
}

function outgoingTo(options: Partial<OutgoingOptions> = {}) {
  const outgoing = createOutgoing({ allowedPrivate: parseAllowedNetworks('127.0.0.0/8'), ...options });
  closers.push(() => outgoing.close());
  return outgoing;
}

const ask = async (url: string, options: Partial<OutgoingOptions> = {}) =>
  (await createAppChecks(outgoingTo(options), 4)('org_1', url)).status;

test('the status is what was answered; a redirect is not followed', async () => {
  const inside = await served((_, response) => response.end('secret'));
  const app = await served(({ url }, response) => {
    const status = Number(url!.slice(1));
    response.writeHead(status, status === 302 ? { location: inside.url } : {}).end();
  });
  for (const status of [200, 204, 302, 404, 500]) expect(await ask(`${app.url}/${status}`)).toBe(status);
  expect(inside.paths).toEqual([]);
});

test('a body without end is not read', async () => {
  let isOver = false;
  const app = await served((_, response) => {
    response.on('close', () => {
      isOver = true;
    });
    response.writeHead(200);
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536)));
    };
    response.on('drain', more);
    more();
  });
  expect(await ask(app.url)).toBe(200);
  await expectEventually(() => isOver).toBe(true);
});

test('no answer in time, none at all, and an address that may not be reached have no status', async () => {
  const silent = await served(() => undefined);
  expect(await ask(silent.url)).toBeNull();
  const { url, paths } = await served((_, response) => response.end());
  expect(await ask(url, { allowedPrivate: [] })).toBeNull();
  expect(paths).toEqual([]);
  expect(await ask('http://127.0.0.1:1')).toBeNull();
});

test('so many checks are under way at once, and organizations take turns', async () => {
  const order: string[] = [];
  const outgoing = {
    fetch: async (address: string | URL) => {
      order.push(String(address));
      return new Response(null, { status: 204 });
    },
  };
  const check = createAppChecks(outgoing, 1);
  await Promise.all(
    ['a1', 'a2', 'a3', 'b1'].map((name) => check(name.startsWith('a') ? 'org_a' : 'org_b', name)),
  );
  expect(order).toEqual(['a1', 'a2', 'b1', 'a3']);
});

test('the health path is below the address of the app', () => {
  const at = (url: string) => healthAddress({ url, healthPath: '/healthz?deep=1' });
  expect(at('https://sales.example.com')).toBe('https://sales.example.com/healthz?deep=1');
  expect(at('https://example.com/sales/?tab=1#top')).toBe('https://example.com/sales/healthz?deep=1');
  expect(new URL(healthAddress({ url: 'https://a.test', healthPath: '//b.test/' })).host).toBe('a.test');
});

test('http is only for what the operator opened; a name that does not resolve yet only for https', async () => {
  const outgoing = outgoingTo({
    lookup: async (host) => {
      if (host === 'nowhere.test') throw new Error('ENOTFOUND');
      const address = { 'public.test': '93.184.216.34', 'opened.test': '127.0.0.1' }[host] ?? '10.0.0.1';
      return [{ address, family: 4 }];
    },
  });
  const refused = (url: string) =>
    refuseUnreachable(outgoing, url).then(
      () => undefined,
      (error) => error.faults,
    );
  for (const url of [
    'https://public.test',
    'https://opened.test',
    'http://opened.test:8080',
    'https://nowhere.test',
  ])
    expect(await refused(url), url).toBeUndefined();
  const fault = (msg: string) => [
    { loc: ['body', 'url'], type: 'value_error', msg: expect.stringContaining(msg) },
  ];
  for (const url of ['https://private.test', 'http://private.test', 'https://10.0.0.1', 'https://[::1]:8443'])
    expect(await refused(url), url).toEqual(fault('ALLOWED_PRIVATE_ADDRESSES'));
  expect(await refused('http://public.test')).toEqual(fault('Use https://'));
  expect(await refused('http://nowhere.test')).toEqual(fault('resolved'));
});

import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { isAllowedAddress, parseAllowedNetworks } from '../../../data/outgoing/allowed-addresses.ts';
import { createByteBudget } from '../../../data/outgoing/byte-budget.ts';
import { createOutgoing, type OutgoingOptions, urlFault } from '../../../data/outgoing/outgoing.ts';

const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function outgoing(options: Partial<OutgoingOptions> = {}) {
  const made = createOutgoing({ allowedPrivate: [], ...options });
  closers.push(() => made.close());
  return made;
}

async function serverOf(answer: RequestListener): Promise<{ port: number; hits: () => number }> {
  let hits = 0;
  const server = createServer((request, response) => {
    hits += 1;
    response.on('error', () => undefined);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, hits: () => hits };
}

/** The underlying reason, inside whatever fetch wraps it in. */
async function reasonOf(promise: Promise<unknown>): Promise<unknown> {
  const error = await promise.then(
    () => undefined,
    (thrown: Error) => thrown,
  );
  return (error as { reason?: string })?.reason ?? (error?.cause as { reason?: string })?.reason;
}

test('only public addresses are reached, whichever way a private one is written', () => {
  const refused = [
    ...['127.0.0.1', '127.255.0.9', '10.0.0.1', '172.16.5.4', '192.168.1.1', '169.254.169.254', '0.0.0.0'],
    ...['100.64.0.1', '192.0.0.8', '198.18.0.1', '203.0.113.9', '224.0.0.1', '240.0.0.1', '255.255.255.255'],
    ...['::1', '::', 'fe80::1', 'fe80::1%eth0', 'fc00::1', 'fd12:3456::1', 'ff02::1', '::ffff:127.0.0.1'],
    ...['::ffff:10.0.0.1', '::127.0.0.1', '64:ff9b::7f00:1', '64:ff9b:1::a00:1', '2002:7f00:1::', '2001::1'],
    ...['2001:db8::1', 'fec0::1', '100::1', '4000::1', 'no address', ''],
  ];
  for (const address of refused) expect(isAllowedAddress(address, 443, []), address).toBe(false);
  for (const address of ['8.8.8.8', '1.1.1.1', '2606:4700::1111', '::ffff:8.8.8.8'])
    expect(isAllowedAddress(address, 443, []), address).toBe(true);
});

test('what an operator opens is open, at its port alone where one is named', () => {
  const allowed = parseAllowedNetworks('127.0.0.0/8:5433, 10.0.0.0/8\n192.168.1.7 [fd00::/8]:443,fc01::1');
  const open = (address: string, port: number) => isAllowedAddress(address, port, allowed);
  expect(open('127.0.0.1', 5433)).toBe(true);
  expect(open('::ffff:127.0.0.1', 5433)).toBe(true);
  expect(open('127.0.0.1', 5432)).toBe(false);
  expect(open('10.9.8.7', 1)).toBe(true);
  expect(open('192.168.1.7', 80)).toBe(true);
  expect(open('192.168.1.8', 80)).toBe(false);
  expect([open('fd00::9', 443), open('fd00::9', 80), open('fc01::1', 80)]).toEqual([true, false, true]);
  for (const wrong of [
    '10.0.0.0/33',
    '10.0.0.0/8:0',
    '10.0.0.0/8:70000',
    'localhost',
    '10.0.0.0/8/9',
    '10.0/8',
  ])
    expect(() => parseAllowedNetworks(wrong), wrong).toThrow(wrong);
});

test('a server at a private address never hears of a request, until its network is opened', async () => {
  const server = await serverOf((_, response) => response.end('hello'));
  const url = `http://127.0.0.1:${server.port}/`;
  for (const written of [
    url,
    url.replace('127.0.0.1', '2130706433'),
    url.replace('127.0.0.1', '[::ffff:7f00:1]'),
  ])
    expect(await reasonOf(outgoing().fetch(written)), written).toBe('address_refused');
  expect(await reasonOf(outgoing().fetch(`http://localhost:${server.port}/`))).toBe('address_refused');
  expect(server.hits()).toBe(0);
  const open = outgoing({ allowedPrivate: parseAllowedNetworks(`127.0.0.0/8:${server.port}`) });
  expect(await (await open.fetch(url)).text()).toBe('hello');
  const closed = outgoing({ allowedPrivate: parseAllowedNetworks(`127.0.0.0/8:${server.port + 1}`) });
  expect(await reasonOf(closed.fetch(url))).toBe('address_refused');
  expect(await (await outgoing({ allowedPrivate: 'any' }).fetch(url)).text()).toBe('hello');
});

test('a name is resolved once, and what was checked is what is connected to', async () => {
  const server = await serverOf((_, response) => response.end('inside'));
  let asked = 0;
  // The first answer is the test server's address; any later one would be refused, and vice versa.
  const rebinding = (first: string, later: string) => async () => {
    asked += 1;
    return [{ address: asked === 1 ? first : later, family: 4 }];
  };
  const allowedPrivate = parseAllowedNetworks('127.0.0.0/8');
  const url = `http://rebinding.test:${server.port}/`;
  const open = outgoing({ allowedPrivate, lookup: rebinding('127.0.0.1', '10.0.0.1') });
  expect(await (await open.fetch(url)).text()).toBe('inside');
  expect(asked).toBe(1);
  asked = 0;
  const turned = outgoing({ allowedPrivate, lookup: rebinding('10.0.0.1', '127.0.0.1') });
  expect(await reasonOf(turned.fetch(url))).toBe('address_refused');
  expect([asked, server.hits()]).toEqual([1, 1]);
  const mixed = outgoing({
    allowedPrivate,
    lookup: async () => [
      { address: '10.0.0.1', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ],
  });
  expect(await mixed.checkAddress('mixed.test', 1)).toEqual([{ address: '127.0.0.1', family: 4 }]);
  const unknown = outgoing({ lookup: () => Promise.reject(new Error('ENOTFOUND')) });
  expect(await reasonOf(unknown.fetch(url))).toBe('resolve');
});

test('an answer is cut off while it is read, also one that is small until it is decompressed', async () => {
  let sent = 0;
  const server = await serverOf((request, response) => {
    if (request.url === '/bomb') {
      response.setHeader('content-encoding', 'gzip');
      response.end(gzipSync(Buffer.alloc(50_000_000)));
      return;
    }
    const chunk = Buffer.alloc(65_536);
    const more = () => {
      while (!response.destroyed && response.write(chunk)) sent += chunk.length;
      sent += chunk.length;
    };
    response.on('drain', more);
    more();
  });
  const open = outgoing({ allowedPrivate: parseAllowedNetworks('127.0.0.0/8') });
  for (const path of ['endless', 'bomb']) {
    const budget = createByteBudget(100_000);
    const answer = await open.fetch(`http://127.0.0.1:${server.port}/${path}`, { budget });
    expect(await reasonOf(answer.text()), path).toBe('too_large');
    expect(budget.exceeded.aborted).toBe(true);
  }
  // The server has sent only what fits into sockets and buffers, far less than the whole body.
  expect(sent).toBeLessThan(20_000_000);
  const whole = await open.fetch(`http://127.0.0.1:${server.port}/endless`);
  expect(await reasonOf(whole.text())).toBe('too_large');
});

test('a redirect is not followed', async () => {
  const inner = await serverOf((_, response) => response.end('secret'));
  const server = await serverOf((_, response) => {
    response.writeHead(302, { location: `http://127.0.0.1:${inner.port}/` }).end();
  });
  const open = outgoing({ allowedPrivate: parseAllowedNetworks(`127.0.0.0/8:${server.port}`) });
  const answer = await open.fetch(`http://127.0.0.1:${server.port}/`);
  expect([answer.status, inner.hits()]).toEqual([302, 0]);
});

test('a URL of another kind, or with credentials, is told as such', async () => {
  expect(urlFault('https://example.com/mcp')).toBeUndefined();
  for (const url of [
    'ftp://example.com',
    'file:///etc/passwd',
    'nothing',
    'https://u:p@example.com',
    'https://u@e.com',
  ]) {
    expect(urlFault(url), url).toBeTypeOf('string');
    expect(await reasonOf(outgoing().fetch(url)), url).toBe('url');
  }
});

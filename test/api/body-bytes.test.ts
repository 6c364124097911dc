import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { expectEventually } from '../support/eventually.ts';
import { type TestClient, useOwnWorkspace } from '../support/workspace.ts';

const workspace = useOwnWorkspace({
  bodyRules: { totalBytes: 14_000_000, shareBytes: 12_000_000, windowMs: 6_000, windowBytes: 1_000 },
});
const slowly = { everyMs: 50 };
let port = 0;
let client: TestClient;
let rows: string;
beforeAll(async () => {
  await workspace.listen();
  port = (workspace.app.server.address() as AddressInfo).port;
  client = await workspace.organization();
  const body = { name: 'readings', kind: 'data', columns: [{ name: 'text', data_type: 'STRING' }] };
  const made = await client.call('POST', '/v1/grid/tables', { body });
  rows = `/v1/tables/${made.body.data.tableId}/rows`;
});

/** A request whose body is sent as the test decides. */
async function begin(path: string, contentLength: number | undefined, of = client) {
  const sent: ClientRequest = request({
    port,
    path,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${await of.token()}`,
      ...(contentLength === undefined ? {} : { 'content-length': contentLength }),
    },
  });
  const answer = new Promise<{ status: number; code: string; connection: string | undefined }>(
    (resolve, reject) => {
      // The other side may already be closed while the answer is still arriving.
      sent.on('error', (error) => void setTimeout(1_000).then(() => reject(error)));
      sent.on('response', (response: IncomingMessage) => {
        let text = '';
        response.on('data', (part) => {
          text += part;
        });
        response.on('end', () => {
          const { code } = JSON.parse(text) as { code: string };
          resolve({ status: response.statusCode!, code, connection: response.headers.connection });
        });
      });
    },
  );
  answer.catch(() => undefined);
  return { sent, answer };
}

test('a body that stalls is cut, and its connection ends', async () => {
  const { sent, answer } = await begin(rows, 1_000_000);
  sent.write('{"rows":[');
  expect(await answer).toEqual({ status: 400, code: 'invalid_request', connection: 'close' });
  sent.destroy();
});

test('a body that trickles in is cut too', async () => {
  const { sent, answer } = await begin(rows, undefined);
  const timer = setInterval(() => sent.write(' '), 100);
  expect(await answer).toMatchObject({ status: 400, code: 'invalid_request' });
  clearInterval(timer);
  sent.destroy();
});

test('what one organization has under way is bounded, and another one has its own share', async () => {
  const stalled = await Promise.all([begin(rows, 6_000_000), begin(rows, 6_000_000)]);
  for (const { sent } of stalled) sent.write('x'.repeat(5_900_000));
  // The announced length counts towards the limit; an admitted request sends nothing here.
  await expectEventually(async () => {
    const { sent, answer } = await begin(rows, 7_000_000);
    sent.flushHeaders();
    const code = await Promise.race([answer.then(({ code }) => code), setTimeout(500)]);
    sent.destroy();
    return code;
  }, slowly).toBe('overloaded');
  const other = await workspace.organization();
  const { sent, answer } = await begin('/v1/projects', undefined, other);
  sent.end('{"name":"Mine"}');
  expect((await answer).status).toBe(201);
  for (const one of stalled) one.sent.destroy();
  // Their bytes are released when they are gone.
  await expectEventually(async () => {
    const again = await begin(rows, undefined);
    again.sent.end(`{"rows":[{"s_id":1,"text":"${'y'.repeat(1_500_000)}"}]}`);
    return (await again.answer).status;
  }, slowly).toBe(200);
});

test('a body without a length is refused where it becomes too large', async () => {
  const { sent, answer } = await begin('/v1/projects', undefined);
  const timer = setInterval(() => sent.write(`"${'x'.repeat(100_000)}`), 5);
  expect(await answer).toMatchObject({ status: 400, code: 'body_too_large', connection: 'close' });
  clearInterval(timer);
  sent.destroy();
});

import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { buildApp } from '../../api/app.ts';
import { useWorkspace } from '../support/workspace.ts';

const workspace = useWorkspace();

test('a request that is on its way when the server closes is answered, and its connection ends', async () => {
  const app = await buildApp(workspace.deps);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as { port: number };
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  const ended = once(socket, 'end');
  socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n');
  await delay(100);
  const closed = app.close();
  await delay(100);
  socket.write('\r\n');
  await Promise.all([ended, closed]);
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(answer).toMatch(/connection: close/i);
});

test('what is no HTTP request is told so as a problem, and its connection ends', async () => {
  const app = await buildApp(workspace.deps);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as { port: number };
  // A client that never closes its side must keep neither the connection nor the server open.
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  socket.write('no request at all\r\n\r\n');
  await once(socket, 'end');
  await app.close();
  socket.destroy();
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 400 .*content-type: application\/problem\+json/is);
  const problem = JSON.parse(body);
  expect(problem).toMatchObject({ type: '/problems/invalid_request', status: 400, code: 'invalid_request' });
  expect(head).toContain(`x-request-id: ${problem.request_id}`);
});

test('a path that is no URL is a problem with the headers of every answer', async () => {
  const answer = await workspace.call('GET', '/v1/projects/%zz');
  expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
  for (const name of ['ratelimit', 'ratelimit-policy', 'x-request-id'])
    expect(answer.headers[name], name).toBeDefined();
});

test('an unknown column is 404 before the body is looked at', async () => {
  const client = await workspace.organization();
  const body = { name: 'readings', kind: 'data', columns: [{ name: 'amount', data_type: 'INTEGER' }] };
  const made = await client.call('POST', '/v1/grid/tables', { body });
  const url = `/v1/grid/tables/${made.body.data.tableId}/columns`;
  const faulty = { body: { data_type: 'NO_TYPE' } };
  expect((await client.call('PATCH', `${url}/other`, faulty)).status).toBe(404);
  for (const name of ['amount', 'AMOUNT'])
    expect((await client.call('PATCH', `${url}/${name}`, faulty)).status).toBe(422);
});

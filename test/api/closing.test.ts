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

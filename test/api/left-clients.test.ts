import { get } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { errors } from '../../api/plugins/errors.ts';
import { clientGone } from '../../api/reply.ts';
import { expectEventually } from '../support/eventually.ts';

test('work that stops because its client has left is not told as a fault, other faults are', async () => {
  const told: string[] = [];
  const app = Fastify({
    logger: { level: 'error', stream: { write: (line: string) => void told.push(line) } },
  });
  errors(app);
  let reached = 0;
  app.get('/stops', async (_request, reply) => {
    const gone = clientGone(reply);
    reached += 1;
    await new Promise((_, reject) =>
      gone.addEventListener('abort', () => reject(gone.reason), { once: true }),
    );
  });
  let broken = 0;
  app.get('/breaks', async (_request, reply) => {
    const gone = clientGone(reply);
    reached += 1;
    await new Promise((resolve) => gone.addEventListener('abort', resolve, { once: true }));
    broken += 1;
    throw new Error('A fault of ours.');
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  for (const path of ['/stops', '/breaks']) {
    const before = reached;
    const request = get({ port, path }).on('error', () => undefined);
    await expectEventually(() => reached).toBe(before + 1);
    request.destroy();
  }
  await expectEventually(() => broken).toBe(1);
  await expectEventually(() => told.length).toBe(1);
  expect(told[0]).toContain('A fault of ours.');
  await app.close();
});

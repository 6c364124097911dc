import { Agent, request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { expectEventually } from '../support/eventually.ts';
import { startServiceProcess } from '../support/service-process.ts';
import { useOwnWorkspace } from '../support/workspace.ts';

const workspace = useOwnWorkspace();

test('an API that was told to stop sends proxies elsewhere, and answers those that still come', async () => {
  const api = await startServiceProcess('api', {
    DATABASE_URL: workspace.databaseUrl,
    TEMPORAL_NAMESPACE: workspace.temporal.options.namespace,
    DRAIN_SECONDS: '3',
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const get = (path: string) =>
    new Promise<{ status?: number; connection?: string; body: string }>((resolve, reject) => {
      request({ port: api.ready.port, path, agent }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (text) => {
          body += text;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode, connection: response.headers.connection, body }),
        );
      })
        .on('error', reject)
        .end();
    });
  await expectEventually(() => get('/readyz')).toMatchObject({ status: 200, connection: 'keep-alive' });

  const ended = api.stop();
  await expectEventually(() => get('/readyz')).toMatchObject({ status: 503, connection: 'close' });
  const { body } = await get('/readyz');
  expect(JSON.parse(body)).toMatchObject({ status: 'stopping', dependencies: { postgres: 'up' } });
  expect(await get('/healthz')).toMatchObject({ status: 200, connection: 'close' });
  expect(await get('/v1/me')).toMatchObject({ status: 401, connection: 'close' });
  const { code, tookMs } = await ended;
  expect(code).toBe(0);
  expect(tookMs).toBeGreaterThan(2_900);
});

import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { projectOf } from '../../../support/conversations.ts';
import { useOwnWorkspace } from '../../../support/workspace.ts';

const perMinute = 20;
const workspace = useOwnWorkspace({ rateLimitPerMinute: perMinute, trustedProxies: ['127.0.0.1'] });

test('whoever has not the secret of a hook uses up nothing of it, nor whoever has it anything of an address', async () => {
  const client = await workspace.organization();
  const project = await projectOf(client);
  const graph = {
    version: 1,
    nodes: [{ id: 'one', type: 'query', name: 'One', config: { sql: 'SELECT 1 AS one' } }],
    edges: [],
  };
  const made = await client.call('POST', '/v1/workflows', {
    body: { project_id: project, title: 'Called', graph, triggers: [{ type: 'webhook' }] },
  });
  const { id, triggers } = made.body.data;
  const activated = await client.call('POST', `/v1/workflows/${id}/activation`, {
    body: { expected_revision: 1 },
  });
  expect(activated.status, activated.text).toBe(200);
  const { pathname } = new URL(triggers[0].config.hookUrl);
  const call = (address: string, secret: string, at = Math.floor(Date.now() / 1_000)) => {
    const signature = createHmac('sha256', secret).update(`${at}.{}`).digest('hex');
    return workspace.call('POST', pathname, {
      raw: { text: '{}', contentType: 'application/json' },
      headers: {
        'x-forwarded-for': address,
        'x-webhook-timestamp': String(at),
        'x-webhook-signature': `v1=${signature}`,
      },
    });
  };
  const flood = [];
  for (let sent = 0; sent < perMinute + 5; sent += 1) flood.push((await call('10.0.0.1', 'wrong')).status);
  expect(new Set(flood)).toEqual(new Set([401, 429]));

  const { secret } = triggers[0];
  const at = Math.floor(Date.now() / 1_000);
  const answers = [];
  for (let sent = 0; sent < perMinute + 5; sent += 1) answers.push(await call('10.0.0.2', secret, at));
  expect(answers.slice(0, perMinute).map(({ status }) => status)).toEqual(Array(perMinute).fill(202));
  const last = answers.at(-1)!;
  expect([last.status, last.body.code]).toEqual([429, 'rate_limited']);
  expect(last.headers['retry-after']).toBeDefined();
  const unknown = await workspace.call('POST', '/v1/hooks/nobody', {
    body: {},
    headers: { 'x-forwarded-for': '10.0.0.2' },
  });
  expect(unknown.status).toBe(404);
});

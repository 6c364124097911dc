import { createHmac } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { hashSecret, newSecret } from '../../data/encryption.ts';
import { newId } from '../../data/ids.ts';
import { personOf } from '../support/people.ts';
import { type TestClient, useWorkspace } from '../support/workspace.ts';

const workspace = useWorkspace();
let client: TestClient;

beforeAll(async () => {
  client = await workspace.organization();
});

async function eventsOf(resourceId: string): Promise<object[]> {
  const answer = await client.call('GET', `/v1/audit-events?resource_id=${resourceId}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.items;
}

test('a revoked token is recorded once, as the end of the login or by the client that had it', async () => {
  const ada = await personOf(workspace, client, 'member');
  const { catalogPool } = workspace.deps.lake;
  const run = (statement: string, values: unknown[]) => catalogPool.query(statement, values);
  const revoke = (token: string, credentials: Record<string, string> = {}) =>
    workspace.call('POST', '/v1/auth/revoke', {
      raw: {
        text: new URLSearchParams({ token, ...credentials }).toString(),
        contentType: 'application/x-www-form-urlencoded',
      },
    });
  for (const kind of ['refresh', 'access']) {
    const loginId = newId('lgn');
    await run(
      `INSERT INTO logins (organization_id, id, user_id, client_id, address, scopes, expires_at)
       VALUES ($1, $2, $3, 'cli', '127.0.0.1', '{agent:read}', now() + interval '1 day')`,
      [client.organizationId, loginId, ada.id],
    );
    const token = newSecret(kind === 'refresh' ? 'wrt' : 'wat');
    if (kind === 'refresh')
      await run('INSERT INTO refresh_tokens (organization_id, token_hash, login_id) VALUES ($1, $2, $3)', [
        client.organizationId,
        hashSecret(token),
        loginId,
      ]);
    else
      await run(
        `INSERT INTO access_tokens (organization_id, id, token_hash, user_id, login_id, scopes, expires_at)
         VALUES ($1, $2, $3, $4, $5, '{agent:read}', now() + interval '1 hour')`,
        [client.organizationId, newId('tok'), hashSecret(token), ada.id, loginId],
      );
    const first = await revoke(token);
    expect(first.status, first.text).toBe(200);
    expect((await revoke(token)).status).toBe(200);
    const seen = await eventsOf(loginId);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({
      action: 'login.ended',
      outcome: 'done',
      actor: { type: 'user', id: ada.id, name: 'member' },
      resource: { type: 'login', id: loginId, name: 'cli' },
      requestId: first.headers['x-request-id'],
    });
  }
  const other = await workspace.organization();
  const credentials = { client_id: other.clientId, client_secret: other.clientSecret };
  expect((await revoke(await other.token(), credentials)).status).toBe(200);
  const text = new URLSearchParams(credentials);
  const again = await workspace.call('POST', '/v1/auth/m2m/token', {
    raw: { text: text.toString(), contentType: 'application/x-www-form-urlencoded' },
  });
  const headers = { authorization: `Bearer ${again.body.access_token}` };
  const listed = await workspace.call('GET', '/v1/audit-events?action=login.ended', { headers });
  expect(listed.body.items).toMatchObject([
    { actor: { type: 'client', id: other.clientId }, resource: { id: other.clientId } },
  ]);
});

test('a run that a hook starts is recorded once, by the system', async () => {
  const project = (await client.call('POST', '/v1/projects', { body: { name: 'H' } })).body.data.id;
  const nodes = [{ id: 'one', type: 'query', name: 'One', config: { sql: 'SELECT 1 AS one' } }];
  const body = {
    project_id: project,
    title: 'Called',
    graph: { version: 1, parameters: {}, nodes, edges: [] },
    triggers: [{ type: 'webhook' }],
  };
  const made = await client.call('POST', '/v1/workflows', { body });
  expect(made.status, made.text).toBe(201);
  const { id, triggers } = made.body.data;
  await client.call('POST', `/v1/workflows/${id}/activation`, { body: { expected_revision: 1 } });
  const [{ id: trigger, secret, config }] = triggers;
  const at = Math.floor(Date.now() / 1_000);
  const signature = `v1=${createHmac('sha256', secret).update(`${at}.{}`).digest('hex')}`;
  const call = () =>
    workspace.call('POST', new URL(config.hookUrl).pathname, {
      raw: { text: '{}', contentType: 'application/json' },
      headers: { 'x-webhook-timestamp': String(at), 'x-webhook-signature': signature },
    });
  const first = await call();
  expect(first.status, first.text).toBe(202);
  expect((await call()).body).toEqual(first.body);
  const { runId } = first.body.data;
  const seen = await eventsOf(runId);
  expect(seen).toHaveLength(1);
  expect(seen[0]).toMatchObject({
    action: 'workflow.run',
    outcome: 'done',
    actor: { type: 'system', id: null },
    requestId: first.headers['x-request-id'],
    processId: expect.stringContaining(runId),
    detail: { trigger },
  });
});

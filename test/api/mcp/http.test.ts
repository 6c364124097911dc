import { beforeAll, expect, test } from 'vitest';
import { type TestClient, useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();
const accept = 'application/json, text/event-stream';
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

let client: TestClient;
beforeAll(async () => {
  client = await workspace.organization();
});

const post = (text: string, headers: Record<string, string> = {}) =>
  client.call('POST', '/mcp', {
    raw: { text, contentType: 'application/json' },
    headers: { accept, ...headers },
  });
const rpc = (method: string, params: object = {}, headers: Record<string, string> = {}) =>
  post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), headers);

test('without a token, a client learns who gives one', async () => {
  const { status, headers } = await workspace.call('POST', '/mcp', { body: list });
  expect(status).toBe(401);
  const [, url] = /resource_metadata="([^"]+)"/.exec(String(headers['www-authenticate']))!;
  const { body } = await workspace.call('GET', new URL(url!).pathname);
  const [issuer] = url!.split('/.well-known/');
  expect(body).toMatchObject({
    resource: `${issuer}/mcp`,
    authorization_servers: [issuer],
    scopes_supported: ['agent:read', 'agent:write', 'tables:append'],
  });
  const whole = await workspace.call('GET', '/.well-known/oauth-protected-resource');
  expect(whole.body.resource).toBe(issuer);
  const wrong = await workspace.call('POST', '/mcp', {
    body: list,
    headers: { authorization: 'Bearer wat_x' },
  });
  expect(String(wrong.headers['www-authenticate'])).toMatch(/error="invalid_token".*resource_metadata=/);
});

test('a token without a tool’s scope is told which scope to ask for', async () => {
  const headers = { authorization: `Bearer ${await client.token('agent:read')}` };
  const project_id = 'prj_01kahz3v6dfyvb1s8m3h9q2w4x';
  const params = { name: 'write_report', arguments: { project_id, title: 'x', content: 'x' } };
  const refused = await rpc('tools/call', params, headers);
  expect(refused.status, refused.text).toBe(403);
  const challenge = String(refused.headers['www-authenticate']);
  expect(challenge).toMatch(/insufficient_scope/);
  expect(challenge).toMatch(/agent:write/);
  expect(challenge).toMatch(/resource_metadata=/);
  expect((await rpc('tools/call', { name: 'list_projects', arguments: {} }, headers)).status).toBe(200);
});

test('other methods are not allowed, and pages of other sites are refused', async () => {
  for (const method of ['GET', 'DELETE'] as const) {
    const { status, headers } = await client.call(method, '/mcp');
    expect([status, headers['allow']]).toEqual([405, 'POST']);
  }
  const foreign = await post(JSON.stringify(list), { origin: 'https://evil.example.com' });
  expect([foreign.status, foreign.body.code]).toEqual([403, 'origin_refused']);
  expect((await post(JSON.stringify(list), { origin: 'http://localhost' })).status).toBe(200);
});

test('what is not a message of the protocol gets its errors, never a 500', async () => {
  const statuses: [string, string, Record<string, string>?][] = [
    ['no JSON', '{'],
    ['nothing', ''],
    ['a text', '"hello"'],
    ['null', 'null'],
    ['deep', '['.repeat(200_000)],
    [
      'deep and whole',
      `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}}`,
    ],
    ['no accept', JSON.stringify(list), { accept: 'text/html' }],
    ['an unknown revision', JSON.stringify(list), { 'mcp-protocol-version': '1999-01-01' }],
    ['a wrong id', JSON.stringify({ ...list, id: { a: 1 } })],
    [
      'NUL',
      JSON.stringify({
        ...list,
        method: 'tools/call',
        params: { name: 'query', arguments: { sql: 'SELECT \u0000' } },
      }),
    ],
  ];
  for (const [what, text, headers] of statuses) {
    const { status } = await post(text, headers);
    expect(status, what).toBeLessThan(500);
  }
  const many = await post(JSON.stringify(Array.from({ length: 500 }, (_, id) => ({ ...list, id }))));
  expect([many.status, many.body.code]).toEqual([400, 'invalid_request']);
  expect((await post(`${' '.repeat(500)}[${JSON.stringify(list)}]`)).body.code).toBe('invalid_request');
  expect((await post(`\ufeff[${JSON.stringify(list)}]`)).status).toBe(422);
  const half = { name: 'describe_table', arguments: { table_id: '\ud800' } };
  expect((await rpc('tools/call', half)).status).toBe(422);
  const large = await post(JSON.stringify({ ...list, params: { x: 'x'.repeat(3_200_000) } }));
  expect(large.body.code).toBe('body_too_large');
  const unknown = await rpc('tables/drop');
  expect(unknown.text).toContain('-32601');
  const typed = await client.call('POST', '/mcp', { raw: { text: 'a=b', contentType: 'text/plain' } });
  expect([typed.status, typed.body.code]).toEqual([400, 'unsupported_media_type']);
});

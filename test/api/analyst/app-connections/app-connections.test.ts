import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { createDatabase } from '../../../../data/postgres/client.ts';
import { expectEventually } from '../../../support/eventually.ts';
import {
  type McpServerOptions,
  startMcpServer,
  type TestMcpServer,
  type TestTool,
} from '../../../support/mcp-server.ts';
import { type TestClient, useOwnWorkspace } from '../../../support/workspace.ts';

/** Everything that is logged, at the most detailed level. */
const logged: string[] = [];
const logger = pino({ level: 'trace' }, { write: (line: string) => logged.push(line) });
const workspace = useOwnWorkspace({ logger }, () => ({ ALLOWED_PRIVATE_ADDRESSES: '127.0.0.0/8' }));
const url = '/v1/connections/app';
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const schema = { type: 'object' as const, properties: { text: { type: 'string' } } };
const search = {
  name: 'search_contacts',
  title: 'Search contacts',
  description: 'Finds contacts.',
  inputSchema: schema,
  annotations: { readOnlyHint: true },
};
const remove = { name: 'delete_contact', description: 'Deletes one.', inputSchema: schema };

async function serverOf(options: Partial<McpServerOptions> = {}): Promise<TestMcpServer> {
  const server = await startMcpServer({ tools: [search, remove], ...options });
  closers.push(() => server.close());
  return server;
}

// biome-ignore lint/suspicious/noExplicitAny: a connection as in answers.
async function connect(client: TestClient, server: { url: string }, more: object = {}): Promise<any> {
  const body = { name: `App ${randomUUID()}`, type: 'mcp', url: server.url, ...more };
  const made = await client.call('POST', url, { body });
  expect(made.status, made.text).toBe(201);
  return made.body.data;
}

test('a connection is made with the tools of its server, listed, shown, changed and deleted', async () => {
  const client = await workspace.organization();
  const server = await serverOf();
  const made = await client.call('POST', url, {
    body: { name: ' CRM ', type: 'mcp', url: server.url, secrets: { token: 'a-secret-token' } },
  });
  const { id } = made.body.data;
  expect([made.status, made.headers['location']]).toEqual([201, `${url}/${id}`]);
  expect(made.body.data).toEqual({
    id: expect.stringMatching(/^app_/),
    name: 'CRM',
    type: 'mcp',
    url: server.url,
    secretKeys: ['token'],
    validateServerAddress: true,
    status: 'ready',
    failure: null,
    tools: [
      { name: 'delete_contact', readOnly: false, policy: 'ask', changed: false, offered: true },
      { name: 'search_contacts', readOnly: true, policy: 'allow', changed: false, offered: true },
    ],
    createdByUserId: client.clientId,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    lastTestedAt: expect.any(String),
  });
  expect(server.requests[0]!.headers.authorization).toBe('Bearer a-secret-token');
  const other = await connect(client, server);
  expect((await client.call('GET', `${url}/${id}`)).body.data).toEqual(made.body.data);
  const first = await client.call('GET', `${url}?limit=1`);
  const second = await client.call('GET', `${url}?limit=1&cursor=${first.body.nextCursor}`);
  expect([...first.body.items, ...second.body.items]).toEqual([other, made.body.data]);
  const renamed = await client.call('PATCH', `${url}/${id}`, { body: { name: 'Contacts' } });
  expect(renamed.body.data).toMatchObject({ id, name: 'Contacts', secretKeys: ['token'], status: 'ready' });
  const deleted = await client.call('DELETE', `${url}/${id}`);
  expect([deleted.status, deleted.body.data]).toEqual([200, renamed.body.data]);
  expect((await client.call('GET', `${url}/${id}`)).status).toBe(404);
  expect((await client.call('GET', `${url}/${id}/tools`)).status).toBe(404);
});

test('the types tell of their fields', async () => {
  const client = await workspace.organization();
  const { status, body } = await client.call('GET', `${url}/types`);
  expect(status).toBe(200);
  expect(body.types.map(({ type }: { type: string }) => type)).toEqual(['mcp']);
  expect(body.types[0].secrets.map(({ key }: { key: string }) => key)).toContain('token_url');
});

test('names are unique in the organization, and what was made under a key is found again', async () => {
  const [client, stranger] = [await workspace.organization(), await workspace.organization()];
  const server = await serverOf();
  const body = { name: 'CRM', type: 'mcp', url: server.url };
  const headers = { 'idempotency-key': 'once' };
  const made = await client.call('POST', url, { body, headers });
  const again = await client.call('POST', url, { body, headers });
  expect([made.status, again.status, again.text]).toEqual([201, 201, made.text]);
  const taken = await client.call('POST', url, { body });
  expect([taken.status, taken.body.code]).toEqual([409, 'name_taken']);
  const other = await connect(client, server);
  const renamed = await client.call('PATCH', `${url}/${other.id}`, { body: { name: 'CRM' } });
  expect([renamed.status, renamed.body.code]).toEqual([409, 'name_taken']);
  expect((await stranger.call('POST', url, { body })).status).toBe(201);
});

test('what cannot be a connection is refused at its place', async () => {
  const client = await workspace.organization();
  const body = { name: 'CRM', type: 'mcp', url: 'https://crm.example.com/mcp' };
  const cases: [object, (string | number)[]][] = [
    [{ ...body, name: ' ' }, ['body', 'name']],
    [{ ...body, type: 'smtp' }, ['body', 'type']],
    [{ ...body, url: 'ftp://crm.example.com' }, ['body', 'url']],
    [{ ...body, url: 'https://user:pass@crm.example.com' }, ['body', 'url']],
    [{ ...body, more: 1 }, ['body', 'more']],
    [{ ...body, secrets: { password: 'x' } }, ['body', 'secrets', 'password']],
    [{ ...body, secrets: { client_id: 'x' } }, ['body', 'secrets', 'client_secret']],
    [{ ...body, secrets: { headers: { Host: 'x' } } }, ['body', 'secrets', 'headers', 'host']],
    [{ ...body, secrets: { headers: { a: 'x\ny' } } }, ['body', 'secrets', 'headers', 'a']],
  ];
  for (const [sent, place] of cases) {
    const refused = await client.call('POST', url, { body: sent });
    expect(refused.status, JSON.stringify(sent)).toBe(422);
    expect(refused.body.detail[0].loc, JSON.stringify(sent)).toEqual(place);
  }
  const unvalidated = await client.call('POST', url, { body: { ...body, validate_server_address: false } });
  expect([unvalidated.status, unvalidated.body.code]).toEqual([400, 'unsupported_option']);
  expect((await client.call('GET', url)).body.items).toEqual([]);
  const made = await connect(client, await serverOf());
  const retyped = await client.call('PATCH', `${url}/${made.id}`, { body: { type: 'smtp' } });
  expect([retyped.status, retyped.body.code]).toEqual([400, 'unsupported_option']);
  expect((await client.call('PATCH', `${url}/${made.id}`, { body: { type: 'mcp' } })).status).toBe(200);
});

test('a connection that does not work is kept, and a test says why', async () => {
  const client = await workspace.organization();
  const unauthorized = await serverOf({
    instead: ({ headers }, response) => {
      if (headers.authorization === 'Bearer right-token') return false;
      response.writeHead(401).end('wrong-token is wrong');
      return true;
    },
  });
  const made = await connect(client, unauthorized, { secrets: { token: 'wrong-token' } });
  const failure = { stage: 'login', message: "The server answered 401. It doesn't accept the secrets." };
  expect(made).toMatchObject({ status: 'failed', failure, tools: [] });
  const tested = await client.call('POST', `${url}/${made.id}/test`);
  expect([tested.status, tested.body]).toEqual([
    200,
    { data: { ok: false, elapsedMs: expect.any(Number), failure } },
  ]);
  const listed = await client.call('GET', `${url}/${made.id}/tools?refresh=true`);
  expect([listed.status, listed.body.code, listed.body.detail]).toEqual([
    400,
    'source_failed',
    failure.message,
  ]);
  const mended = await client.call('PATCH', `${url}/${made.id}`, {
    body: { secrets: { token: 'right-token' } },
  });
  expect(mended.body.data).toMatchObject({ status: 'ready', failure: null });
  expect((await client.call('POST', `${url}/${made.id}/test`)).body.data).toMatchObject({
    ok: true,
    failure: null,
  });
});

test('a private address that no operator opened is refused, by whatever name', async () => {
  const client = await workspace.organization();
  for (const address of [
    'http://10.0.0.1/mcp',
    'http://[::1]:8080/mcp',
    'http://169.254.169.254/',
    'http://[::ffff:a00:1]/',
  ]) {
    const made = await connect(client, { url: address });
    expect(made.failure?.stage, address).toBe('address_refused');
  }
  const unknown = await connect(client, { url: 'http://nowhere.invalid/mcp' });
  expect(unknown.failure.stage).toBe('resolve');
});

test('OAuth client credentials fetch a token, which a refusal has fetched anew', async () => {
  const client = await workspace.organization();
  let issued = 0;
  const server = await serverOf({
    instead: ({ headers }, response) => {
      if (headers.authorization !== 'Bearer issued-token-1') return false;
      // The first token is revoked before it is used.
      response.writeHead(401).end();
      return true;
    },
  });
  const login = createServer((_, response) => {
    issued += 1;
    response.end(JSON.stringify({ access_token: `issued-token-${issued}`, expires_in: 3_600 }));
  });
  await new Promise<void>((resolve) => login.listen(0, '127.0.0.1', resolve));
  closers.push(() => new Promise((resolve) => login.close(resolve)));
  const { port } = login.address() as AddressInfo;
  const secrets = {
    client_id: 'the-client',
    client_secret: 'the-client-secret',
    token_url: `http://127.0.0.1:${port}/token`,
  };
  const made = await connect(client, server, { secrets });
  expect(made).toMatchObject({ status: 'ready', secretKeys: ['client_id', 'client_secret', 'token_url'] });
  expect(issued).toBe(2);
  await client.call('POST', `${url}/${made.id}/test`);
  expect(issued).toBe(2);
  const moved = await client.call('PATCH', `${url}/${made.id}`, {
    body: { secrets: { token_url: 'https://evil.example/token' } },
  });
  expect([moved.status, moved.body.detail[0].loc]).toEqual([422, ['body', 'secrets', 'client_secret']]);
});

test('a token endpoint that refuses, or is at a private address, is why a connection fails', async () => {
  const client = await workspace.organization();
  const server = await serverOf();
  const login = createServer((_, response) => response.writeHead(401).end('{"error":"invalid_client"}'));
  await new Promise<void>((resolve) => login.listen(0, '127.0.0.1', resolve));
  closers.push(() => new Promise((resolve) => login.close(resolve)));
  const { port } = login.address() as AddressInfo;
  const secrets = { client_id: 'the-client', client_secret: 'the-client-secret' };
  const refused = await connect(client, server, {
    secrets: { ...secrets, token_url: `http://127.0.0.1:${port}/token` },
  });
  expect(refused.failure).toEqual({
    stage: 'login',
    message: expect.stringContaining('401 (invalid_client)'),
  });
  const inside = await connect(client, server, {
    secrets: { ...secrets, token_url: 'http://169.254.169.254/token' },
  });
  expect(inside.failure.stage).toBe('address_refused');
  expect(server.requests).toEqual([]);
});

test('secrets are in no answer, in no row in clear, and do not go to another server', async () => {
  const client = await workspace.organization();
  const token = `token-${randomUUID()}`;
  const header = `header-${randomUUID()}`;
  // A server that echoes what it was sent wherever it can.
  const telling = {
    name: 'tell',
    description: `Was sent ${token} and ${header}.`,
    inputSchema: { ...schema, title: token },
  };
  const server = await serverOf({ tools: [telling] });
  const secrets = { token, headers: { 'X-Key': header } };
  const made = await client.call('POST', url, {
    body: { name: 'CRM', type: 'mcp', url: server.url, secrets },
    headers: { 'idempotency-key': 'kept' },
  });
  const at = `${url}/${made.body.data.id}`;
  expect(made.body.data.secretKeys).toEqual(['headers.x-key', 'token']);
  expect(server.requests[0]!.headers).toMatchObject({ authorization: `Bearer ${token}`, 'x-key': header });
  const tools = await client.call('GET', `${at}/tools`);
  expect(tools.body.items[0].description).toBe('Was sent [secret] and [secret].');
  const evil = await serverOf();
  const moved = await client.call('PATCH', at, { body: { url: evil.url } });
  expect(moved.status).toBe(422);
  expect(moved.body.detail.map(({ loc }: { loc: string[] }) => loc.join('.'))).toEqual([
    'body.secrets.token',
    'body.secrets.headers.x-key',
  ]);
  expect(evil.requests).toEqual([]);
  const answers = [made, tools, moved, await client.call('GET', at), await client.call('GET', url)];
  const { pool } = createDatabase({ url: workspace.databaseUrl, maxConnections: 1, applicationName: 'test' });
  closers.push(() => pool.end());
  await pool.query("SELECT set_config('app.organization_id', $1, false)", [client.organizationId]);
  const kept: string[] = [];
  for (const table of ['app_connections', 'app_tools', 'idempotency_keys'])
    kept.push(JSON.stringify((await pool.query(`SELECT t::text, to_jsonb(t) FROM ${table} t`)).rows));
  expect(kept[0]).toContain('CRM');
  expect(logged.length).toBeGreaterThan(0);
  for (const secret of [token, header])
    for (const text of [...answers.map((answer) => answer.text), ...kept, ...logged]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(Buffer.from(secret).toString('hex'));
    }
  const given = await client.call('PATCH', at, {
    body: { url: evil.url, secrets: { token: 'for-the-other', headers: null } },
  });
  expect(given.body.data).toMatchObject({ url: evil.url, secretKeys: ['token'], status: 'ready' });
  expect(evil.requests[0]!.headers).toMatchObject({ authorization: 'Bearer for-the-other' });
  expect(evil.requests[0]!.headers['x-key']).toBeUndefined();
});

test('a person decides on a tool as it is, and is asked again once it is another', async () => {
  const client = await workspace.organization();
  const tools: TestTool[] = [{ ...search }, { ...remove }];
  const server = await serverOf({ tools });
  const { id } = await connect(client, server);
  const at = `${url}/${id}/tools`;
  const read = async (query = '') => {
    const { body } = await client.call('GET', `${at}${query}`);
    return Object.fromEntries(body.items.map((tool: { name: string }) => [tool.name, tool]));
  };
  const before = await read();
  expect(before['search_contacts']).toEqual({
    name: 'search_contacts',
    title: 'Search contacts',
    description: 'Finds contacts.',
    inputSchema: schema,
    readOnly: true,
    policy: 'allow',
    changed: false,
    offered: true,
    notOfferedReason: null,
    fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
    decidedByUserId: null,
    decidedAt: null,
    seenAt: expect.any(String),
  });
  const { fingerprint } = before['delete_contact'];
  const allowed = await client.call('PUT', `${at}/delete_contact`, {
    body: { policy: 'allow', fingerprint },
  });
  expect([allowed.status, allowed.body.data]).toMatchObject([
    200,
    { policy: 'allow', changed: false, decidedByUserId: client.clientId, decidedAt: expect.any(String) },
  ]);
  tools[1]!.description = 'Deletes all of them.';
  tools[0]!.annotations = { readOnlyHint: false };
  expect((await read())['delete_contact'].changed).toBe(false);
  const after = await read('?refresh=true');
  expect(after['delete_contact']).toMatchObject({
    policy: 'allow',
    changed: true,
    description: 'Deletes all of them.',
  });
  expect(after['search_contacts']).toMatchObject({ readOnly: false, policy: 'ask', changed: true });
  const stale = await client.call('PUT', `${at}/delete_contact`, { body: { policy: 'allow', fingerprint } });
  expect([stale.status, stale.body.code]).toEqual([409, 'conflict']);
  const denied = await client.call('PUT', `${at}/delete_contact`, { body: { policy: 'deny' } });
  expect(denied.body.data).toMatchObject({ policy: 'deny', changed: false, offered: false });
  tools.splice(1, 1);
  expect((await read('?refresh=true'))['delete_contact']).toMatchObject({
    policy: 'deny',
    offered: false,
    notOfferedReason: expect.stringContaining('no longer lists'),
  });
  expect((await client.call('PUT', `${at}/no_such_tool`, { body: { policy: 'deny' } })).status).toBe(404);
  expect((await client.call('PUT', `${at}/search_contacts`, { body: { policy: 'maybe' } })).status).toBe(422);
  for (const name of ['%00', '%ED%A0%80', '..%2f', 'x'.repeat(5_000)])
    expect((await client.call('PUT', `${at}/${name}`, { body: { policy: 'deny' } })).status, name).toBeOneOf([
      400, 404,
    ]);
});

test('tools come in pages by name, and a name with a slash is decided on too', async () => {
  const client = await workspace.organization();
  const names = ['a/b', 'c.d', 'e-f', 'g_h', 'z'];
  const server = await serverOf({ tools: names.map((name) => ({ name, inputSchema: schema })).reverse() });
  const { id } = await connect(client, server);
  const seen: string[] = [];
  let next: string | null = '';
  while (next !== null) {
    const query = next === '' ? '&refresh=true' : `&cursor=${next}`;
    const { status, body } = await client.call('GET', `${url}/${id}/tools?limit=2${query}`);
    expect(status).toBe(200);
    seen.push(...body.items.map(({ name }: { name: string }) => name));
    next = body.nextCursor;
  }
  expect(seen).toEqual(names);
  const decided = await client.call('PUT', `${url}/${id}/tools/${encodeURIComponent('a/b')}`, {
    body: { policy: 'allow' },
  });
  expect([decided.status, decided.body.data.policy]).toEqual([200, 'allow']);
});

test('at another address what was allowed has to be allowed again, and what was denied stays so', async () => {
  const client = await workspace.organization();
  const { id } = await connect(client, await serverOf());
  const decide = (tool: string, policy: string) =>
    client.call('PUT', `${url}/${id}/tools/${tool}`, { body: { policy } });
  await decide('delete_contact', 'deny');
  await decide('search_contacts', 'allow');
  const moved = await client.call('PATCH', `${url}/${id}`, { body: { url: (await serverOf()).url } });
  expect(moved.body.data.tools).toEqual([
    { name: 'delete_contact', readOnly: false, policy: 'deny', changed: true, offered: false },
    { name: 'search_contacts', readOnly: true, policy: 'allow', changed: true, offered: true },
  ]);
});

test('more tools than there may be are refused as a whole, and those that were there stay', async () => {
  const client = await workspace.organization();
  const tools = [search];
  const { id } = await connect(client, await serverOf({ tools }));
  for (let n = 0; n < 100; n += 1) tools.push({ ...search, name: `tool_${n}` });
  const tested = await client.call('POST', `${url}/${id}/test`);
  expect(tested.body.data.failure).toMatchObject({
    stage: 'request',
    message: expect.stringContaining('100 tools'),
  });
  const shown = (await client.call('GET', `${url}/${id}`)).body.data;
  expect([shown.status, shown.tools.length]).toEqual(['failed', 1]);
});

test('a change of settings while the server is asked is not undone by what the old server says', async () => {
  const client = await workspace.organization();
  let release = () => {};
  let isHeld = false;
  const old = await serverOf({
    tools: [remove],
    instead: async (_, __, { method }) => {
      if (isHeld && method === 'tools/list')
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      return false;
    },
  });
  const { id } = await connect(client, old);
  isHeld = true;
  const testing = client.call('POST', `${url}/${id}/test`);
  await expectEventually(() => old.methods().filter((method) => method === 'tools/list').length).toBe(2);
  const fresh = await serverOf({ tools: [search] });
  await client.call('PATCH', `${url}/${id}`, { body: { url: fresh.url } });
  release();
  expect((await testing).body.data.ok).toBe(true);
  const { tools } = (await client.call('GET', `${url}/${id}`)).body.data;
  expect(tools).toMatchObject([
    { name: 'delete_contact', offered: false },
    { name: 'search_contacts', offered: true },
  ]);
});

import { afterEach, expect, test } from 'vitest';
import { AppError } from '../../../../data/errors.ts';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { callOfferedTool, type OfferedToolAnswer } from '../../../../domain/analyst/app-connections/call.ts';
import { type OfferedTool, offeredTools } from '../../../../domain/analyst/app-connections/offered.ts';
import { expectEventually } from '../../../support/eventually.ts';
import { answerRpc, startMcpServer, type TestMcpServer, type TestTool } from '../../../support/mcp-server.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
const url = '/v1/connections/app';
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const schema = { type: 'object' as const };
const read: TestTool = { name: 'read', description: 'Reads.', annotations: { readOnlyHint: true } };
const write: TestTool = { name: 'write', description: 'Writes.' };

async function serverOf(tools: TestTool[], more: Partial<Parameters<typeof startMcpServer>[0]> = {}) {
  const server = await startMcpServer({ tools, ...more });
  closers.push(() => server.close());
  return server;
}

async function connect(
  client: TestClient,
  server: TestMcpServer,
  name = 'CRM',
  more: object = {},
): Promise<string> {
  const made = await client.call('POST', url, { body: { name, type: 'mcp', url: server.url, ...more } });
  expect([made.status, made.body.data?.status], made.text).toEqual([201, 'ready']);
  return made.body.data.id;
}

const offers = ({ organizationId }: TestClient): Promise<OfferedTool[]> =>
  inOrganization(workspace.deps.db, organizationId, (db) => offeredTools(db, organizationId));

const decide = (client: TestClient, id: string, tool: string, policy: string) =>
  client.call('PUT', `${url}/${id}/tools/${tool}`, { body: { policy } });

async function call(
  client: TestClient,
  tool: OfferedTool,
  input: unknown = {},
  signal = new AbortController().signal,
): Promise<OfferedToolAnswer> {
  const { organizationId } = client;
  const { connectionId, tool: name, fingerprint } = tool;
  return callOfferedTool(workspace.deps, {
    organizationId,
    connectionId,
    tool: name,
    fingerprint,
    input,
    signal,
  });
}

test('what is offered comes from rows, with the policy that holds and names that are legal', async () => {
  const [client, stranger] = [await workspace.organization(), await workspace.organization()];
  const names = [
    'search-Contacts',
    'search contacts!',
    'search_contacts',
    'größe/ÄÖ',
    'x'.repeat(128),
    '日本',
  ];
  const server = await serverOf([read, write, ...names.map((name) => ({ name, description: name }))], {
    protocol: '2025',
  });
  const id = await connect(client, server, 'Müller & Söhne — very long name of a connection');
  await connect(client, server, 'muller sohne very long name of a connection');
  const heard = server.requests.length;
  const offered = await offers(client);
  expect(server.requests.length).toBe(heard);
  // Two of the names are not valid in MCP outside ASCII, one has a space.
  expect(offered.length).toBe(2 * 5);
  const legal = /^app_[a-z0-9_]{0,60}$/;
  for (const { name } of offered) expect(name).toMatch(legal);
  expect(new Set(offered.map(({ name }) => name)).size).toBe(offered.length);
  expect(offered.map(({ name }) => name)).toEqual(offered.map(({ name }) => name).sort());
  expect(offered.find(({ tool, connectionId }) => tool === 'read' && connectionId === id)).toEqual({
    name: expect.stringMatching(/^app_mu_ller_so_hne_.*read$/),
    description: 'Reads.',
    inputSchema: schema,
    policy: 'allow',
    isReadOnly: true,
    connectionId: id,
    tool: 'read',
    fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
    connectionName: 'Müller & Söhne — very long name of a connection',
    url: expect.stringContaining('http'),
  });
  expect(offered.find(({ tool }) => tool === 'write')?.policy).toBe('ask');
  expect(await offers(stranger)).toEqual([]);
});

test('names stay when a connection is renamed, and at most 64 are offered, some of every connection', async () => {
  const client = await workspace.organization();
  const many = await serverOf(Array.from({ length: 90 }, (_, n) => ({ name: `tool_${n}` })));
  await connect(client, many, 'Many');
  const few = await connect(client, await serverOf([read, write]), 'Few');
  const before = await offers(client);
  expect(before.length).toBe(64);
  expect(before.filter(({ connectionId }) => connectionId === few).map(({ name }) => name)).toEqual([
    'app_few_read',
    'app_few_write',
  ]);
  await client.call('PATCH', `${url}/${few}`, { body: { name: 'Renamed' } });
  expect((await offers(client)).map(({ name }) => name)).toEqual(before.map(({ name }) => name));
});

test('what is offered together stays of a size that a model can read', async () => {
  const client = await workspace.organization();
  const large = { ...schema, description: 'x'.repeat(30_000) };
  const tools = Array.from({ length: 10 }, (_, n) => ({ name: `large_${n}`, inputSchema: large }));
  await connect(client, await serverOf([...tools, { name: 'small' }]));
  const offered = await offers(client);
  expect(offered.map(({ tool }) => tool)).toEqual([
    ...Array.from({ length: 6 }, (_, n) => `large_${n}`),
    'small',
  ]);
});

test('an allowed tool that changed asks, a denied one is not offered, and nor is one that is gone', async () => {
  const client = await workspace.organization();
  const tools = [{ ...read }, { ...write }];
  const id = await connect(client, await serverOf(tools));
  const policies = async () =>
    Object.fromEntries((await offers(client)).map(({ tool, policy }) => [tool, policy]));
  await decide(client, id, 'write', 'allow');
  expect(await policies()).toEqual({ read: 'allow', write: 'allow' });
  tools[0]!.description = 'Reads, and more.';
  tools[1]!.annotations = { readOnlyHint: true };
  await client.call('POST', `${url}/${id}/test`);
  expect(await policies()).toEqual({ read: 'ask', write: 'ask' });
  await decide(client, id, 'read', 'allow');
  await decide(client, id, 'write', 'deny');
  expect(await policies()).toEqual({ read: 'allow' });
  tools[1]!.description = 'Writes nothing at all.';
  await client.call('POST', `${url}/${id}/test`);
  expect(await policies()).toEqual({ read: 'allow' });
  tools.splice(0, 1);
  await client.call('POST', `${url}/${id}/test`);
  expect(await policies()).toEqual({});
});

test('a call lists the tools in its own session, and answers what the tool said', async () => {
  const client = await workspace.organization();
  const server = await serverOf([write], { protocol: '2025' });
  await connect(client, server);
  const [tool] = await offers(client);
  const heard = server.requests.length;
  const said = await call(client, tool!, { text: 'hello', big: '1' });
  expect(said).toEqual({
    output: { text: 'write: {"text":"hello","big":"1"}' },
    summary: 'write of CRM answered 33 characters.',
    isError: false,
  });
  const rest = server.requests.slice(heard).filter(({ method }) => method === 'POST');
  const methods = rest.map(({ message }) => message.method).filter((method) => method?.startsWith('tools/'));
  expect(methods).toEqual(['tools/list', 'tools/call']);
});

test('a tool that is another one when it is called is not called, and asks', async () => {
  const client = await workspace.organization();
  const tools = [{ ...write }];
  const server = await serverOf(tools);
  const id = await connect(client, server);
  await decide(client, id, 'write', 'allow');
  const [tool] = await offers(client);
  tools[0]!.inputSchema = { type: 'object', properties: { path: { type: 'string' } } };
  await expect(call(client, tool!)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringMatching(/has changed since/),
  });
  expect(server.methods()).not.toContain('tools/call');
  const [now] = await offers(client);
  expect(now).toMatchObject({ policy: 'ask', tool: 'write' });
  expect(now!.fingerprint).not.toBe(tool!.fingerprint);
  expect((await call(client, now!)).isError).toBe(false);
  tools.splice(0, 1);
  await expect(call(client, now!)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringMatching(/no longer lists it/),
  });
  expect(await offers(client)).toEqual([]);
});

test("a tool that is denied meanwhile, gone with its connection, or another organization's is not called", async () => {
  const [client, stranger] = [await workspace.organization(), await workspace.organization()];
  const server = await serverOf([write]);
  const id = await connect(client, server);
  const [tool] = await offers(client);
  await expect(call(stranger, tool!)).rejects.toMatchObject({ code: 'not_found' });
  await decide(client, id, 'write', 'deny');
  await expect(call(client, tool!)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringMatching(/is denied/),
  });
  await client.call('DELETE', `${url}/${id}`);
  await expect(call(client, tool!)).rejects.toMatchObject({ code: 'not_found' });
  expect(server.methods()).not.toContain('tools/call');
});

test('an answer is cut, told in parts, and what is no text is only told of', async () => {
  const client = await workspace.organization();
  const answers: Record<string, TestTool['run'] & {}> = {
    long: () => ({ content: [{ type: 'text', text: '€'.repeat(60_000) }] }),
    mixed: () => ({
      content: [
        { type: 'text', text: 'first' },
        { type: 'image', mimeType: 'image/png', data: 'aGVsbG8=' },
        { type: 'resource_link', uri: 'https://example.com/a', name: 'a' },
        { type: 'resource', resource: { uri: 'file:///b', text: 'second' } },
        { type: 'resource', resource: { uri: 'file:///c', blob: 'aGVsbG8=' } },
      ],
    }),
    structured: () => ({
      content: [{ type: 'text', text: '{"n": 1}' }],
      structuredContent: { n: 1 },
    }),
    failed: () => ({ isError: true, content: [{ type: 'text', text: 'No such\ncontact.' }] }),
    odd: () => ({ isError: true, content: [{ type: 'text', text: 'a\0b\ud800c' }] }),
  };
  const server = await serverOf(Object.entries(answers).map(([name, run]) => ({ name, run })));
  await connect(client, server);
  const tools = new Map((await offers(client)).map((tool) => [tool.tool, tool]));
  const said = (name: string) => call(client, tools.get(name)!);
  expect((await said('long')).output).toEqual({ text: '€'.repeat(50_000), isCut: true });
  expect((await said('mixed')).output).toEqual({
    text: 'first\n\nsecond',
    leftOut: [
      'image of the type image/png, 8 characters of base64',
      'link to https://example.com/a',
      'content of the type resource',
    ],
  });
  expect((await said('structured')).output).toEqual({ data: { n: 1 } });
  expect(await said('odd')).toEqual({
    output: { error: { code: 'source_failed', message: 'a\ufffdb\ufffdc' } },
    summary: 'odd of CRM failed: a\ufffdb\ufffdc',
    isError: true,
  });
  expect(await said('failed')).toEqual({
    output: { error: { code: 'source_failed', message: 'No such\ncontact.' } },
    summary: 'failed of CRM failed: No such contact.',
    isError: true,
  });
});

test('a server that does not answer is told in a sentence for people, without the secrets', async () => {
  const client = await workspace.organization();
  const state = { status: 0 };
  const token = 'a-very-secret-token';
  const server = await serverOf([write], {
    protocol: '2025',
    instead: (_, response, message) => {
      if (message.method !== 'tools/call' || state.status === 0) return false;
      const { id } = message;
      const error = { code: state.status === 1 ? -32_602 : -32_000, message: `Not with ${token}` };
      if (state.status <= 2) {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, error }));
      } else if (state.status === 3) return answerRpc(response, message, { content: 'no list' });
      else response.writeHead(state.status).end(token);
      return true;
    },
  });
  await connect(client, server, 'CRM', { secrets: { token } });
  const [tool] = await offers(client);
  state.status = 1;
  // Invalid input is for the model to correct.
  expect(await call(client, tool!)).toEqual({
    output: { error: { code: 'source_failed', message: 'Not with [secret]' } },
    summary: 'write of CRM rejected its input: Not with [secret]',
    isError: true,
  });
  const failures: [number, string][] = [
    [2, 'CRM: The server refused the request: Not with [secret]'],
    [3, "CRM: The server's answer isn't a valid message of the Model Context Protocol."],
    [401, "CRM: The server answered 401. It doesn't accept the secrets."],
    [500, 'CRM: The server answered 500.'],
  ];
  for (const [status, message] of failures) {
    state.status = status;
    const error = await call(client, tool!).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code: 'source_failed', message });
  }
  for (const input of [null, 'text', [1], { long: 'x'.repeat(70_000) }])
    await expect(call(client, tool!, input)).rejects.toMatchObject({ code: 'invalid_request' });
});

test('a call that is cancelled ends at once, and sessions at once are bounded', async () => {
  const client = await workspace.organization();
  let isHanging = false;
  const server = await serverOf([write], {
    instead: (_, __, { method }) => isHanging && method === 'tools/call',
  });
  await connect(client, server);
  const [tool] = await offers(client);
  isHanging = true;
  const cancel = new AbortController();
  const calls = Array.from({ length: 16 }, () => call(client, tool!, {}, cancel.signal));
  const ended = Promise.allSettled(calls);
  await expectEventually(() => server.methods().filter((method) => method === 'tools/call').length).toBe(16);
  await expect(call(client, tool!)).rejects.toMatchObject({ code: 'rate_limited' });
  // What is written meanwhile is stored, but not tested.
  const body = { name: 'Busy', type: 'mcp', url: server.url };
  const made = await client.call('POST', url, { body });
  expect([made.status, made.body.data.status]).toEqual([201, 'untested']);
  expect((await client.call('POST', `${url}/${made.body.data.id}/test`)).status).toBe(429);
  const reason = new Error('The turn was cancelled.');
  cancel.abort(reason);
  expect(await ended).toEqual(calls.map(() => ({ status: 'rejected', reason })));
  isHanging = false;
  const heard = server.requests.length;
  await expect(call(client, tool!, {}, cancel.signal)).rejects.toBe(reason);
  expect(server.requests.length).toBe(heard);
  expect((await call(client, tool!)).isError).toBe(false);
});

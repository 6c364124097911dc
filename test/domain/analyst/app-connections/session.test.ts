import { expect, test } from 'vitest';
import { RemoteFailure } from '../../../../data/outgoing/failure.ts';
import { createRedaction } from '../../../../data/outgoing/redaction.ts';
import { readListed } from '../../../../domain/analyst/app-connections/listed-tool.ts';
import { readOutput } from '../../../../domain/analyst/app-connections/tool-output.ts';
import { expectEventually } from '../../../support/eventually.ts';
import { answerRpc, type McpServerOptions, type RpcMessage } from '../../../support/mcp-server.ts';
import { inSession, serverOf } from './lab.ts';

const tool = { name: 'echo', description: 'Says it again.' };
const schema = { type: 'object' as const };

/** Why a session with a misbehaving server fails; it lists and calls the tool. */
async function failureOf(options: Partial<McpServerOptions>, timeouts = {}): Promise<RemoteFailure> {
  const server = await serverOf({ tools: [tool], ...options });
  const failed = await inSession(
    server,
    async (session) => {
      await session.listTools();
      await session.callTool({ name: 'echo', inputSchema: schema }, {});
    },
    { timeouts },
  ).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failed).toBeInstanceOf(RemoteFailure);
  return failed as RemoteFailure;
}

for (const protocol of ['2025', '2026'] as const)
  test(`lists and calls the tools of a server of the protocol of ${protocol}`, async () => {
    const server = await serverOf({ tools: [tool], protocol });
    const said = await inSession(server, async (session) => {
      const listed = readListed(await session.listTools(), createRedaction([]));
      expect(listed.map(({ name }) => name)).toEqual(['echo']);
      return session.callTool({ name: 'echo', inputSchema: listed[0]!.inputSchema! }, { a: 1 });
    });
    expect(said.content).toEqual([{ type: 'text', text: 'echo: {"a":1}' }]);
    expect(server.methods()).toContain('tools/call');
    // No client listens to a notification stream.
    expect(server.requests.filter(({ method }) => method === 'GET')).toEqual([]);
  });

test('a session that a server keeps is ended', async () => {
  const server = await serverOf({ tools: [tool], protocol: '2025' });
  await inSession(server, (session) => session.listTools());
  await expectEventually(() => server.requests.some(({ method }) => method === 'DELETE')).toBe(true);
});

const hang = () => true;
const at = (method: string, instead: NonNullable<McpServerOptions['instead']>): McpServerOptions['instead'] =>
  function only(request, response, message) {
    return message.method === method && instead(request, response, message);
  };

test('a server that hangs is given up, at whichever step', async () => {
  const timeouts = { connect: 300, list: 300, call: 300 };
  const started = performance.now();
  expect((await failureOf({ instead: hang }, timeouts)).message).toContain('(connecting)');
  for (const [method, doing, protocol] of [
    ['initialize', 'connecting', '2025'],
    ['notifications/initialized', 'connecting', '2025'],
    ['tools/list', 'listing its tools', '2025'],
    ['tools/list', 'listing its tools', '2026'],
    ['tools/call', 'calling the tool', '2025'],
    ['tools/call', 'calling the tool', '2026'],
  ] as const) {
    const failure = await failureOf({ protocol, instead: at(method, hang) }, timeouts);
    expect(failure.message, method).toBe(`The server didn't answer within 1 s (${doing}).`);
    expect(failure.stage).toBe('request');
  }
  expect(performance.now() - started).toBeLessThan(20_000);
});

test('an answer without an end, or of a gigabyte, is cut off while it is read', async () => {
  for (const [type, protocol] of [
    ['application/json', '2025'],
    ['text/event-stream', '2025'],
    ['text/event-stream', '2026'],
  ] as const) {
    let sentBytes = 0;
    let left = 1_073_741_824;
    const failure = await failureOf({
      protocol,
      instead: at('tools/call', (_, response) => {
        response.writeHead(200, { 'content-type': type });
        const chunk = Buffer.from(
          type === 'application/json' ? ' '.repeat(65_536) : `: ${' '.repeat(65_532)}\n\n`,
        );
        const more = () => {
          while (left > 0 && !response.destroyed) {
            left -= chunk.length;
            sentBytes += chunk.length;
            if (!response.write(chunk)) return;
          }
        };
        response.on('drain', more);
        more();
        return true;
      }),
    });
    expect(failure.message, type).toContain('1 MiB');
    expect(sentBytes, type).toBeLessThan(50_000_000);
  }
});

test('a slow stream of notices does not keep a call open', async () => {
  const timers: NodeJS.Timeout[] = [];
  const failure = await failureOf(
    {
      protocol: '2025',
      instead: at('tools/call', (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const notice = {
          jsonrpc: '2.0',
          method: 'notifications/progress',
          params: { progressToken: 1, progress: 1 },
        };
        timers.push(setInterval(() => response.write(`data: ${JSON.stringify(notice)}\n\n`), 50));
        return true;
      }),
    },
    { call: 500 },
  );
  for (const timer of timers) clearInterval(timer);
  expect(failure.message).toBe("The server didn't answer within 1 s (calling the tool).");
});

test('a redirect to another address is not followed, and that address hears nothing', async () => {
  const inner = await serverOf({ tools: [tool] });
  const failure = await failureOf({
    instead: (_, response) => {
      response.writeHead(307, { location: inner.url }).end();
      return true;
    },
  });
  expect(failure.message).toBe(
    "The server answered 307, a redirect to another address. The service doesn't follow redirects.",
  );
  expect(inner.requests).toEqual([]);
});

test('refusals and nonsense are told apart, without a word of what the server answered', async () => {
  const answers: [status: number, type: string, body: string, stage: string, message: RegExp][] = [
    [401, 'text/plain', 'who are you, super-secret', 'login', /answered 401/],
    [403, 'text/plain', 'not you, super-secret', 'permission', /answered 403/],
    [500, 'application/json', '{"super-secret":1}', 'request', /answered 500/],
    [200, 'text/html', '<h1>super-secret</h1>', 'request', /neither JSON/],
    [200, 'application/json', '{"super-secret"', 'request', /isn't/],
    [200, 'application/json', '{"super-secret":1}', 'request', /isn't/],
    [200, 'text/event-stream', 'data: {"super-secret"\n\n', 'request', /isn't/],
    [200, 'text/event-stream', 'data: {"super-secret":1}\n\n', 'request', /isn't/],
  ];
  for (const [status, type, body, stage, message] of answers)
    for (const method of ['all', 'tools/list', 'tools/call']) {
      const instead: McpServerOptions['instead'] = (_, response) => {
        response.writeHead(status, { 'content-type': type });
        if (type === 'text/event-stream') response.write(body);
        else response.end(body);
        return true;
      };
      // Until the protocol is negotiated the SDK waits for an event that it can parse.
      const isWaited = method === 'all' && type === 'text/event-stream';
      const failure = await failureOf(
        { protocol: '2025', instead: method === 'all' ? instead : at(method, instead) },
        isWaited ? { connect: 300 } : {},
      );
      const what = `${status} ${type} ${body} at ${method}`;
      const said = isWaited ? /didn't answer/ : message;
      expect([failure.stage, failure.message], what).toEqual([stage, expect.stringMatching(said)]);
      expect(failure.message).not.toContain('super-secret');
    }
});

test('an error of the protocol is told in one line, without the secrets', async () => {
  const server = await serverOf({
    tools: [tool],
    protocol: '2025',
    instead: at('tools/list', (_, response, { id }: RpcMessage) => {
      const message = `Your token abcdef123456\nis ${'x'.repeat(1_000)}`;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_000, message } }));
      return true;
    }),
  });
  const failed = inSession(server, (session) => session.listTools(), { secrets: ['abcdef123456'] });
  await expect(failed).rejects.toThrow(
    /^The server refused the request: Your token \[secret\] is x{200,300} …$/,
  );
});

test('a port that nobody listens at cannot be reached', async () => {
  const server = await serverOf({ tools: [] });
  await server.close();
  await expect(inSession(server, (session) => session.listTools())).rejects.toMatchObject({
    stage: 'connect',
    message: 'The server refused the connection. Nothing listens on that port.',
  });
});

test('a list that has no end is given up', async () => {
  let pages = 0;
  const failure = await failureOf({
    protocol: '2025',
    instead: at('tools/list', (_, response, message) => {
      pages += 1;
      return answerRpc(response, message, { tools: [], nextCursor: `page ${pages}` });
    }),
  });
  expect(failure.message).toMatch(/more than 20 pages/);
  expect(pages).toBe(20);
});

test('a redirect within the origin is followed', async () => {
  const server = await serverOf({
    tools: [tool],
    instead: ({ url }, response) => {
      if (url === '/moved') return false;
      response.writeHead(308, { location: '/moved' }).end();
      return true;
    },
  });
  expect(await inSession(server, (session) => session.listTools())).toHaveLength(1);
});

test('a server without TLS behind https is told as such', async () => {
  const server = await serverOf({ tools: [] });
  const url = server.url.replace('http:', 'https:');
  const failed = inSession({ ...server, url }, (session) => session.listTools());
  await expect(failed).rejects.toMatchObject({ stage: 'tls' });
});

test('a very deep answer is read as far as it needs to be, or told as none', async () => {
  const deep = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`);
  const text = (id: unknown, result: string) =>
    `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
  const nested = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  expect(
    readListed([{ ...tool, inputSchema: { type: 'object', deep } }], createRedaction(['a-secret'])),
  ).toMatchObject([{ refusal: expect.stringContaining('nested more'), inputSchema: undefined }]);
  for (const protocol of ['2025', '2026'] as const) {
    const server = await serverOf({
      tools: [tool],
      protocol,
      instead: at('tools/call', (_, response, { id }) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const result = `{"resultType":"complete","content":[],"structuredContent":{"deep":${nested}}}`;
        response.end(text(id, result));
        return true;
      }),
    });
    const output = await inSession(server, (session) =>
      session.callTool({ name: 'echo', inputSchema: schema }, {}),
    ).then(
      (result) => readOutput(result, createRedaction(['a-secret'])),
      (error: unknown) => error,
    );
    if (output instanceof Error) expect(output).toBeInstanceOf(RemoteFailure);
    else expect(output).toEqual({ text: '' });
  }
});

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import {
  type CallToolResult,
  createMcpHandler,
  Server,
  type Tool,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

export interface TestTool extends Omit<Tool, 'inputSchema'> {
  inputSchema?: Tool['inputSchema'];
  /** Its result; text if omitted. */
  run?(input: Record<string, unknown>): CallToolResult | Promise<CallToolResult>;
}

/** A JSON-RPC message as the server receives it. */
export interface RpcMessage {
  method?: string;
  id?: unknown;
  params?: { name?: string; arguments?: Record<string, unknown> };
}

export interface McpServerOptions {
  /** Read at every request, so that a test may change them. */
  tools: TestTool[];
  /** The protocol of 2025 with sessions, or that of 2026 and the older one without. */
  protocol?: '2025' | '2026';
  /** Answers instead of the server if it returns true. */
  instead?(
    request: IncomingMessage,
    response: ServerResponse,
    message: RpcMessage,
  ): boolean | Promise<boolean>;
}

export interface TestMcpServer {
  url: string;
  port: number;
  /** The received requests, newest last. */
  requests: { method: string; headers: IncomingHttpHeaders; message: RpcMessage }[];
  /** The JSON-RPC methods received. */
  methods(): (string | undefined)[];
  close(): Promise<void>;
}

/**
 * A real MCP server, built with the SDK, on a free port of loopback; it may misbehave as a test configures.
 */
export async function startMcpServer(options: McpServerOptions): Promise<TestMcpServer> {
  const requests: TestMcpServer['requests'] = [];
  const serve = options.protocol === '2025' ? withSessions(options) : stateless(options);
  const server = createServer(async (request, response) => {
    response.on('error', () => undefined);
    try {
      const body = await readText(request);
      const message = (body === '' ? {} : JSON.parse(body)) as RpcMessage;
      requests.push({ method: request.method!, headers: request.headers, message });
      if ((await options.instead?.(request, response, message)) === true) return;
      await send(await serve(toRequest(request, body)), response);
    } catch (error) {
      if (!response.headersSent) response.writeHead(500);
      response.end(String(error));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    port,
    requests,
    methods: () => requests.map(({ message }) => message.method),
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** An answer in plain JSON, for what the SDK would refuse to send. */
export function answerRpc(response: ServerResponse, { id }: RpcMessage, result: unknown): true {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  return true;
}

function makeServer({ tools }: McpServerOptions): Server {
  const server = new Server({ name: 'test', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({
    tools: tools.map(({ run: _, ...tool }) => ({
      ...tool,
      inputSchema: tool.inputSchema ?? { type: 'object' as const },
    })),
  }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    const tool = tools.find(({ name }) => name === params.name);
    const input = params.arguments ?? {};
    if (tool?.run !== undefined) return tool.run(input);
    return { content: [{ type: 'text', text: `${params.name}: ${JSON.stringify(input)}` }] };
  });
  return server;
}

type Serve = (request: Request) => Promise<Response>;

function stateless(options: McpServerOptions): Serve {
  const handler = createMcpHandler(() => makeServer(options));
  return (request) => handler.fetch(request);
}

function withSessions(options: McpServerOptions): Serve {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  return async (request) => {
    const known = sessions.get(request.headers.get('mcp-session-id') ?? '');
    if (known !== undefined) return known.handleRequest(request);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => `session-${sessions.size + 1}`,
      onsessioninitialized: (id) => {
        sessions.set(id, transport);
      },
    });
    await makeServer(options).connect(transport);
    return transport.handleRequest(request);
  };
}

function toRequest(request: IncomingMessage, body: string): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value));
  return new Request(`http://${request.headers.host}${request.url}`, {
    method: request.method!,
    headers,
    ...(body === '' ? {} : { body }),
  });
}

async function send(answer: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body === null) response.end();
  else Readable.fromWeb(answer.body as never).pipe(response);
}

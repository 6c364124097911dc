import {
  type CallToolResult,
  Client,
  type RequestOptions,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { z } from 'zod';
import { type ByteBudget, createByteBudget } from '../../../data/outgoing/byte-budget.ts';
import { RemoteFailure } from '../../../data/outgoing/failure.ts';
import type { Outgoing } from '../../../data/outgoing/outgoing.ts';
import type { Redaction } from '../../../data/outgoing/redaction.ts';
import { appFailure } from './failure.ts';
import { maxTools } from './listed-tool.ts';

/** A server and its credentials. */
export interface AppServer {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Set if the server uses expiring access tokens. */
  tokens: { token(signal: AbortSignal): Promise<string>; forget(): void } | undefined;
  redaction: Redaction;
}

export interface AppSession {
  /** The server's tools, at most `maxTools` + 1. */
  listTools(): Promise<unknown[]>;
  callTool(
    tool: { name: string; inputSchema: Record<string, unknown> },
    input: object,
  ): Promise<CallToolResult>;
}

interface Step {
  doing: string;
  timeoutMs: number;
  maxBytes: number;
}

const steps = {
  connect: { doing: 'connecting', timeoutMs: 10_000, maxBytes: 262_144 },
  list: { doing: 'listing its tools', timeoutMs: 20_000, maxBytes: 1_048_576 },
  call: { doing: 'calling the tool', timeoutMs: 60_000, maxBytes: 1_048_576 },
} satisfies Record<string, Step>;
export type StepTimeouts = Partial<Record<keyof typeof steps, number>>;

const endTimeoutMs = 2_000;
const maxListPages = 20;
const name = 'analytics-workspace';

/**
 * Checks only that it is a list: its tools are read one by one, so that a bad one does not affect the others.
 */
const listAnswer = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

/**
 * Opens a session, runs `work` in it and ends it. Each step is limited in time and in bytes read, whatever
 * the server does.
 *
 * @throws RemoteFailure where the server is why, the reason of `signal`, or what the work throws
 */
export async function withSession<T>(
  outgoing: Outgoing,
  server: AppServer,
  { signal, timeouts = {} }: { signal: AbortSignal; timeouts?: StepTimeouts | undefined },
  work: (session: AppSession) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const guard = createGuard(outgoing, server.redaction, signal, timeouts);
  const transport = new StreamableHTTPClientTransport(new URL(server.url), {
    fetch: guard.fetch,
    requestInit: { headers: { 'user-agent': name, ...server.headers } },
    ...(server.tokens === undefined ? {} : { authProvider: authProvider(server, over.signal) }),
    onInsufficientScope: 'throw',
    reconnectionOptions: {
      initialReconnectionDelay: 500,
      maxReconnectionDelay: 5_000,
      reconnectionDelayGrowFactor: 2,
      maxRetries: 2,
    },
  });
  const client = new Client(
    { name, version: '1' },
    {
      capabilities: {},
      versionNegotiation: { mode: 'auto' },
      inputRequired: { autoFulfill: false },
      // The server's schemas are not evaluated here: their patterns could take arbitrarily long.
      jsonSchemaValidator: {
        getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
      },
    },
  );
  client.onerror = guard.heard;
  try {
    await guard.step('connect', (options) => client.connect(transport, options));
    return await work(sessionOf(client, guard));
  } finally {
    void end(client, transport).finally(() => over.abort());
  }
}

function sessionOf(client: Client, guard: Guard): AppSession {
  return {
    listTools: () =>
      guard.step('list', async (options) => {
        const tools: unknown[] = [];
        let cursor: string | undefined;
        if (client.getServerCapabilities()?.tools === undefined) return tools;
        for (let page = 0; page < maxListPages && tools.length <= maxTools; page += 1) {
          const params = cursor === undefined ? {} : { cursor };
          const answer = await client.request({ method: 'tools/list', params }, listAnswer, options);
          tools.push(...answer.tools.slice(0, maxTools + 1 - tools.length));
          cursor = answer.nextCursor;
          if (cursor === undefined) return tools;
        }
        if (tools.length > maxTools) return tools;
        throw new RemoteFailure('request', `The server's list of tools has more than ${maxListPages} pages.`);
      }),
    callTool: (tool, input) =>
      guard.step('call', (options) =>
        client.callTool(
          { name: tool.name, arguments: input as Record<string, unknown> },
          { ...options, toolDefinition: tool as never },
        ),
      ),
  };
}

interface Guard {
  fetch(url: string | URL, init?: RequestInit): Promise<Response>;
  step<T>(step: keyof typeof steps, work: (options: RequestOptions) => Promise<T>): Promise<T>;
  /**
   * For errors that the SDK reports only through its callback: otherwise an answer that is not JSON would be
   * waited for until the timeout.
   */
  heard(error: Error): void;
}

function createGuard(
  outgoing: Outgoing,
  redaction: Redaction,
  signal: AbortSignal,
  timeouts: StepTimeouts,
): Guard {
  let budget: ByteBudget = createByteBudget(steps.connect.maxBytes);
  /** The underlying error, which the SDK would report in its own words. */
  let failure: unknown;
  let broken = new AbortController();
  const fail = (error: unknown) => {
    failure ??= error;
    broken.abort(error);
  };
  return {
    async fetch(url, init = {}) {
      // Unsolicited notifications are not read; a broken-off answer may be resumed.
      if (init.method === 'GET' && !new Headers(init.headers).has('last-event-id'))
        return new Response(null, { status: 405 });
      try {
        return await outgoing.fetch(url, { ...init, budget });
      } catch (error) {
        if (init.signal?.aborted !== true) failure ??= error;
        throw error;
      }
    },
    heard(error) {
      if (error instanceof SyntaxError || error.name === 'ZodError')
        fail(
          new RemoteFailure('request', "The server's answer isn't JSON, or isn't a message of its protocol."),
        );
    },
    step(step, work) {
      const { doing, maxBytes } = steps[step];
      const timeoutMs = timeouts[step] ?? steps[step].timeoutMs;
      budget = createByteBudget(maxBytes);
      broken = new AbortController();
      // An error that an earlier step recovered from does not explain why this one fails.
      failure = undefined;
      const ends = AbortSignal.any([signal, budget.exceeded, broken.signal]);
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          const seconds = Math.ceil(timeoutMs / 1_000);
          fail(new RemoteFailure('request', `The server didn't answer within ${seconds} s (${doing}).`));
        }, timeoutMs);
        const finish = () => {
          clearTimeout(timer);
          ends.removeEventListener('abort', stop);
        };
        const refuse = (error: unknown) => {
          finish();
          reject(signal.aborted ? signal.reason : appFailure(failure ?? error, redaction));
        };
        const stop = () => refuse(ends.reason);
        if (ends.aborted) return stop();
        ends.addEventListener('abort', stop, { once: true });
        work({ timeout: timeoutMs + 1_000, maxTotalTimeout: timeoutMs + 1_000 }).then((done) => {
          finish();
          resolve(done);
        }, refuse);
      });
    },
  };
}

function authProvider({ tokens, redaction }: AppServer, signal: AbortSignal) {
  return {
    async token() {
      const token = await tokens!.token(signal);
      redaction.add(token);
      return token;
    },
    onUnauthorized: async () => tokens!.forget(),
  };
}

/** Ends the server's session, if it has one, and closes everything still open. */
async function end(client: Client, transport: StreamableHTTPClientTransport): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, endTimeoutMs);
  });
  await Promise.race([transport.terminateSession().catch(() => undefined), late]);
  clearTimeout(timer);
  await client.close().catch(() => undefined);
}

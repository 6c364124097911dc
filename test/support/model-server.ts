import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { type ModelUsage, type ModelWord, modelChunks, wholeAnswer } from './model-chunks.ts';

/** A request as the provider receives it, in the OpenAI wire format. */
export interface ModelRequestBody {
  model: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read messages of any shape.
  messages: any[];
  // biome-ignore lint/suspicious/noExplicitAny: and into tools.
  tools?: any[];
  tool_choice?: unknown;
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
  reasoning_effort?: string;
  [member: string]: unknown;
}

export interface ModelRequest {
  body: ModelRequestBody;
  headers: IncomingHttpHeaders;
  /** Whether the client left before it had the whole answer. */
  wasAborted: boolean;
  /** Resolves when the answer has ended, from either side. */
  ended: Promise<'answered' | 'aborted'>;
}

interface Timing {
  /** Between deltas, and before the first. */
  delayMs?: number;
  /** The connection breaks after that many deltas. */
  cutAfter?: number;
}

export type ModelReply = Timing &
  (
    | {
        text?: string | string[];
        reasoning?: string | string[];
        /** Arguments are sent verbatim, JSON or not. */
        toolCalls?: { name: string; arguments: string | object }[];
        usage?: ModelUsage;
        /** By default, as the answer implies. */
        finishReason?: string;
      }
    | { status: number; headers?: Record<string, string>; body?: unknown }
    /** The body's chunks, byte for byte. */
    | { raw: string[] }
    /** Headers, and nothing after them. */
    | { hang: true }
    /** Continues until the client has gone. */
    | { endless: { delta: string; everyMs?: number } }
  );

/** Answers the n-th request, counted from 0. */
export type ModelScript = (request: ModelRequestBody, n: number) => ModelReply | Promise<ModelReply>;

export interface ModelServer {
  /** For MODEL_BASE_URL. */
  url: string;
  requests: ModelRequest[];
  close(): Promise<void>;
}

const beforeCutMs = 100;

/** A language model provider on a free port: a real server with scripted answers. */
export async function startModelServer(script: ModelScript): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  const server = createServer((request, response) => {
    response.on('error', () => {});
    serve(script, requests, request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, { error: { message: String(error), type: 'server_error' } });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function serve(
  script: ModelScript,
  requests: ModelRequest[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const given = await readText(request);
  if (request.method !== 'POST' || request.url !== '/v1/chat/completions')
    return sendJson(response, 404, { error: { message: `There is no ${request.url}.` } });
  const body = JSON.parse(given) as ModelRequestBody;
  const n = requests.length;
  const answer = openAnswer(response);
  const recorded: ModelRequest = { body, headers: request.headers, wasAborted: false, ended: answer.ended };
  requests.push(recorded);
  void answer.ended.then((how) => {
    recorded.wasAborted = how === 'aborted';
  });
  const reply = await script(body, n);
  if (!answer.isOpen()) return;
  if ('status' in reply) return sendJson(response, reply.status, reply.body ?? {}, reply.headers);
  const hasWords = !('raw' in reply || 'hang' in reply || 'endless' in reply);
  if (hasWords && body.stream !== true) return sendJson(response, 200, wholeAnswer(body.model, n, reply));
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.flushHeaders();
  if ('hang' in reply) return;
  await stream(answer, wordsOf(reply, body, n), reply);
}

function wordsOf(reply: ModelReply, body: ModelRequestBody, n: number): Iterable<ModelWord> {
  if ('raw' in reply) return reply.raw.map((data) => ({ data, isDelta: true }));
  const hasUsage = body.stream_options?.include_usage === true;
  if ('endless' in reply) return modelChunks(body.model, n, repeated(reply.endless.delta), hasUsage);
  return modelChunks(body.model, n, 'status' in reply || 'hang' in reply ? {} : reply, hasUsage);
}

function repeated(delta: string): { text: Iterable<string> } {
  return {
    text: {
      *[Symbol.iterator]() {
        while (true) yield delta;
      },
    },
  };
}

async function stream(answer: Answer, words: Iterable<ModelWord>, reply: ModelReply): Promise<void> {
  const delayMs = 'endless' in reply ? (reply.endless.everyMs ?? 5) : (reply.delayMs ?? 0);
  let deltas = 0;
  for (const { data, isDelta } of words) {
    if (isDelta && deltas === reply.cutAfter) break;
    if (isDelta && delayMs > 0) await answer.pause(delayMs);
    if (!answer.isOpen()) return;
    await answer.write(data);
    if (isDelta) deltas += 1;
  }
  if (reply.cutAfter === undefined) return answer.end();
  // When a connection breaks, the client drops data that it has not read yet.
  await answer.pause(beforeCutMs);
  answer.cut();
}

interface Answer {
  ended: ModelRequest['ended'];
  isOpen(): boolean;
  write(data: string): Promise<void>;
  pause(delayMs: number): Promise<void>;
  cut(): void;
  end(): void;
}

function openAnswer(response: ServerResponse): Answer {
  let wasCut = false;
  const ended = new Promise<'answered' | 'aborted'>((resolve) => {
    response.once('close', () => resolve(response.writableFinished || wasCut ? 'answered' : 'aborted'));
  });
  const isOpen = () => !response.destroyed && !response.closed;
  return {
    ended,
    isOpen,
    write: async (data) => {
      if (response.write(data)) return;
      await Promise.race([new Promise((resolve) => response.once('drain', resolve)), ended]);
    },
    pause: async (delayMs) => {
      const passed = new Promise<void>((resolve) => {
        setTimeout(resolve, delayMs).unref();
      });
      await Promise.race([passed, ended]);
    },
    cut: () => {
      wasCut = true;
      response.destroy();
    },
    end: () => response.end(),
  };
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

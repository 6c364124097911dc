import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { LocalState } from '../../local/local-state.ts';
import type { Journal } from './journal.ts';

export interface AnswerBody {
  code?: string;
  detail?: unknown;
  access_token?: string;
  data?: Record<string, unknown>;
  items?: Record<string, unknown>[];
  nextCursor?: string | null;
}

export interface Answer {
  status: number;
  body: AnswerBody;
}

export interface Call {
  /** The kind under which the journal counts it. */
  kind: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  body?: unknown;
  idempotencyKey?: string;
}

/** The final outcome of a request: `unresolved` if there was none in time. */
export type StatementOutcome =
  | { outcome: 'acknowledged'; answer: Answer }
  | { outcome: 'refused'; answer: Answer }
  | { outcome: 'unresolved' };

export interface FaultClient {
  /** One attempt; undefined if the connection was lost or no answer came in time. */
  attempt(call: Call): Promise<Answer | undefined>;
  /** Repeats the request until the answer is definite, as a careful client does. */
  settle(call: Call): Promise<StatementOutcome>;
  /** An answer to read as a stream, on its own connection; undefined if there is none. */
  open(call: Pick<Call, 'kind' | 'path'>, until: AbortSignal): Promise<IncomingMessage | undefined>;
  close(): void;
}

const attemptTimeoutMs = 8_000;
/**
 * Longer than an idempotency key is held for a request whose process died, and for two retries that died too.
 */
const settleTimeoutMs = 500_000;
/** Answers that ask for a retry of the same request. */
const transientCodes = new Set(['idempotency_in_flight', 'rate_limited', 'queries_saturated']);

export function createFaultClient(stack: LocalState, journal: Journal, signal: AbortSignal): FaultClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  let authorization: Promise<string | undefined> | undefined;

  function send(
    method: string,
    path: string,
    headers: Record<string, string>,
    body: string | undefined,
  ): Promise<Answer | 'unreached' | undefined> {
    return new Promise((resolve) => {
      let isConnected = false;
      const lost = () => resolve(isConnected ? undefined : 'unreached');
      const within = AbortSignal.any([signal, AbortSignal.timeout(attemptTimeoutMs)]);
      const outgoing = request(
        `${stack.apiUrl}${path}`,
        { method, agent, headers: { ...headers, ...lengthOf(body) }, signal: within },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.on('error', lost);
          incoming.on('close', lost);
          incoming.on('end', () =>
            resolve(parsed(incoming.statusCode ?? 0, Buffer.concat(chunks).toString())),
          );
        },
      );
      outgoing.on('socket', (socket) => {
        isConnected = !socket.connecting;
        if (isConnected) return;
        socket.once('connect', () => {
          isConnected = true;
        });
      });
      outgoing.on('error', lost);
      outgoing.end(body);
    });
  }

  async function signIn(): Promise<string | undefined> {
    const form = new URLSearchParams({ client_id: stack.clientId, client_secret: stack.clientSecret });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await send('POST', '/v1/auth/m2m/token', headers, form.toString());
    if (answer === undefined || answer === 'unreached' || answer.status !== 200) return undefined;
    return `Bearer ${answer.body.access_token}`;
  }

  async function attempt(call: Call): Promise<Answer | undefined> {
    authorization ??= signIn();
    const token = await authorization;
    const answer =
      token === undefined
        ? 'unreached'
        : await send(
            call.method,
            call.path,
            {
              authorization: token,
              ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
              ...(call.idempotencyKey === undefined ? {} : { 'idempotency-key': call.idempotencyKey }),
            },
            call.body === undefined ? undefined : JSON.stringify(call.body),
          );
    // A token is valid for an hour; a run may take longer.
    const isAnswer = answer !== undefined && answer !== 'unreached';
    if (token === undefined || (isAnswer && answer.body.code === 'token_expired')) authorization = undefined;
    journal.count(`requests ${call.kind}`, outcomeOf(answer));
    if (isAnswer && answer.status === 500)
      journal.breach('broken', `${call.method} ${call.path}: ${JSON.stringify(answer.body)}`);
    return isAnswer ? answer : undefined;
  }

  async function open(
    { kind, path }: Pick<Call, 'kind' | 'path'>,
    until: AbortSignal,
  ): Promise<IncomingMessage | undefined> {
    authorization ??= signIn();
    const token = await authorization;
    if (token === undefined) authorization = undefined;
    const incoming = await new Promise<IncomingMessage | undefined>((resolve) => {
      if (token === undefined) return resolve(undefined);
      const headers = { authorization: token };
      const within = AbortSignal.any([signal, until]);
      request(`${stack.apiUrl}${path}`, { headers, agent: false, signal: within }, resolve)
        .on('error', () => resolve(undefined))
        .end();
    });
    const status = incoming?.statusCode;
    journal.count(`requests ${kind}`, status === undefined ? 'without a connection' : `answered ${status}`);
    if (status === 500) journal.breach('broken', `GET ${path}`);
    if (status === 401) authorization = undefined;
    if (status === 200) return incoming;
    incoming?.destroy();
    return undefined;
  }

  return {
    attempt,
    async settle(call) {
      const deadlineMs = Date.now() + settleTimeoutMs;
      for (
        let waitMs = 200;
        Date.now() < deadlineMs && !signal.aborted;
        waitMs = Math.min(waitMs * 2, 1_500)
      ) {
        const answer = await attempt(call);
        if (answer !== undefined && isOk(answer)) return { outcome: 'acknowledged', answer };
        if (answer !== undefined && isDefinite(answer)) return { outcome: 'refused', answer };
        await delay(waitMs, undefined, { signal }).catch(() => {});
      }
      return { outcome: 'unresolved' };
    },
    open,
    close: () => agent.destroy(),
  };
}

/** Node does not set the length of a DELETE's body by itself. */
const lengthOf = (body: string | undefined) =>
  body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };

function parsed(status: number, text: string): Answer | undefined {
  try {
    return { status, body: JSON.parse(text) as AnswerBody };
  } catch {
    return undefined;
  }
}

function isOk({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

function isDefinite({ status, body }: Answer): boolean {
  return (
    status >= 400 && status < 500 && !transientCodes.has(body.code ?? '') && body.code !== 'token_expired'
  );
}

function outcomeOf(answer: Answer | 'unreached' | undefined): string {
  if (answer === undefined) return 'lost';
  if (answer === 'unreached') return 'without a connection';
  if (isOk(answer)) return 'acknowledged';
  return `${answer.status} ${answer.body.code ?? ''}`.trim();
}

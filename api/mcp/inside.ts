import type { FastifyRequest } from 'fastify';
import type { Routes } from '../deps.ts';
import { insideOf } from '../reply.ts';

export interface InsideRequest {
  query?: Readonly<Record<string, string | number | boolean | undefined>>;
  body?: unknown;
  /** Makes a write happen once, however often it is asked for. */
  idempotencyKey?: string | undefined;
}

/** A refusal of a route: its problem document, or the faults of a 422. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly answer: Readonly<Record<string, unknown>>;

  constructor(status: number, answer: Readonly<Record<string, unknown>>) {
    super(`${status}`);
    this.status = status;
    this.answer = answer;
  }

  /** Whether the same request may succeed later. */
  get isTransient(): boolean {
    return this.status === 429 || this.status === 503;
  }
}

export interface Inside {
  /** Aborts when the caller is gone. */
  signal: AbortSignal;
  /** Aborts when the service is about to stop: what waits answers what it knows. */
  closing: AbortSignal;
  requestId: string;
  log: FastifyRequest['log'];
  /** The parsed JSON answer of a route of this service; throws a `Refusal` for any status above 299. */
  // biome-ignore lint/suspicious/noExplicitAny: the shape is that of the route's schema.
  json(method: 'GET' | 'POST' | 'PATCH', path: string, request?: InsideRequest): Promise<any>;
  text(path: string, request?: InsideRequest): Promise<string>;
  bytes(path: string, request?: InsideRequest): Promise<Buffer>;
}

/** Headers of the caller that the routes see too: who it is, and what its records say. */
const passedOn = ['authorization', 'host', 'user-agent', 'traceparent'] as const;

/**
 * The public interface as the caller of this request may use it: token, scopes, grants, rate limits, audit
 * and validation are those of the routes, because they are the routes.
 */
export function createInside(
  app: Routes,
  request: FastifyRequest,
  { signal, closing }: Pick<Inside, 'signal' | 'closing'>,
): Inside {
  const known = Object.fromEntries(
    passedOn.flatMap((name) => {
      const value = request.headers[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

  async function ask(method: 'GET' | 'POST' | 'PATCH', path: string, asked: InsideRequest) {
    const { query = {}, body, idempotencyKey } = asked;
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) search.set(name, String(value));
    signal.throwIfAborted();
    if (closing.aborted)
      throw new Refusal(503, { code: 'overloaded', detail: 'The service is about to stop. Call again.' });
    // The signal of `inject` does not reach a request whose body has been read.
    const answer = await insideOf.run(signal, async () =>
      app.inject({
        method,
        url: search.size === 0 ? path : `${path}?${search}`,
        remoteAddress: request.ip,
        signal,
        headers: {
          ...known,
          'x-request-id': request.id,
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
      }),
    );
    if (answer.statusCode > 299) throw new Refusal(answer.statusCode, answer.json());
    return answer;
  }

  return {
    signal,
    closing,
    requestId: request.id,
    log: request.log,
    json: async (method, path, asked = {}) => (await ask(method, path, asked)).json(),
    text: async (path, asked = {}) => (await ask('GET', path, asked)).payload,
    bytes: async (path, asked = {}) => (await ask('GET', path, asked)).rawPayload,
  };
}

/** A path with the given ids escaped, so that an id of any text stays one part of it. */
export const path = (strings: TemplateStringsArray, ...ids: string[]): string =>
  String.raw({ raw: strings }, ...ids.map(part));

function part(id: string): string {
  if (id === '.' || id === '..')
    throw new Refusal(404, { code: 'not_found', detail: `${id} doesn't exist.` });
  return encodeURIComponent(id.toWellFormed());
}

import type { FastifyRequest } from 'fastify';
import type { Routes } from '../deps.ts';

export interface InsideRequest {
  query?: Readonly<Record<string, string | number | boolean | undefined>>;
  body?: unknown;
  /** Makes a write happen once, however often it is asked for. */
  idempotencyKey?: string | undefined;
  accept?: string;
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
}

export interface Inside {
  signal: AbortSignal;
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
export function createInside(app: Routes, request: FastifyRequest, signal: AbortSignal): Inside {
  const known = Object.fromEntries(
    passedOn.flatMap((name) => {
      const value = request.headers[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

  async function ask(method: 'GET' | 'POST' | 'PATCH', path: string, asked: InsideRequest) {
    const { query = {}, body, idempotencyKey, accept } = asked;
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) search.set(name, String(value));
    signal.throwIfAborted();
    const answer = await app.inject({
      method,
      url: search.size === 0 ? path : `${path}?${search}`,
      remoteAddress: request.ip,
      signal,
      headers: {
        ...known,
        'x-request-id': request.id,
        ...(accept === undefined ? {} : { accept }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    if (answer.statusCode > 299) throw new Refusal(answer.statusCode, answer.json());
    return answer;
  }

  return {
    signal,
    json: async (method, path, asked = {}) => (await ask(method, path, asked)).json(),
    text: async (path, asked = {}) => (await ask('GET', path, asked)).payload,
    bytes: async (path, asked = {}) => (await ask('GET', path, asked)).rawPayload,
  };
}

/** A path with the given parts escaped, so that an id of any text stays one part. */
export const path = (strings: TemplateStringsArray, ...ids: string[]): string =>
  String.raw({ raw: strings }, ...ids.map((id) => encodeURIComponent(id)));

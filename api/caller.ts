import type { FastifyRequest } from 'fastify';
import { derivedId, type IdPrefix, newId } from '../data/ids.ts';
import { traceparentOf } from '../data/telemetry/spans.ts';

export const scopes = ['agent:read', 'agent:write', 'tables:append'] as const;
export type Scope = (typeof scopes)[number];

/** Who a request acts as, resolved from its bearer token. */
export interface Caller {
  organizationId: string;
  kind: 'user' | 'client';
  /** The client's or user's id: rate limits, idempotency keys and records use it instead of the token. */
  id: string;
  tokenId: string;
  scopes: readonly Scope[];
  admin: boolean;
  expiresAt: Date;
  /** Whether the organization is suspended, and the caller refused. */
  isSuspended: boolean;
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | undefined;
    /** Set for a request with an idempotency key: ids of what it creates are derived from it. */
    idempotencySeed: { seed: string; atMs: number } | undefined;
    rawBodyHash: Buffer | undefined;
  }
}

/** The caller of a non-public route. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === undefined)
    throw new Error(`${request.routeOptions.url} needs a caller but is declared public.`);
  return request.caller;
}

/**
 * A new id; under an idempotency key always the same for the same purpose, so that a retry finds what was
 * created.
 */
export function idFor(request: FastifyRequest, prefix: IdPrefix, purpose = ''): string {
  const key = request.idempotencySeed;
  return key === undefined
    ? newId(prefix)
    : derivedId(prefix, key.atMs, `${key.seed}\n${prefix}\n${purpose}`);
}

const traceparentPattern = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The W3C traceparent of the request's span; that of its caller, if it is valid, where nothing is traced. */
function traceOf(request: FastifyRequest): string | undefined {
  const own = traceparentOf(request.traced?.span);
  if (own !== undefined) return own;
  const given = request.headers['traceparent'];
  return typeof given === 'string' && traceparentPattern.test(given) ? given : undefined;
}

/** The memo of a process started by this request. */
export function memoOf(
  request: FastifyRequest,
  callerId: string = callerOf(request).id,
): Record<string, string> {
  const traceparent = traceOf(request);
  return {
    requestId: request.id,
    callerId,
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}

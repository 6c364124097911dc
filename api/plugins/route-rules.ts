import type { FastifyInstance, RouteOptions } from 'fastify';
import { type ErrorCode, problems } from '../../data/errors.ts';
import type { Caller, Scope } from '../caller.ts';
import { idempotencyHeaders, problemSchema, validationSchema } from '../schemas.ts';
import type { AuditAction } from './audit-action.ts';
import { operationId } from './operation-id.ts';

/** A group of routes in the document. */
export interface Tag {
  name: string;
  description: string;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The scope a token needs; `signed-in` needs any valid token, `public` none. */
    scope?: Scope | 'signed-in' | 'public';
    /** Requires an administrator's token. */
    admin?: boolean;
    /** Of a route that answers a credential or raises a role: the scopes that its receiver could then use. */
    handsOut?: (body: never) => readonly Scope[];
    /** Throws not_found if the path names nothing of this organization: a 404 comes before a 422. */
    exists?: (organizationId: string, params: Record<string, string>, caller: Caller) => Promise<unknown>;
    /**
     * The handler gets the bytes of a JSON body and parses them itself: pages are too large to be parsed
     * twice.
     */
    rawBody?: boolean;
    /** The body may also be `text/csv`, of which the handler gets the bytes. */
    takesCsv?: boolean;
    /** The body may also be Parquet or Arrow, of which the handler gets the bytes. */
    takesColumns?: boolean;
    /** The body may be compressed by gzip or zstd; its limit is that of what it unpacks to. */
    takesCompressed?: boolean;
    /**
     * False for routes without idempotency keys: reads over POST, token routes, and routes that show a
     * secret.
     */
    idempotent?: boolean;
    /** Describes the route's tag, unless another route does. */
    tag?: Tag;
    /** What the route is in the audit; required if it changes something and has a caller. */
    audit?: AuditAction;
    /** RFC 9728: where a client without a valid token learns who gives one. */
    resourceMetadata?: (request: FastifyRequest) => string;
    /** An OAuth token route: its errors have the member `error`. */
    oauth?: boolean;
    /** Error codes of this route, besides those of every route. */
    errors?: readonly ErrorCode[];
  }
}

const always: readonly ErrorCode[] = [
  'invalid_request',
  'rate_limited',
  'internal_error',
  'storage_unavailable',
  'overloaded',
];
const signedIn: readonly ErrorCode[] = ['unauthorized', 'invalid_token', 'token_expired'];

/**
 * Checks that every route has a complete declaration: a route without a scope fails at startup, and the
 * OpenAPI document's authentication and errors come from the same declaration.
 */
export function routeRules(app: FastifyInstance): void {
  const operationIds = new Set<string>();
  app.addHook('onRoute', (route) => {
    // The reference page registers its own routes: static, public files.
    if (route.url.startsWith('/docs')) route.config = { ...route.config, scope: 'public' };
    const config = route.config ?? {};
    if (config.scope === undefined)
      throw new Error(`${String(route.method)} ${route.url} declares no scope.`);
    const id = route.schema?.operationId ?? operationId(String(route.method), route.url);
    route.schema = { operationId: id, ...route.schema };
    if (route.schema.hide === true) return;
    if (route.method !== 'HEAD' && operationIds.has(id)) throw new Error(`Two routes are called ${id}.`);
    operationIds.add(id);
    route.schema = {
      operationId: id,
      ...route.schema,
      ...(config.scope === 'public'
        ? { security: [] }
        : { security: [{ bearer: config.scope === 'signed-in' ? [] : [config.scope] }] }),
      ...(takesIdempotencyKey({ method: route.method, config }) ? { headers: idempotencyHeaders } : {}),
      response: {
        ...describeErrors(route, errorCodes(route)),
        ...(route.schema?.response as object | undefined),
      },
    };
  });
}

function errorCodes(route: RouteOptions): ErrorCode[] {
  const config = route.config ?? {};
  const codes = new Set<ErrorCode>([...always, ...(config.errors ?? [])]);
  if (config.scope !== 'public') for (const code of signedIn) codes.add(code);
  if (config.scope !== 'public' && config.scope !== 'signed-in') codes.add('missing_scope');
  // Writing a table needs a grant, which an administrator gives.
  const writesTable = /\/:(table|sync|dataset|import|run)_id/.test(route.url) && route.method !== 'GET';
  if (config.admin === true || writesTable) codes.add('admin_required');
  if (route.url.includes(':')) codes.add('not_found');
  if (takesIdempotencyKey(route)) codes.add('idempotency_in_flight');
  return [...codes];
}

export function takesIdempotencyKey(route: {
  method: string | string[];
  config?: { idempotent?: boolean; scope?: string };
}): boolean {
  const writes = [route.method].flat().some((method) => ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method));
  return writes && route.config?.idempotent !== false && route.config?.scope !== 'public';
}

function describeErrors(route: RouteOptions, codes: readonly ErrorCode[]): Record<number, unknown> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const [status] = problems[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const responses: Record<number, unknown> = {};
  for (const [status, list] of byStatus) {
    responses[status] = {
      description: list.map((code) => `\`${code}\`: ${problems[code][1]}.`).join(' '),
      content: { 'application/problem+json': { schema: problemSchema } },
    };
  }
  const takesInput =
    route.schema?.body !== undefined ||
    route.schema?.querystring !== undefined ||
    takesIdempotencyKey(route as never);
  // Token routes report all errors in OAuth's form.
  if (takesInput && route.config?.oauth !== true)
    responses[422] = {
      description: 'The request has invalid values. Every fault is listed with its place.',
      content: { 'application/json': { schema: validationSchema } },
    };
  return responses;
}

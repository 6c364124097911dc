import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../data/errors.ts';
import { type AccessToken, suspended } from '../../domain/workspace/organizations/access.ts';
import { type Caller, type Scope, scopes } from '../caller.ts';
import { refuseWider } from '../never-wider.ts';
import type { RateLimit } from './rate-limit.ts';

/** How long a valid token is cached, which is the maximum delay of a revocation made elsewhere. */
const tokenCacheMs = 1_000;
const maxRemembered = 10_000;

/** Routes by which somebody who is signed in ends tokens: of a login, a person or a client. */
const endsTokens = /^\/v1\/(?:auth\/(?:logout|sessions|m2m\/clients)|members)(?:\/|$)/;

export type FindToken = (token: string) => Promise<AccessToken | undefined>;

/**
 * Resolves the bearer token and checks it against the route's declared scope, before anything else is read.
 * Unknown callers are rate-limited by address; known callers by themselves, with all their tokens together.
 */
export function auth(app: FastifyInstance, findToken: FindToken, limit: RateLimit): void {
  app.decorateRequest('caller', undefined);
  /**
   * Tokens that were valid at their last lookup. After expiry they are looked up again, but not counted
   * towards the address.
   */
  const remembered = new Map<string, { caller: Caller; untilMs: number }>();

  /** Lookups in progress: concurrent requests with the same token share one. */
  const looking = new Map<string, Promise<Caller>>();

  function look(token: string): Promise<Caller> {
    const answer = findToken(token).then(toCaller);
    looking.set(token, answer);
    const finish = (caller: Caller | undefined) => {
      // Tokens were forgotten meanwhile: this result may predate a revocation.
      if (looking.get(token) !== answer) return;
      looking.delete(token);
      remembered.delete(token);
      if (caller === undefined) return;
      if (remembered.size >= maxRemembered) remembered.delete(remembered.keys().next().value!);
      remembered.set(token, {
        caller,
        untilMs: Math.min(Date.now() + tokenCacheMs, caller.expiresAt.getTime()),
      });
    };
    answer.then(finish, (error: unknown) => {
      // An unavailable store says nothing about the token, so its cached state stays.
      if (error instanceof AppError) finish(undefined);
      else if (looking.get(token) === answer) looking.delete(token);
    });
    return answer;
  }

  async function resolve(request: FastifyRequest, reply: FastifyReply): Promise<Caller> {
    const token = bearerToken(request.headers.authorization);
    const known = token instanceof AppError ? undefined : remembered.get(token);
    if (known === undefined) limit.byAddress(request, reply);
    if (token instanceof AppError) throw token;
    if (known !== undefined && known.untilMs > Date.now()) return known.caller;
    try {
      const caller = await (looking.get(token) ?? look(token));
      if (known === undefined) limit.forgiveAddress(request);
      return caller;
    } catch (error) {
      if (known === undefined && !(error instanceof AppError)) limit.forgiveAddress(request);
      throw error;
    }
  }

  app.addHook('onRequest', async (request, reply) => {
    const { scope, admin } = request.routeOptions.config;
    if (scope === undefined || scope === 'public') return limit.byAddress(request, reply);
    const caller = await resolve(request, reply);
    limit.byCaller(caller, reply);
    request.caller = caller;
    if (caller.isSuspended) throw suspended();
    if (scope !== 'signed-in' && !caller.scopes.includes(scope)) throw missingScope(scope);
    if (admin === true && !caller.admin) {
      throw new AppError(
        'admin_required',
        'This needs a person with the role admin or owner, or a client created with admin.',
      );
    }
  });

  // Before an answer that is kept under an idempotency key is given again.
  app.addHook('preHandler', async ({ caller, params, body, routeOptions }) => {
    const { handsOut, exists } = routeOptions.config;
    if (handsOut === undefined || caller === undefined) return;
    await exists?.(caller.organizationId, params as Record<string, string>, caller);
    refuseWider(caller, handsOut(body as never));
  });

  function forgetTokens(organizationId: string): void {
    looking.clear();
    for (const known of remembered.values())
      if (known.caller.organizationId === organizationId) known.untilMs = 0;
  }
  app.decorate('forgetTokens', forgetTokens);
  app.addHook('onSend', async ({ caller, method, routeOptions }, { statusCode }) => {
    if (caller === undefined || method === 'GET' || statusCode >= 400) return;
    if (endsTokens.test(routeOptions.url ?? '')) forgetTokens(caller.organizationId);
  });
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Makes the end of an organization's tokens take effect in this process at once. */
    forgetTokens(organizationId: string): void;
  }
}

/** The token of the header, or the error why there is none. */
function bearerToken(header: string | undefined): string | AppError {
  if (header === undefined) {
    return new AppError(
      'unauthorized',
      'Send the header `Authorization: Bearer <access token>`. POST /v1/auth/m2m/token returns a token.',
    );
  }
  const match = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(header);
  if (match === null)
    return new AppError(
      'invalid_token',
      'The Authorization header must have the form `Bearer <access token>`.',
    );
  return match[1]!;
}

function toCaller(token: AccessToken | undefined): Caller {
  if (token === undefined || token.revokedAt !== null) {
    throw new AppError('invalid_token', 'The access token is unknown or was revoked. Get a new one.');
  }
  if (token.expiresAt.getTime() <= Date.now()) {
    throw new AppError(
      'token_expired',
      `The access token expired at ${token.expiresAt.toISOString()}. Get a new one with the client credentials or the refresh token.`,
    );
  }
  return {
    organizationId: token.organizationId,
    kind: token.clientId === null ? 'user' : 'client',
    id: (token.clientId ?? token.userId)!,
    tokenId: token.id,
    scopes: scopes.filter((scope) => token.scopes.includes(scope)),
    admin: token.admin,
    expiresAt: token.expiresAt,
    isSuspended: token.isSuspended,
  };
}

function missingScope(scope: Scope): AppError {
  return new AppError('missing_scope', `The token doesn't have the scope ${scope}. Use one that does.`, {
    extensions: { missing_scope: scope },
  });
}

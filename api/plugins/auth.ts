import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../data/errors.ts';
import type { AccessToken } from '../../data/postgres/access.ts';
import { type Caller, type Scope, scopes } from '../caller.ts';

/** How long a token found valid is believed without asking again: the most a revocation elsewhere may lag. */
const believedMs = 1_000;
const maxRemembered = 10_000;

export type FindToken = (token: string) => Promise<AccessToken | undefined>;

/** Resolves the bearer token and holds the route's declared scope against it, before anything else is read. */
export function auth(app: FastifyInstance, findToken: FindToken): void {
  app.decorateRequest('caller', undefined);
  const remembered = new Map<string, { caller: Caller; untilMs: number }>();

  async function resolve(request: FastifyRequest): Promise<Caller> {
    const token = bearerToken(request.headers.authorization);
    const known = remembered.get(token);
    if (known !== undefined && known.untilMs > Date.now()) return known.caller;
    const caller = toCaller(await findToken(token));
    if (remembered.size >= maxRemembered) remembered.clear();
    remembered.set(token, { caller, untilMs: Math.min(Date.now() + believedMs, caller.expiresAt.getTime()) });
    return caller;
  }

  app.addHook('onRequest', async (request) => {
    const { scope, admin } = request.routeOptions.config;
    if (scope === undefined || scope === 'public') return;
    const caller = await resolve(request);
    request.caller = caller;
    if (scope !== 'signed-in' && !caller.scopes.includes(scope)) throw missingScope(scope);
    if (admin === true && !caller.admin) {
      throw new AppError(
        'admin_required',
        'This needs a person with the role admin or owner, or a client issued with admin.',
      );
    }
  });

  app.decorate('forgetToken', (tokenId: string) => {
    for (const [token, { caller }] of remembered) if (caller.tokenId === tokenId) remembered.delete(token);
  });
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Makes a revocation take effect in this process at once. */
    forgetToken(tokenId: string): void;
  }
}

function bearerToken(header: string | undefined): string {
  if (header === undefined) {
    throw new AppError(
      'unauthorized',
      'Send the header `Authorization: Bearer <access token>`; POST /v1/auth/m2m/token gives one.',
    );
  }
  const match = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(header);
  if (match === null)
    throw new AppError(
      'invalid_token',
      'The Authorization header is not of the form `Bearer <access token>`.',
    );
  return match[1]!;
}

function toCaller(token: AccessToken | undefined): Caller {
  if (token === undefined || token.revokedAt !== null) {
    throw new AppError('invalid_token', 'The access token is unknown or was revoked.');
  }
  if (token.expiresAt.getTime() <= Date.now()) {
    throw new AppError(
      'token_expired',
      `The access token expired at ${token.expiresAt.toISOString()}; exchange the client credentials again.`,
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
  };
}

function missingScope(scope: Scope): AppError {
  return new AppError('missing_scope', `The token lacks the scope ${scope}.`, {
    extensions: { missing_scope: scope },
  });
}

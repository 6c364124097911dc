import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { endedByAccessToken, endedByRefreshToken } from '../../domain/workspace/audit/ended-logins.ts';
import { recordedWork } from '../../domain/workspace/audit/recorded-work.ts';
import type { Recorder } from '../../domain/workspace/audit/recorder.ts';
import { revokeRefreshToken } from '../../domain/workspace/logins/logins.ts';
import { clientOfAccessToken, clientOfRefreshToken } from '../../domain/workspace/logins/token-owners.ts';
import { findAccessToken, revokeToken } from '../../domain/workspace/organizations/access.ts';
import type { ApiDeps, Routes } from '../deps.ts';
import { maxFormBytes } from '../plugins/form-body.ts';
import type { ClientExchange } from './client-exchange.ts';
import { oauthError } from './oauth-error.ts';

const form = z
  .object({
    token: z.string().optional(),
    token_type_hint: z.string().optional(),
    client_id: z.string().optional(),
    client_secret: z.string().optional(),
  })
  .meta({ additionalProperties: { type: 'string' }, examples: [{ token: 'wrt_…', client_id: 'cli' }] });

/**
 * RFC 7009. Whoever has a token may end it, so that a leaked one can be; credentials, if they are sent, must
 * be right, and a client that is named must be the token's own.
 */
export function revocationRoute(
  routes: Routes,
  deps: ApiDeps,
  authenticate: ClientExchange['authenticate'],
  record: Recorder,
): void {
  /** Which client asks: undefined if it does not say. */
  async function clientOf(
    request: FastifyRequest<{ Body: z.output<typeof form> }>,
  ): Promise<string | undefined> {
    const { client_id: named, client_secret: secret } = request.body;
    if (secret !== undefined || request.headers.authorization !== undefined)
      return (await authenticate(request)).id;
    return named;
  }

  routes.post(
    '/v1/auth/revoke',
    {
      bodyLimit: maxFormBytes,
      schema: {
        tags: ['Auth'],
        summary: 'Revoke a token',
        operationId: 'revokeToken',
        description:
          'RFC 7009. Revoking either token of a login ends the login and all its tokens. Anybody who has a token can revoke it. If you send credentials, they must be valid. If you send `client_id`, it must be the client that the token was issued to. The response for an unknown token is the same as for a known one.',
        consumes: ['application/x-www-form-urlencoded'],
        body: form,
        response: { 200: z.object({}).meta({ examples: [{}] }) },
      },
      config: {
        scope: 'public',
        oauth: true,
        errors: ['invalid_client', 'invalid_grant', 'unsupported_media_type', 'body_too_large'],
      },
    },
    async (request) => {
      const { token } = request.body;
      const asking = await clientOf(request);
      if (token === undefined) throw oauthError('invalid_request', 'Send token.');
      const access = await findAccessToken(deps.db, token);
      if (asking !== undefined) {
        const owner =
          access === undefined
            ? await clientOfRefreshToken(deps.db, token)
            : await clientOfAccessToken(deps.db, access);
        if (owner !== undefined && owner !== asking)
          throw oauthError('invalid_grant', 'The token was issued to another client.');
      }
      const from = { address: request.ip, requestId: request.id, detail: null };
      if (access !== undefined) {
        await recordedWork(
          record,
          async (db) => ({ ...(await endedByAccessToken(db, access)), ...from }),
          () => revokeToken(deps.db, access.organizationId, access.id),
        );
        routes.forgetTokens(access.organizationId);
        return {};
      }
      let organizationId: string | undefined;
      await recordedWork(
        record,
        async (db) => {
          const ended = await endedByRefreshToken(db, token);
          organizationId = ended?.organizationId;
          return ended && { ...ended, ...from };
        },
        () => revokeRefreshToken(deps.db, token),
      );
      if (organizationId !== undefined) routes.forgetTokens(organizationId);
      return {};
    },
  );
}

import { z } from 'zod';
import type { ApiDeps, Routes } from '../deps.ts';
import { maxFormBytes } from '../plugins/form-body.ts';
import { serviceUrl } from '../service-url.ts';
import type { ClientExchange } from './client-exchange.ts';
import { deviceGrant, tokenPair } from './device-schemas.ts';
import { grantErrors, grantTokens, type PersonGrant } from './grants.ts';
import { oauthError } from './oauth-error.ts';
import { isOurs } from './resource-indicator.ts';
import { tokenAnswer } from './schemas.ts';

const personGrants: readonly PersonGrant[] = ['authorization_code', 'refresh_token', deviceGrant];

/** Of every grant; unknown form fields are ignored. */
const form = z
  .object({
    grant_type: z
      .string()
      .optional()
      .meta({ enum: [...personGrants, 'client_credentials'] }),
    client_id: z.string().optional(),
    client_secret: z.string().optional(),
    code: z.string().optional(),
    redirect_uri: z.string().optional().describe('The same value as in the authorization request.'),
    code_verifier: z.string().optional().describe('RFC 7636.'),
    device_code: z.string().optional(),
    refresh_token: z.string().optional(),
    scope: z
      .string()
      .optional()
      .describe(
        'For client credentials or a refresh: some of the granted scopes, separated by spaces. The default is all of them.',
      ),
    resource: z.string().optional().describe('RFC 8707: the address of this service or of its MCP server.'),
  })
  .meta({
    additionalProperties: { type: 'string' },
    examples: [
      {
        grant_type: 'authorization_code',
        client_id: 'cli',
        code: 'wac_…',
        redirect_uri: 'http://127.0.0.1:49152/callback',
        code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
      },
    ],
  });

const answer = z.union([tokenPair, tokenAnswer]).meta({
  examples: [
    {
      access_token: 'wat_…',
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'agent:read agent:write',
      refresh_token: 'wrt_…',
    },
  ],
});

/** The token endpoint of RFC 6749, which takes every grant. */
export function tokenRoutes(routes: Routes, deps: ApiDeps, exchange: ClientExchange['exchange']): void {
  routes.post(
    '/v1/auth/token',
    {
      bodyLimit: maxFormBytes,
      schema: {
        tags: ['Auth'],
        summary: 'Get tokens',
        operationId: 'getTokens',
        description:
          'RFC 6749. Exchanges the code of an authorization request (RFC 7636, S256), a refresh token, a device code or client credentials for tokens. Client credentials get an access token only. If a code is used twice, the login that it created ends.',
        consumes: ['application/x-www-form-urlencoded'],
        body: form,
        response: { 200: answer },
      },
      config: {
        scope: 'public',
        oauth: true,
        errors: grantErrors,
      },
    },
    async (request, reply) => {
      reply.header('Cache-Control', 'no-store').header('Pragma', 'no-cache');
      if (!isOurs(serviceUrl(deps, request), request.body.resource))
        throw oauthError(
          'invalid_request',
          'The resource must be this service or its MCP server.',
          'invalid_target',
        );
      if (request.body.grant_type === 'client_credentials') return exchange(request);
      return grantTokens(routes, deps, request.body, personGrants);
    },
  );
}

import type { FastifyRequest } from 'fastify';
import {
  beginDeviceLogin,
  deviceLoginSeconds,
  pollDeviceLogin,
  pollSeconds,
} from '../../domain/workspace/logins/device-logins.ts';
import type { PollOutcome } from '../../domain/workspace/logins/device-states.ts';
import { refresh, type Tokens } from '../../domain/workspace/logins/logins.ts';
import { findPublicClient } from '../../domain/workspace/logins/public-clients.ts';
import { shownUserCode } from '../../domain/workspace/logins/user-code.ts';
import { scopes } from '../caller.ts';
import type { ApiDeps, Routes } from '../deps.ts';
import { addressGroup } from '../plugins/address-group.ts';
import { formBody, maxFormBytes } from '../plugins/form-body.ts';
import { serviceUrl } from '../service-url.ts';
import {
  deviceCodeAnswer,
  deviceCodeForm,
  deviceGrant,
  deviceTokenForm,
  tokenPair,
} from './device-schemas.ts';
import { oauthError } from './oauth-error.ts';

const usualScopes = ['agent:read', 'agent:write'];
const consumes = ['application/x-www-form-urlencoded'];
const refusals: Readonly<Record<Exclude<PollOutcome, 'redeem'>, string>> = {
  authorization_pending: 'The person has not decided yet; poll again after the interval.',
  slow_down: 'Polled sooner than the interval, which is five seconds longer from now on.',
  access_denied: 'The person denied the request.',
  expired_token: 'The device code has expired; request another.',
  invalid_grant: 'The device code is unknown, of another client, or was redeemed already.',
};

/** Device login (RFC 8628): how a person gives a program on another device tokens of their own. */
export function deviceLoginRoutes(app: Routes, deps: ApiDeps): void {
  app.register(async (forms) => {
    const routes = forms as Routes;
    formBody(routes);
    routes.post(
      '/v1/auth/device/code',
      {
        bodyLimit: maxFormBytes,
        schema: {
          tags: ['Auth'],
          summary: 'Begin a device login',
          description:
            'RFC 8628. Show the person `user_code` and `verification_uri`, then poll the token route with `device_code`.',
          consumes,
          body: deviceCodeForm,
          response: { 200: deviceCodeAnswer },
        },
        config: {
          scope: 'public',
          oauth: true,
          errors: ['invalid_client', 'invalid_scope', 'unsupported_media_type', 'body_too_large'],
        },
      },
      async (request, reply) => {
        const { scope = '' } = request.body;
        const clientId = publicClient(request);
        const asked = scope.trim() === '' ? usualScopes : [...new Set(scope.trim().split(/\s+/))];
        const unknown = asked.find((name) => !(scopes as readonly string[]).includes(name));
        if (unknown !== undefined) throw oauthError('invalid_scope', 'There is no such scope.');
        const { deviceCode, userCode } = await beginDeviceLogin(deps.db, {
          clientId,
          scopes: asked,
          address: request.ip,
          addressGroup: addressGroup(request.ip),
        });
        reply.header('Cache-Control', 'no-store').header('Pragma', 'no-cache');
        const verificationUri = `${serviceUrl(deps, request)}/device`;
        const shown = shownUserCode(userCode);
        return {
          device_code: deviceCode,
          user_code: shown,
          verification_uri: verificationUri,
          verification_uri_complete: `${verificationUri}?user_code=${shown}`,
          expires_in: deviceLoginSeconds,
          interval: pollSeconds,
        };
      },
    );
    routes.post(
      '/v1/auth/device/token',
      {
        bodyLimit: maxFormBytes,
        schema: {
          tags: ['Auth'],
          summary: 'Redeem a device code, or refresh its tokens',
          description:
            'A refresh replaces both tokens. A refresh token presented a second time ends the login with all its tokens. Refresh tokens last 30 days from their issue, a login 180 days in all.',
          consumes,
          body: deviceTokenForm,
          response: { 200: tokenPair },
        },
        config: {
          scope: 'public',
          oauth: true,
          errors: [
            'authorization_pending',
            'slow_down',
            'access_denied',
            'expired_token',
            'invalid_grant',
            'invalid_client',
            'unsupported_grant_type',
            'unsupported_media_type',
            'body_too_large',
          ],
        },
      },
      async (request, reply) => {
        const clientId = publicClient(request);
        const tokens = await tokensFor(deps, request.body, clientId);
        reply.header('Cache-Control', 'no-store').header('Pragma', 'no-cache');
        return {
          access_token: tokens.accessToken,
          token_type: 'Bearer' as const,
          expires_in: tokens.expiresIn,
          scope: tokens.scopes.join(' '),
          refresh_token: tokens.refreshToken,
        };
      },
    );
  });
}

interface TokenForm {
  grant_type?: string | undefined;
  device_code?: string | undefined;
  refresh_token?: string | undefined;
}

async function tokensFor(deps: ApiDeps, form: TokenForm, clientId: string): Promise<Tokens> {
  const { grant_type: grantType, device_code: deviceCode, refresh_token: refreshToken } = form;
  if (grantType === deviceGrant) {
    if (deviceCode === undefined) throw oauthError('invalid_request', 'Send device_code.');
    const polled = await pollDeviceLogin(deps.db, deviceCode, clientId, Date.now());
    if (polled.outcome === 'redeem') return polled.tokens;
    throw oauthError(polled.outcome, refusals[polled.outcome]);
  }
  if (grantType === 'refresh_token') {
    if (refreshToken === undefined) throw oauthError('invalid_request', 'Send refresh_token.');
    const tokens = await refresh(deps.db, refreshToken, clientId);
    if (tokens !== undefined) return tokens;
    throw oauthError('invalid_grant', 'The refresh token is unknown, expired, or was used already.');
  }
  if (grantType === undefined) throw oauthError('invalid_request', 'Send grant_type.');
  throw oauthError('unsupported_grant_type', `This route grants ${deviceGrant} and refresh_token.`);
}

function publicClient({ body }: FastifyRequest<{ Body: { client_id?: string | undefined } }>): string {
  if (body.client_id === undefined) throw oauthError('invalid_request', 'Send client_id.');
  const client = findPublicClient(body.client_id);
  if (client !== undefined) return client.id;
  throw oauthError('invalid_client', 'There is no such public client; the command line is `cli`.');
}

import {
  beginDeviceLogin,
  deviceLoginSeconds,
  pollSeconds,
} from '../../domain/workspace/logins/device-logins.ts';
import { shownUserCode } from '../../domain/workspace/logins/user-code.ts';
import type { ApiDeps, Routes } from '../deps.ts';
import { addressGroup } from '../plugins/address-group.ts';
import { formBody, maxFormBytes } from '../plugins/form-body.ts';
import { serviceUrl } from '../service-url.ts';
import { askedScopes } from './asked-scopes.ts';
import {
  deviceCodeAnswer,
  deviceCodeForm,
  deviceGrant,
  deviceTokenForm,
  tokenPair,
} from './device-schemas.ts';
import { grantErrors, grantTokens, publicClientOf } from './grants.ts';
import { oauthError } from './oauth-error.ts';

const consumes = ['application/x-www-form-urlencoded'];

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
          summary: 'Start a device login',
          operationId: 'beginDeviceLogin',
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
        const { id: clientId, isOwn, isSelfRegistered } = await publicClientOf(deps, request.body);
        if (isOwn === true || isSelfRegistered === true)
          throw oauthError(
            'invalid_request',
            'This client can log people in only with an authorization code.',
            'unauthorized_client',
          );
        const asked = askedScopes(request.body.scope);
        if ('refusal' in asked) throw oauthError('invalid_scope', asked.refusal);
        const { deviceCode, userCode } = await beginDeviceLogin(deps.db, {
          clientId,
          scopes: asked.scopes,
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
          summary: 'Redeem a device code or refresh its tokens',
          operationId: 'redeemDeviceLogin',
          description:
            'A refresh replaces both tokens. If a refresh token is used twice, the login ends and all its tokens with it. Refresh tokens last 30 days from when they were issued. A login lasts up to 180 days.',
          consumes,
          body: deviceTokenForm,
          response: { 200: tokenPair },
        },
        config: {
          scope: 'public',
          oauth: true,
          errors: grantErrors,
        },
      },
      async (request, reply) => {
        reply.header('Cache-Control', 'no-store').header('Pragma', 'no-cache');
        return grantTokens(routes, deps, request.body, [deviceGrant, 'refresh_token']);
      },
    );
  });
}

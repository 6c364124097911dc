import type { Recorder } from '../../domain/workspace/audit/recorder.ts';
import type { ApiDeps, Routes } from '../deps.ts';
import { formBody, maxFormBytes } from '../plugins/form-body.ts';
import { clientExchange } from './client-exchange.ts';
import { metadataRoute } from './metadata-route.ts';
import { oauthError } from './oauth-error.ts';
import { registrationRoute } from './registration-route.ts';
import { revocationRoute } from './revocation-route.ts';
import { tokenAnswer, tokenForm } from './schemas.ts';
import { tokenRoutes } from './token-routes.ts';

interface ExchangeRoute {
  schema: { summary: string; operationId: string; description: string };
  /** Scopes of other services, which clients ask for by themselves. */
  ignoredScopes?: readonly string[];
}

/** Tokens: exchanged for client credentials and for what people approved, revoked, and how to do so. */
export function authRoutes(app: Routes, deps: ApiDeps, record: Recorder): void {
  const { authenticate, exchange } = clientExchange(deps, record);
  app.register(async (forms) => {
    const routes = forms as Routes;
    formBody(routes);
    tokenRoutes(routes, deps, exchange);
    revocationRoute(routes, deps, authenticate, record);
    const exchangeRoute = (path: string, described: ExchangeRoute) =>
      routes.post(
        path,
        {
          bodyLimit: maxFormBytes,
          schema: {
            tags: ['Auth'],
            consumes: ['application/x-www-form-urlencoded'],
            body: tokenForm,
            response: { 200: tokenAnswer },
            ...described.schema,
          },
          config: {
            scope: 'public',
            oauth: true,
            errors: [
              'invalid_client',
              'organization_suspended',
              'invalid_scope',
              'unsupported_grant_type',
              'unsupported_media_type',
              'body_too_large',
            ],
          },
        },
        async (request, reply) => {
          const { grant_type: given } = request.body;
          const grantType = given === undefined || given === '' ? 'client_credentials' : given;
          if (grantType !== 'client_credentials') {
            throw oauthError(
              'unsupported_grant_type',
              `This route accepts the grant type client_credentials, not ${grantType}.`,
            );
          }
          reply.header('Cache-Control', 'no-store').header('Pragma', 'no-cache');
          return exchange(request, described.ignoredScopes);
        },
      );
    exchangeRoute('/v1/auth/m2m/token', {
      schema: {
        summary: 'Exchange client credentials for an access token',
        operationId: 'exchangeClientCredentials',
        description:
          'Send the request form-encoded. You can also send the credentials as HTTP Basic. The token lasts one hour, or until its client expires.',
      },
    });
    exchangeRoute('/v1/iceberg/v1/oauth/tokens', {
      schema: {
        summary: 'Exchange client credentials for an access token of an Iceberg engine',
        operationId: 'exchangeIcebergCredentials',
        description:
          'The same as `POST /v1/auth/m2m/token`, at the address that Iceberg clients use unless they are told another. The scopes that they ask for by themselves, `catalog` and `PRINCIPAL_ROLE:ALL`, are ignored.',
      },
      ignoredScopes: ['catalog', 'PRINCIPAL_ROLE:ALL'],
    });
  });
  registrationRoute(app, deps);
  metadataRoute(app, deps);
}
